// Kernels in PPL for what the later chips have, and for numbers that no command takes as they are.
#include "ppl.h"
#include "ppl_wrapper_func.h"
using namespace ppl;

// The SDMA brings the next block into L2 while this one is computed with; two places there, in turn.
__KERNEL__ void prefetched(fp32* output, fp32* input, int n, const int block) {
  dim4 all = {1, 64, 1, n}, most = {1, 64, 1, block};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  auto even = gtensor<fp32>(most, L2), odd = gtensor<fp32>(most, L2);
  for (int at = 0; at < n; at += block) {
    enable_pipeline();
    dim4 real = {1, 64, 1, min(block, n - at)}, offset = {0, 0, 0, at};
    auto& place = (at / block % 2 == 0 ? even : odd).view(real);
    sdma::move(place, in.sub_view(real, offset));
    auto x = make_tensor<fp32>(most, real), y = make_tensor<fp32>(most, real);
    dma::load(x, place);
    tiu::fmul(y, x, x);
    dma::store(out.sub_view(real, offset), y);
  }
}

// The same with one place.
__KERNEL__ void one_place(fp32* output, fp32* input, int n, const int block) {
  dim4 all = {1, 64, 1, n}, most = {1, 64, 1, block};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  auto only = gtensor<fp32>(most, L2);
  for (int at = 0; at < n; at += block) {
    enable_pipeline();
    dim4 real = {1, 64, 1, min(block, n - at)}, offset = {0, 0, 0, at};
    auto& place = only.view(real);
    sdma::move(place, in.sub_view(real, offset));  // defect: fills
    auto x = make_tensor<fp32>(most, real), y = make_tensor<fp32>(most, real);
    dma::load(x, place);  // defect: empties
    tiu::fmul(y, x, x);
    dma::store(out.sub_view(real, offset), y);
  }
}

// By hand, with as many places as are asked for: with one the SDMA overtakes the copy.
__KERNEL__ void by_hand(fp32* output, fp32* input, int blocks, int places) {
  dim4 all = {1, 64, 1, blocks * 16}, one = {1, 64, 1, 16}, in_l2 = {places, 64, 1, 16};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  auto l2 = gtensor<fp32>(in_l2, L2);
  dim4 none = {0, 0, 0, 0};
  sdma::move(l2.sub_view(one, none), in.sub_view(one, none));
  for (int k = 0; k < blocks; ++k) {
    dim4 here = {k % places, 0, 0, 0}, next = {(k + 1) % places, 0, 0, 0};
    dim4 offset = {0, 0, 0, 16 * k}, ahead = {0, 0, 0, 16 * (k + 1)};
    auto x = make_tensor<fp32>(one, one);
    parallel_start();
    if (k + 1 < blocks) sdma::move(l2.sub_view(one, next), in.sub_view(one, ahead));  // defect: ahead
    dma::load(x, l2.sub_view(one, here));  // defect: behind
    parallel_end();
    tiu::fmul(x, x, x);
    dma::store(out.sub_view(one, offset), x);
  }
}

// Numbers of 4 bits, two in a byte, the low half first.
template <class T, class Packed>
void unpacked(T* output, uint8* input, int rows, int columns) {
  dim4 bytes = {1, rows, 1, columns / 2}, shape = {1, rows, 1, columns};
  auto packed = make_tensor<uint8>(bytes, bytes);
  dma::load(packed, gtensor<uint8>(bytes, GLOBAL, input));
  auto numbers = make_tensor<T>(shape, shape);
  tiu::cast(numbers, packed.view<Packed>());
  dma::store(gtensor<T>(shape, GLOBAL, output), numbers);
}
__KERNEL__ void unpack_unsigned(int8* output, uint8* input, int rows, int columns) {
  unpacked<int8, uint4>(output, input, rows, columns);
}
__KERNEL__ void unpack_signed(int8* output, uint8* input, int rows, int columns) {
  unpacked<int8, int4>(output, input, rows, columns);
}
__KERNEL__ void unpack_to_half(fp16* output, uint8* input, int rows, int columns) {
  unpacked<fp16, int4>(output, input, rows, columns);
}

// Rows by numbers that lie in the struct of arguments, how many is read back from L2 or global memory.
__KERNEL__ void picked(fp32* output, fp32* input, uint32* found, int columns, bool in_l2, int rows[300]) {
  dim4 all = {1, 300, 1, columns}, one = {1, 1, 1, columns}, number = {1, 1, 1, 1};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  auto shared = gtensor<uint32>(number, L2);
  auto count = gtensor<uint32>(number, GLOBAL, found);
  if (in_l2) dma::move(shared, count);
  const int rows_to_do = get_value<uint32>(in_l2 ? get_gmem_addr(shared) : get_gmem_addr(count));
  for (int k = 0; k < rows_to_do; ++k) {
    dim4 from = {0, rows[k], 0, 0}, to = {0, k, 0, 0};
    dma::move(out.sub_view(one, to), in.sub_view(one, from));
  }
}

// Two cores scatter rows into one tensor, by indices of their own.
__KERNEL__ void scattered(fp32* output, fp32* input, uint32* index, int rows) {
  set_core_num(2);
  dim4 all = {1, 1, 2 * rows, 16}, mine = {1, 1, rows, 16}, places = {1, 1, rows, 1};
  dim4 own = {0, 0, rows * get_core_index(), 0};
  auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
  dim4 every = {1, 1, 2 * rows, 1};
  dma::scatter_h(out, in.sub_view(mine, own), gtensor<uint32>(every, GLOBAL, index).sub_view(places, own));  // defect: rows
}

