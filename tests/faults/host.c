// The host of kernels.c: launches the kernel that it is given, then one that is right, to show that
// the device goes on. `host KERNEL [WAY]`: the way the host itself ends.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bmlib_runtime.h"

#ifdef BACKEND_1684X
#define okkernel_launch_sync tpu_kernel_launch_sync
#endif

int main(int argc, char** argv) {
  const char* const way = argc > 2 ? argv[2] : "";
  bm_handle_t handle;
  if (argc < 2 || bm_dev_request(&handle, 0) != BM_SUCCESS) return 9;
  printf("launch %s\n", argv[1]);
  fflush(stdout);
  const bm_status_t ended = okkernel_launch_sync(handle, argv[1], NULL, 0);
  printf("%s\n", ended == BM_SUCCESS ? "succeeded" : "failed");
  const bm_status_t next = okkernel_launch_sync(handle, "good", NULL, 0);
  printf("the next %s\n", next == BM_SUCCESS ? "succeeded" : "failed");
  fflush(stdout);
  if (strcmp(way, "wait") == 0) pause();
  if (strcmp(way, "crash") == 0) *(volatile int*)8 = 1;
  if (strcmp(way, "_exit") == 0) _exit(0);
  if (strcmp(way, "quick_exit") == 0) quick_exit(0);
  // The first does not start: the process goes on as itself. Children that become
  // another program leave the reports to their parent.
  if (strncmp(way, "exec", 4) == 0) {
    char* const words[] = {"true", NULL};
    if (execv("/no/such/program", words) != -1) return 9;
    const pid_t child = fork();
    if (child == 0) execlp("true", "true", (char*)NULL);
    if (child < 0 || waitpid(child, NULL, 0) != child) return 9;
    if (strcmp(way, "execl") == 0) execl("/bin/sh", "sh", "-c", "exit 0", (char*)NULL);
    if (strcmp(way, "execlp") == 0) execlp("true", "true", (char*)NULL);
    if (strcmp(way, "execve") == 0) execve("/bin/true", words, words + 1);
    return 9;
  }
  if (strcmp(way, "alarm") == 0) {
    alarm(1);
    pause();
  }
  if (strcmp(way, "pipe") == 0) {
    int ends[2];
    if (pipe(ends) != 0 || close(ends[0]) != 0) return 9;
    if (write(ends[1], "x", 1) >= 0) return 9;
  }
  if (strcmp(way, "kill") == 0) raise(SIGKILL);
  bm_dev_free(handle);
  return 0;
}
