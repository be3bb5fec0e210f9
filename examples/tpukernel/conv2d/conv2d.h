// Arguments of the kernel, shared by device and host.
#ifndef EXAMPLES_TPUKERNEL_CONV2D_H_
#define EXAMPLES_TPUKERNEL_CONV2D_H_

typedef struct {
  unsigned long long output_addr;  // int8, n x oc x oh x ow
  unsigned long long input_addr;   // int8, n x ic x h x w
  unsigned long long weight_addr;  // int8 in 64IC storage, see pack_64ic of the host
  unsigned long long bias_addr;    // int16, oc
  int n, ic, h, w, oc;
  int kernel_h, kernel_w, pad, stride, dilation;
  int shift;
} __attribute__((packed)) conv2d_args;

#endif  // EXAMPLES_TPUKERNEL_CONV2D_H_
