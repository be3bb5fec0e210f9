// int8 convolution, some rows of an image at a time: while a tile of rows is convolved, the next is
// loaded and the one before is stored. Weight and bias stay in local memory.
//
// The weight arrives in 64IC storage: 64 input channels of a kernel position side by side, packed
// by the host. GDMA knows nothing of that; per output channel it is a row of bytes.
#include "conv2d.h"

#include "tpu_kernel.h"

static int output_extent(const conv2d_args* p, int extent, int kernel) {
  return (extent + 2 * p->pad - ((kernel - 1) * p->dilation + 1)) / p->stride + 1;
}

// Output rows of an image, and the input rows that they need.
typedef struct {
  dim4 input, output;
  padding_t padding;
  unsigned long long input_offset, output_offset;  // bytes, in global memory
} Tile;

// Tile `i` where an image is cut into tiles of `rows` output rows.
static Tile tile(const conv2d_args* p, int rows, int i) {
  const int output_h = output_extent(p, p->h, p->kernel_h);
  const int output_w = output_extent(p, p->w, p->kernel_w);
  const int per_image = DIV_UP(output_h, rows);
  const int n = i / per_image, first = i % per_image * rows;
  const int count = MIN(rows, output_h - first);
  const int top = first * p->stride - p->pad;
  const int end = top + (count - 1) * p->stride + (p->kernel_h - 1) * p->dilation + 1;
  const int begin = MAX(top, 0), height = MIN(end, p->h) - begin;
  const Tile t = {.input = {.n = 1, .c = p->ic, .h = height, .w = p->w},
                  .output = {.n = 1, .c = p->oc, .h = count, .w = output_w},
                  .padding = {begin - top, end - begin - height, p->pad, p->pad},
                  .input_offset = ((unsigned long long)n * p->ic * p->h + begin) * p->w,
                  .output_offset = ((unsigned long long)n * p->oc * output_h + first) * output_w};
  return t;
}

static unsigned int bytes(int channels, int h, int w) {
  const dim4 shape = {.n = 1, .c = channels, .h = h, .w = w};
  return tpu_get_local_size(&shape, DT_INT8, 0, true);
}

void conv2d(const void* args) {
  const conv2d_args* p = (const conv2d_args*)args;
  const int output_h = output_extent(p, p->h, p->kernel_h);
  const int output_w = output_extent(p, p->w, p->kernel_w);
  TPUKERNEL_ASSERT(p->pad <= (p->kernel_h - 1) * p->dilation);  // no tile of padding alone
  const dim2 kernel = {.h = p->kernel_h, .w = p->kernel_w};
  const dim2 stride = {.h = p->stride, .w = p->stride};
  const dim2 dilation = {.h = p->dilation, .w = p->dilation};
  const dim4 weight = {
      .n = 1, .c = p->oc, .h = 1, .w = DIV_UP(p->ic, 64) * p->kernel_h * p->kernel_w * 64};
  const dim4 bias = {.n = 1, .c = p->oc, .h = 1, .w = 1};
  // Where rows lie in global memory; a tile has one image, so the stride of N does not matter.
  const dim4 input_stride = {.n = 0, .c = p->h * p->w, .h = p->w, .w = 1};
  const dim4 output_stride = {.n = 0, .c = output_h * output_w, .h = output_w, .w = 1};

  // At least four tiles per image, so that copies hide behind convolutions; more where two of each
  // kind do not fit beside the weight.
  const local_addr_t weight_at = 0;
  const local_addr_t bias_at = weight_at + tpu_get_local_size(&weight, DT_INT8, 0, false);
  const local_addr_t tiles_at = ALIGN(bias_at + tpu_get_local_size(&bias, DT_INT16, 0, false), 64);
  local_addr_t input[2], output[2];
  int rows = DIV_UP(output_h, 4);
  for (;; --rows) {
    TPUKERNEL_ASSERT(rows > 0);
    const int input_rows = (rows - 1) * p->stride + (p->kernel_h - 1) * p->dilation + 1;
    const unsigned int input_bytes = bytes(p->ic, MIN(input_rows, p->h), p->w);
    const unsigned int output_bytes = bytes(p->oc, rows, output_w);
    input[0] = tiles_at;
    input[1] = input[0] + input_bytes;
    output[0] = input[1] + input_bytes;
    output[1] = output[0] + output_bytes;
    if (output[1] + output_bytes <= (unsigned)LOCAL_MEM_SIZE) break;
  }

  tpu_initialize();
  tpu_gdma_compact_S2L(weight_at, p->weight_addr, &weight, DT_INT8);
  tpu_gdma_compact_S2L(bias_at, p->bias_addr, &bias, DT_INT16);
  const int tiles = p->n * DIV_UP(output_h, rows);
  for (int step = 0; step < tiles + 2; ++step) {
    tpu_parallel_start();
    if (step < tiles) {
      const Tile t = tile(p, rows, step);
      tpu_gdma_cpy_S2L(input[step % 2], p->input_addr + t.input_offset, &t.input, NULL,
                       &input_stride, DT_INT8);
    }
    if (step >= 2) {
      const Tile t = tile(p, rows, step - 2);
      tpu_gdma_cpy_L2S(p->output_addr + t.output_offset, output[step % 2], &t.output,
                       &output_stride, NULL, DT_INT8);
    }
    if (step >= 1 && step <= tiles) {
      const Tile t = tile(p, rows, step - 1);
      tpu_bdc_int8_sym_quant_conv2d(output[(step - 1) % 2], input[(step - 1) % 2], weight_at,
                                    bias_at, &t.input, NULL, p->oc, &kernel, &t.padding, &stride,
                                    &dilation, DT_INT8, DT_INT8, DT_INT8, DT_INT16,
                                    (unsigned char)p->shift, true, false);
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(conv2d)
