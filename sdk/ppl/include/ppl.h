// SPDX-License-Identifier: Apache-2.0
//
// ppl.h - kernels in the PPL dialect of C++ (`.pl` files), over tpu_kernel.h.
//
// A kernel is a function marked __KERNEL__. It describes tensors in local memory (`tensor`,
// `make_tensor`) and in global memory (`gtensor`), moves data with `dma::`, computes with `tiu::`:
//
//   #include "ppl.h"
//   using namespace ppl;
//   __KERNEL__ void twice(fp32* output, fp32* input, int n, const int block) {
//     dim4 all = {1, 1, 1, n};
//     auto in = gtensor<fp32>(all, GLOBAL, input), out = gtensor<fp32>(all, GLOBAL, output);
//     for (int at = 0; at < n; at += block) {
//       enable_pipeline();
//       dim4 real = {1, 1, 1, min(block, n - at)}, offset = {0, 0, 0, at};
//       auto x = make_tensor<fp32>(dim4{1, 1, 1, block}, real);
//       dma::load(x, in.sub_view(real, offset));
//       tiu::fadd(x, x, x);
//       dma::store(out.sub_view(real, offset), x);
//     }
//   }
//
// Nothing is carried out while the kernel runs: calls are recorded, local memory is given out by
// lifetime, loops with enable_pipeline() are cut into stages, and only then are commands issued
// (ppl/recorder.h). The rules of tpu_kernel.h hold for what is issued.
//
// `tensorlane ppl build FILE.pl -o kernel.so` and, in Python, `device.compile("FILE.pl")` compile a
// file with the headers of this folder. Names and meanings follow public kernels; where those leave
// something open, docs/ppl.md says what was chosen.
//
// C++17.

#ifndef TENSORLANE_PPL_H_
#define TENSORLANE_PPL_H_

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "ppl/cores.h"
#include "ppl/dma.h"
#include "ppl/dma_index.h"
#include "ppl/gtensor.h"
#include "ppl/hau.h"
#include "ppl/launch.h"
#include "ppl/numbers.h"
#include "ppl/sdma.h"
#include "ppl/tensor.h"
#include "ppl/test.h"
#include "ppl/tiu_arithmetic.h"
#include "ppl/tiu_compare.h"
#include "ppl/tiu_integer.h"
#include "ppl/tiu_matrix.h"
#include "ppl/tiu_move.h"
#include "ppl/tiu_unary.h"
#include "ppl/tiu_window.h"

#endif  // TENSORLANE_PPL_H_
