// What the host passes to the kernel. Both read the same bytes: packed, with members of fixed size.
// host 传给 kernel 的参数。两边读同样的字节：紧凑排列，成员大小固定。
#ifndef MY_KERNEL_H_
#define MY_KERNEL_H_

typedef struct {
  unsigned long long output_addr;  // count floats
  unsigned long long input_addr;   // count floats
  long long count;
  float scale;
} __attribute__((packed)) my_kernel_args;

#endif  // MY_KERNEL_H_
