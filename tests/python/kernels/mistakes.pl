// Kernels in PPL with one mistake each, at the line that says so.
#include "ppl.h"
#include "ppl_wrapper_func.h"
using namespace ppl;

// A parallel region of one's own, in which a computation reads what is being copied.
__KERNEL__ void own_region(fp32* output, fp32* input, int n, const int block) {
  dim4 all = {1, 64, 1, n};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  dim4 most = {1, 64, 1, block}, zero = {0, 0, 0, 0};
  auto x = make_tensor<fp32>(most, most), y = make_tensor<fp32>(most, most);
  parallel_start();
  dma::load(x, in.sub_view(most, zero));  // mistake: own_region
  tiu::fmul(y, x, 2.f);
  parallel_end();
  dma::store(out.sub_view(most, zero), y);
}

// A row for all channels that was loaded with the shape of all of them.
__KERNEL__ void broadcast_forgotten(fp32* output, fp32* input, fp32* row, int n) {
  dim4 all = {1, 64, 1, n};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  dim4 line = {1, 1, 1, n};
  auto x = make_tensor<fp32>(all, all), r = make_tensor<fp32>(all, all);
  dma::load(x, in);
  dma::load(r, gtensor<fp32>(all, GLOBAL, row));  // mistake: broadcast_forgotten
  tiu::fadd(x, x, r);
  dma::store(out, x);
}

// Copies do not convert.
__KERNEL__ void wrong_type(fp16* output, fp32* input, int n) {
  dim4 all = {1, 64, 1, n};
  auto x = make_tensor<fp16>(all, all);
  dma::load(x, gtensor<fp32>(all, GLOBAL, input));  // mistake: wrong_type
  dma::store(gtensor<fp16>(all, GLOBAL, output), x);
}

// A view with a stride that leaves its tensor.
__KERNEL__ void wrong_stride(fp32* output, fp32* input, int n) {
  dim4 all = {1, 64, 1, n};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  dim4 half = {1, 64, 1, n / 2}, stride = {n, n, n, 3}, zero = {0, 0, 0, 0};
  auto x = make_tensor<fp32>(all, all), y = make_tensor<fp32>(half, half);
  dma::load(x, in);
  tiu::fmul(y, x.view(half, stride), 1.f);  // mistake: wrong_stride
  dma::store(out.sub_view(half, zero), y);
}

// The tail is dropped.
__KERNEL__ void dropped(fp32* output, fp32* input, int n, const int block) {
  dim4 all = {1, 64, 1, n};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  dim4 most = {1, 64, 1, block};
  for (int at = 0; at + block <= n; at += block) {
    enable_pipeline();
    dim4 offset = {0, 0, 0, at};
    auto x = make_tensor<fp32>(most, most);
    dma::load(x, in.sub_view(most, offset));
    tiu::fmul(x, x, 2.f);
    dma::store(out.sub_view(most, offset), x);  // mistake: dropped
  }
}

// Inner extents that do not go together.
__KERNEL__ void inner(fp32* output, fp16* input, int n) {
  dim4 a = {1, 64, 1, n}, b = {1, n + 1, 1, 16}, c = {1, 64, 1, 16};
  auto x = make_tensor<fp16>(a, a), y = make_tensor<fp16>(b, b);
  auto z = make_tensor<fp32>(c, c);
  dma::load(x, gtensor<fp16>(a, GLOBAL, input));
  tiu::zero(y);
  tiu::fmm2(z, x, y, false, false, false, false, false, DT_FP32);  // mistake: inner
  dma::store(gtensor<fp32>(c, GLOBAL, output), z);
}

// Shapes of a sum that do not go together.
__KERNEL__ void unlike(fp32* output, fp32* input, int n) {
  dim4 all = {1, 64, 1, n};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  dim4 half = {1, 64, 1, n / 2};
  auto x = make_tensor<fp32>(all, all), y = make_tensor<fp32>(half, half), z = make_tensor<fp32>(all, all);
  dma::load(x, in);
  tiu::zero(y);
  tiu::fadd(z, x, y);  // mistake: unlike
  dma::store(out, z);
}

// A sub_view that leaves its gtensor but not the allocation.
__KERNEL__ void wrong_part(fp32* output, fp32* input, int n, const int block) {
  dim4 most = {1, 64, 1, block}, all = {1, 64, 1, n}, offset = {0, 0, 0, n - block / 2}, zero = {0, 0, 0, 0};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  auto x = make_tensor<fp32>(most, most);
  dma::load(x, in.sub_view(most, offset));  // mistake: wrong_part
  dma::store(out.sub_view(most, zero), x);
}
