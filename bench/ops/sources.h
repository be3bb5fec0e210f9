// What the commands of the benchmark read.
#ifndef TENSORLANE_BENCH_OPS_SOURCES_H_
#define TENSORLANE_BENCH_OPS_SOURCES_H_

#include <cstddef>
#include <span>

#include "tensorlane/ops/command.h"

namespace tensorlane::bench {

// Fills what the command reads: numbers between 1/2 and 1, small integers, indices that exist.
void fill_sources(const Command& command, std::span<std::byte* const> memory);

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_OPS_SOURCES_H_
