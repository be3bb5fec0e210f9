// Functions of the C library that libbmlib.so has too, so that programs linked with it call ours:
// they end the process without its atexit functions, and with these the reports of its devices, or
// make another program of it.
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
int execve(const char* path, char* const argv[], char* const envp[]) TENSORLANE_THROWS_NOTHING;
int execv(const char* path, char* const argv[]) TENSORLANE_THROWS_NOTHING;
int execvpe(const char* file, char* const argv[], char* const envp[]) TENSORLANE_THROWS_NOTHING;
int execvp(const char* file, char* const argv[]) TENSORLANE_THROWS_NOTHING;
int fexecve(int file, char* const argv[], char* const envp[]) TENSORLANE_THROWS_NOTHING;
int execveat(int folder, const char* path, char* const argv[], char* const envp[],
             int flags) TENSORLANE_THROWS_NOTHING;
int execl(const char* path, const char* first, ...) TENSORLANE_THROWS_NOTHING;
int execlp(const char* file, const char* first, ...) TENSORLANE_THROWS_NOTHING;
int execle(const char* path, const char* first, ...) TENSORLANE_THROWS_NOTHING;
// NOLINTEND(bugprone-reserved-identifier)

#ifdef __cplusplus
}
#endif

#endif  // TENSORLANE_BMLIB_PROCESS_EXIT_H_
