// What the host hands to every kernel.
#ifndef ARGS_H
#define ARGS_H

typedef struct {
  unsigned long long out, x, y, z;
} __attribute__((packed)) args_t;

// One thing of a kernel: as it is where the kernel is wrong, and as it should be. The line with it
// is the guilty one.
#ifdef RIGHT
#define PICK(wrong, right) right
#else
#define PICK(wrong, right) wrong
#endif

#endif
