// What the sanitizers are told in every test program; linked into it where the build has one.

// The destructors of a thread that could not be stopped when leaks were looked for.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:__cxa_thread_atexit_impl\n";
}

// A test forks after launches, and its child opens a device of its own.
extern "C" const char* __tsan_default_options() {
  return "die_after_fork=0";
}
