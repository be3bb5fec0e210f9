// Ends in ways that take a process down; `mode` says which.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "okk.h"

typedef struct {
  system_addr_t output;
  int mode;
} escapes_args;

static void* volatile nowhere = NULL;
static void (*volatile leave)(int) = _exit;  // a pointer, not a call

void escapes(const void* args) {
  const escapes_args* a = (const escapes_args*)args;
  dim4 shape = {1, 1, 1, 16};
  okk_initialize();
  switch (a->mode) {
    case 1:
      exit(3);
    case 2:
      leave(4);
      break;
    case 3:
      if (fork() == 0) execl("/bin/true", "true", (char*)NULL);
      break;
    case 4:
      execl("/bin/true", "true", (char*)NULL);
      break;
    case 5:
      puts((const char*)nowhere);
      break;
    case 6:
      printf("%s of many\n", (const char*)8);
      break;
    case 7:
      free((char*)malloc(100) + 24);
      break;
    case 8: {  // what malloc() finds holding its lock
      for (int k = 0; k < 8; ++k) nowhere = malloc(100000);
      char* const end = (char*)nowhere;
      memset(end + 100000, 0xff, 64);
      nowhere = malloc(120000);
      break;
    }
    case 9:
      raise(SIGKILL);
      break;
    case 10:
      syscall(SYS_exit_group, 5);
      break;
    case 11:
      *(volatile int*)8 = 1;
      break;
    case 12:
      for (;;) {
      }
    case 13:
      putenv((char*)nowhere);
      break;
    default:
      printf("mode %d\n", a->mode);
  }
  okk_gdma_32bit_set_C_system(a->output, (x32){.fp32 = 1}, &shape, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(escapes)
