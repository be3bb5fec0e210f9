// What the host tells the kernel. Both read the same bytes: members of fixed size, packed.
#ifndef ARGS_H_
#define ARGS_H_

typedef struct {
  int number;
  unsigned long long answer_addr;  // one float in device memory
} __attribute__((packed)) hello_args;

#endif  // ARGS_H_
