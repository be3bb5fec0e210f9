// Functions of the C library that libbmlib.so has too, so that programs linked with it call ours:
// they end the process without its atexit functions, and with these the reports of its devices.
#ifndef TENSORLANE_BMLIB_PROCESS_EXIT_H_
#define TENSORLANE_BMLIB_PROCESS_EXIT_H_

#ifdef __cplusplus
#define TENSORLANE_THROWS_NOTHING noexcept
extern "C" {
#else
#define TENSORLANE_THROWS_NOTHING
#endif

// NOLINTBEGIN(bugprone-reserved-identifier): the C library's names
void _exit(int status);
void _Exit(int status) TENSORLANE_THROWS_NOTHING;
void quick_exit(int status) TENSORLANE_THROWS_NOTHING;
// NOLINTEND(bugprone-reserved-identifier)

#ifdef __cplusplus
}
#endif

#endif  // TENSORLANE_BMLIB_PROCESS_EXIT_H_
