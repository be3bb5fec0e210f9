// The arguments of the kernel, of one core.
#ifndef EXAMPLES_TPUV7_SCALE_H_
#define EXAMPLES_TPUV7_SCALE_H_

#pragma pack(push, 1)
typedef struct {
  unsigned long long output, input;  // fp32
  int count;
  float factor;
} scale_args_t;
#pragma pack(pop)

#endif  // EXAMPLES_TPUV7_SCALE_H_