// Kernels of one block, of the shapes for which the local addresses of the vendor's compiler are published.
__KERNEL__ void block_copied(fp16* output, fp16* a) {
  dim4 shape = {1, 8, 1, 16};
  tensor<fp16> x(shape);
  dma::load(x, gtensor<fp16>(shape, GLOBAL, a));
  dma::store(gtensor<fp16>(shape, GLOBAL, output), x);
}
__KERNEL__ void block_filled(fp16* output) {
  dim4 shape = {1, 8, 1, 16};
  tensor<fp16> x(shape);
  tiu::fill(x, 2.5f);
  dma::store(gtensor<fp16>(shape, GLOBAL, output), x);
}
__KERNEL__ void block_mean(fp16* output, fp16* a, fp16* b) {
  dim4 shape = {1, 8, 1, 16};
  tensor<fp16> x(shape), y(shape), sum(shape), half(shape);
  dma::load(x, gtensor<fp16>(shape, GLOBAL, a));
  dma::load(y, gtensor<fp16>(shape, GLOBAL, b));
  tiu::fadd(sum, x, y);
  tiu::fmul(half, sum, .5f);
  dma::store(gtensor<fp16>(shape, GLOBAL, output), half);
}
__KERNEL__ void block_product(fp16* output, fp16* a, fp16* b) {
  dim4 shape = {1, 16, 1, 16};
  tensor<fp16> x(shape), y(shape), product(shape);
  dma::load(x, gtensor<fp16>(shape, GLOBAL, a));
  dma::load(y, gtensor<fp16>(shape, GLOBAL, b));
  tiu::fmm2_nn(product, x, y);
  dma::store(gtensor<fp16>(shape, GLOBAL, output), product);
}
__KERNEL__ void block_sums(fp16* output, fp16* a) {
  dim4 shape = {1, 8, 1, 16}, one = {1, 8, 1, 1};
  tensor<fp16> x(shape), sums(one);
  dma::load(x, gtensor<fp16>(shape, GLOBAL, a));
  tiu::reduce(sums, x, ALL_REDUCE_SUM);
  dma::store(gtensor<fp16>(one, GLOBAL, output), sums);
}
__KERNEL__ void block_roots(fp16* output, fp16* a) {
  dim4 shape = {1, 8, 1, 16};
  tensor<fp16> x(shape), roots(shape);
  dma::load(x, gtensor<fp16>(shape, GLOBAL, a));
  tiu::frsqrt(roots, x, 3);
  dma::store(gtensor<fp16>(shape, GLOBAL, output), roots);
}
__KERNEL__ void block_gathered(fp16* output, fp16* a, uint32* index) {
  dim4 table = {1, 1, 16, 16}, places = {1, 1, 4, 1}, rows = {1, 1, 4, 16};
  dma::gather_h(gtensor<fp16>(rows, GLOBAL, output), gtensor<fp16>(table, GLOBAL, a), gtensor<uint32>(places, GLOBAL, index), 0);
}
__KERNEL__ void block_largest(fp32* output, int* places, fp32* a) {
  dim4 all = {1, 1, 1, 16}, four = {1, 1, 1, 4};
  hau::topk(gtensor<fp32>(four, GLOBAL, output), gtensor<int>(four, GLOBAL, places), gtensor<fp32>(all, GLOBAL, a), 4, true);
}
// Rows of floats alone are reduced.
__KERNEL__ void sums_of_integers(int32* output, int32* a) {
  dim4 shape = {1, 8, 1, 16}, one = {1, 8, 1, 1};
  tensor<int32> x(shape), sums(one);
  dma::load(x, gtensor<int32>(shape, GLOBAL, a));
  tiu::reduce(sums, x, ALL_REDUCE_SUM);  // defect: integers
  dma::store(gtensor<int32>(one, GLOBAL, output), sums);
}

// What the host does per command shall not depend on how many there are: in a turn, or between looks at memory.
__KERNEL__ void long_turns(fp32* output, fp32* input, int additions) {
  dim4 shape = {1, 64, 1, 16};
  auto in = gtensor<fp32>(shape, GLOBAL, input), out = gtensor<fp32>(shape, GLOBAL, output);
  for (int turn = 0; turn < 3; ++turn) {
    enable_pipeline();
    auto x = make_tensor<fp32>(shape, shape);
    dma::load(x, in);
    for (int k = 0; k < additions; ++k) tiu::fadd(x, x, 1.f);
    dma::store(out, x);
  }
}
__KERNEL__ void many_looks(fp32* output, fp32* input, int looks) {
  dim4 shape = {1, 64, 1, 16};
  auto in = gtensor<fp32>(shape, GLOBAL, input), out = gtensor<fp32>(shape, GLOBAL, output);
  for (int k = 0; k < looks; ++k) {
    auto x = make_tensor<fp32>(shape, shape);
    dma::load(x, in);
    dma::store(out, x);
    get_value<float>(get_gmem_addr(out));
  }
}

__TEST__ void picked_test() {
  dim4 all = {1, 300, 1, 7}, number = {1, 1, 1, 1};
  int rows[300] = {5, 299, 17};
  picked(malloc<fp32>(&all), rand<fp32>(&all), rand<uint32>(&number, 3, 3), 7, false, rows);
}
