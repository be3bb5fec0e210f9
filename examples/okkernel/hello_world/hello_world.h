// The argument block, read the same way by host and device: packed, fixed-size members.
#ifndef EXAMPLES_OKKERNEL_HELLO_WORLD_H_
#define EXAMPLES_OKKERNEL_HELLO_WORLD_H_

#define HELLO_WORLD_MAGIC 1684

typedef struct {
  int magic;
  unsigned long long answer_addr;  // out: one float
} __attribute__((packed)) hello_world_args;

#endif  // EXAMPLES_OKKERNEL_HELLO_WORLD_H_
