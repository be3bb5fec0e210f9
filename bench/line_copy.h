// What the places of a conversion cost by themselves: lines of 64 bytes are moved whole between the
// lines that the conversion reads and those that it writes, each once, in the order in which one
// side has them. Nothing is put in another order within a line, so that no conversion of the same
// layouts that goes through memory in either order can be much faster.
#ifndef TENSORLANE_BENCH_LINE_COPY_H_
#define TENSORLANE_BENCH_LINE_COPY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensorlane/layout/fold.h"

namespace tensorlane::bench {

class LineCopy {
 public:
  // How the lines are gone through, of which one or another is the fastest.
  struct Way {
    bool by_source = false;  // front to back in the source, else in the destination
    bool stream = false;     // written past the caches, where the processor has such stores
    bool ahead = false;      // asked for 16 lines ahead
  };

  // Of layouts whose address 0 begins a line.
  LineCopy(const Layout& to, const Layout& from);

  void run(const Way& way, std::byte* dst, const std::byte* src) const;

 private:
  struct Pair {
    std::uint32_t to, from;
  };
  std::vector<Pair> by_destination_, by_source_;
};

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_LINE_COPY_H_
