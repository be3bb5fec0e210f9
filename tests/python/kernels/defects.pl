// Kernels in PPL with one defect each, which the tests look for at its line.
#include "ppl.h"
#include "ppl_wrapper_func.h"
using namespace ppl;

// The accumulator is never cleared.
__KERNEL__ void no_zero(fp32* output, fp32* input, int n, const int block) {
  dim4 all = {1, 64, 1, n}, most = {1, 64, 1, block}, one = {1, 64, 1, 1};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(one, GLOBAL, output);
  auto sum = make_tensor<fp32>(one, one);
  for (int at = 0; at < n; at += block) {
    enable_pipeline();
    dim4 real = {1, 64, 1, min(block, n - at)}, offset = {0, 0, 0, at};
    auto x = make_tensor<fp32>(most, real);
    dma::load(x, in.sub_view(real, offset));
    auto part = make_tensor<fp32>(one, one);
    quick_pooling(part, x, &most, &real, 0, 1);
    tiu::fadd(sum, sum, part);  // defect: sum
  }
  dma::store(out, sum);
}

// The last block is shorter than its real shape says.
__KERNEL__ void no_tail(fp32* output, fp32* input, int n, const int block) {
  dim4 all = {1, 64, 1, n}, real = {1, 64, 1, block};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  for (int at = 0; at < n; at += block) {
    enable_pipeline();
    dim4 offset = {0, 0, 0, at};
    auto x = make_tensor<fp32>(real, real);
    dma::load(x, in.sub_view(real, offset));  // defect: tail
    tiu::fadd(x, x, 1);
    dma::store(out.sub_view(real, offset), x);
  }
}

// A real shape that its block does not hold.
__KERNEL__ void wrong_real_shape(fp32* output, fp32* input, int n, const int block) {
  dim4 all = {1, 64, 1, n}, most = {1, 64, 1, block};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  auto x = make_tensor<fp32>(most, all);  // defect: real shape
  dma::load(x, in);
  dma::store(out, x);
}

// A tensor outside of the loop: the copy of a turn meets what the turn before computes with.
__KERNEL__ void shared_buffer(fp32* output, fp32* input, int n, const int block) {
  dim4 all = {1, 64, 1, n}, most = {1, 64, 1, block};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  auto x = tensor<fp32>(most);
  for (int at = 0; at < n; at += block) {
    enable_pipeline();
    dim4 real = {1, 64, 1, min(block, n - at)}, offset = {0, 0, 0, at};
    dma::load(x.view(real), in.sub_view(real, offset));  // defect: later
    auto y = make_tensor<fp32>(most, real);
    tiu::fadd(y, x.view(real), 1);  // defect: earlier
    dma::store(out.sub_view(real, offset), y);
  }
}

// Each turn reads from global memory what the one before stores there.
__KERNEL__ void running_sum(fp32* data, int n, const int block) {
  dim4 all = {1, 64, 1, n}, real = {1, 64, 1, block};
  auto numbers = gtensor<fp32>(all, GLOBAL, data);
  for (int at = block; at < n; at += block) {
    enable_pipeline();
    dim4 here = {0, 0, 0, at}, before = {0, 0, 0, at - block};
    auto x = make_tensor<fp32>(real, real), y = make_tensor<fp32>(real, real);
    dma::load(x, numbers.sub_view(real, here));
    dma::load(y, numbers.sub_view(real, before));  // defect: reads
    tiu::fadd(x, x, y);
    dma::store(numbers.sub_view(real, here), x);  // defect: stores
  }
}

// Tensors of `block` columns, three of them alive at once.
template <typename T>
void three(gtensor<T>& out, gtensor<T>& in, const int block) {
  dim4 shape = {1, 64, 1, block};
  auto x = make_tensor<T>(shape, shape);  // defect: most
  dma::load(x, in);
  auto y = make_tensor<T>(shape, shape);
  tiu::fmul(y, x, x);
  auto z = make_tensor<T>(shape, shape);
  tiu::fadd(z, x, y);
  dma::store(out, z);
}
__KERNEL__ void three_at_once(fp32* output, fp32* input, const int block) {
  dim4 all = {1, 64, 1, block};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  three<fp32>(out, in, block);
}

// Each core leaves a number in L2, and all read those of the others before they have to be there.
__KERNEL__ void no_sync(fp32* output, fp32* input) {
  set_core_num(2);
  dim4 both = {1, 1, 1, 2}, one = {1, 1, 1, 1}, own = {0, 0, 0, get_core_index()};
  auto in = gtensor<fp32>(both, GLOBAL, input), out = gtensor<fp32>(both, GLOBAL, output);
  auto shared = gtensor<fp32>(both, L2);
  auto x = make_tensor<fp32>(one, one);
  dma::load(x, in.sub_view(one, own));
  dma::store(shared.sub_view(one, own), x);  // defect: shares
  auto y = make_tensor<fp32>(both, both);
  dma::load(y, shared);  // defect: takes
  auto sum = make_tensor<fp32>(one, one);
  quick_pooling(sum, y, &both, &both, 0, 1);
  dma::store(out.sub_view(one, own), sum);
}

// What a test does wrong.
__TEST__ void right_test() {
  dim4 shape = {1, 1, 1, 2};
  no_sync(malloc<fp32>(&shape), rand<fp32>(&shape, 1, 2));
}
__TEST__ void empty_test() {
  dim4 shape = {1, 64, 1, 10};
  no_zero(malloc<fp32>(&shape), malloc<fp32>(&shape), 10, 16);
}
__TEST__ void assert_test() {
  assert(1 + 1 == 3);  // defect: assertion
}
