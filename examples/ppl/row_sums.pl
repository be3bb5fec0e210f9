// Sums of rows by several cores: each adds up its share of the columns and leaves that in L2; when all have done so, the
// first core adds the shares.
#include "ppl.h"
#include "ppl_wrapper_func.h"
using namespace ppl;

__KERNEL__ void row_sums(fp32* output, fp32* input, int rows, int columns, const int cores) {
  set_core_num(cores);
  const int count = get_core_num(), core = get_core_index();
  dim4 shape = {1, rows, 1, columns}, one = {1, rows, 1, 1}, shares = {1, rows, 1, count};
  auto in = gtensor<fp32>(shape, GLOBAL, input), out = gtensor<fp32>(one, GLOBAL, output);
  auto shared = gtensor<fp32>(shares, L2);
  auto sum = make_tensor<fp32>(one, one);
  const int share = div_up(columns, count), first = core * share, mine = min(share, columns - first);
  if (mine > 0) {
    dim4 most = {1, rows, 1, share}, real = {1, rows, 1, mine}, offset = {0, 0, 0, first};
    auto x = make_tensor<fp32>(most, real);
    dma::load(x, in.sub_view(real, offset));
    quick_pooling(sum, x, &most, &real, 0, 1);
  } else {
    tiu::fill(sum, 0.f);
  }
  dim4 own = {0, 0, 0, core};
  dma::store(shared.sub_view(one, own), sum);
  sync();
  if (core > 0) return;
  auto all = make_tensor<fp32>(shares, shares);
  dma::load(all, shared);
  auto result = make_tensor<fp32>(one, one);
  quick_pooling(result, all, &shares, &shares, 0, 1);
  dma::store(out, result);
}

__TEST__ void row_sums_test() {
  dim4 shape = {1, 70, 1, 1000}, one = {1, 70, 1, 1};
  row_sums(malloc<fp32>(&one), rand<fp32>(&shape, -1, 1), 70, 1000, 8);
}
