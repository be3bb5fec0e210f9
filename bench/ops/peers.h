// What a command is compared with: a loop, a function of the C library, memcpy, oneDNN or OpenBLAS.
#ifndef TENSORLANE_BENCH_OPS_PEERS_H_
#define TENSORLANE_BENCH_OPS_PEERS_H_

#include <functional>
#include <string>

#include "peer_choice.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::bench {

struct Peer {
  std::string name;
  std::function<void()> run;  // nothing where this processor has no such peer: the name says so
};
// With operands of its own, dense and as large as those of `command`; oneDNN and OpenBLAS are given
// by products.h.
Peer make_peer(const Command& command, const PeerChoice& choice);

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_OPS_PEERS_H_
