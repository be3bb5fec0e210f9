// The peers of products: oneDNN and OpenBLAS, with operands in the formats they like best.
#ifndef TENSORLANE_BENCH_OPS_PRODUCTS_H_
#define TENSORLANE_BENCH_OPS_PRODUCTS_H_

#include "peers.h"

namespace tensorlane::bench {

// Both keep to one thread from now on. OpenBLAS has to be told before the process starts, where it
// does not know the processor: then this starts the program again.
void one_thread(char** argv);

Peer convolution_peer(const Command& command, bool depthwise);
Peer pool_peer(const Command& command);
Peer matrix_peer(const Command& command);

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_OPS_PRODUCTS_H_
