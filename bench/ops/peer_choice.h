// Which peer a function is compared with.
//
// A table chooses by the names of operations in the function's name, in order; what it does not
// know follows from the entry: a new function has a peer without being named.
#ifndef TENSORLANE_BENCH_OPS_PEER_CHOICE_H_
#define TENSORLANE_BENCH_OPS_PEER_CHOICE_H_

#include <string_view>

#include "tensorlane/ops/op.h"

namespace tensorlane::bench {

enum class PeerKind {
  kCopy,         // memcpy of the bytes moved
  kFill,         // memset of the bytes written
  kSpread,       // a loop that writes a few bytes to each of as many places, as far apart
  kTranspose,    // a blocked loop
  kGather,       // a loop: dst[i] = src[index[i]]
  kScatter,      // a loop: dst[index[i]] = src[i]
  kMask,         // a loop that keeps what a mask names
  kReverse,      // std::reverse_copy
  kSort,         // std::sort, std::stable_sort where positions come with the values
  kSuppression,  // a loop: the best box, by whose factors the others are multiplied
  kOuter,        // a loop: dst[i, j] = a[i] + b[j], or / with the operation "div"
  kRowSum,       // a loop: the sum of each channel
  kPolynomial,   // a loop: as many terms as the command has
  kLoop,         // a loop with the operation named
  kLibrary,      // a loop with the C library's function named
  kConvolution,
  kDepthwise,
  kPool,    // oneDNN
  kMatrix,  // OpenBLAS in fp32, oneDNN else
};

struct PeerChoice {
  PeerKind kind;
  std::string_view operation = {};  // of kLoop, kLibrary and kOuter
};
PeerChoice choose_peer(const Op& op);

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_OPS_PEER_CHOICE_H_
