// Which bytes hold a value that somebody wrote, and who wrote it.
//
// Every byte of every memory has a mark: unwritten, written by a writer (the caller numbers them),
// or undefined: written with a value that depends on bytes nobody wrote. The third state is what
// keeps correct kernels free of alarms. Reading an unwritten byte is no bug yet: copies of a whole
// buffer carry its alignment gaps and dummy lanes along, and arithmetic on a flat superset computes
// with them, but nothing comes of it. So commands pass the state on, element by element, and a
// finding is made where an undefined value arrives: the host reads it, or it decides where elements
// go. The mark then leads back to where it came from.
#ifndef TENSORLANE_TRAIL_INIT_SHADOW_H_
#define TENSORLANE_TRAIL_INIT_SHADOW_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/layout/layout.h"
#include "tensorlane/trail/mark_map.h"

namespace tensorlane::trail {

inline constexpr Mark kUndefinedBit = 0x80000000u;
constexpr bool is_defined(Mark mark) {
  return mark != kUnwritten && (mark & kUndefinedBit) == 0;
}

// The shape of a memory: `npus` memories of `npu_bytes` bytes, or one linear memory (npus 1).
struct MemoryShape {
  int npus = 1;
  std::int64_t npu_bytes = 0;
};

// Bytes of one memory with the same mark; of `npus` NPUs alike from `npu` on.
struct MarkedBytes {
  int npu = 0;
  int npus = 1;
  Range offsets{0, 0};
  Mark mark = kUnwritten;
  friend bool operator==(const MarkedBytes&, const MarkedBytes&) = default;
};

class InitShadow {
 public:
  explicit InitShadow(std::span<const MemoryShape> memories);

  // Nobody wrote anything (again).
  void forget(int memory) { own(memory).clear(); }
  void write(int memory, const Footprint& footprint, Mark writer) {
    own(memory).assign(footprint, writer);
  }

  // Whether every byte of a footprint holds a defined value; `writers` gets the different marks of
  // those that do.
  [[gnu::hot]] bool scan(int memory, const Footprint& footprint, std::vector<Mark>& writers) const;

  // The bytes of a footprint that hold no defined value, at most `limit` pieces.
  std::vector<MarkedBytes> undefined(int memory, const Footprint& footprint,
                                     std::size_t limit = 64) const;

  // An undefined source element and the destination bytes that depend on it; linear addresses.
  struct Dependence {
    Range destination;
    Mark mark;
  };
  // What of `destination` depends on undefined bytes of `source`, element by element; the layouts
  // have the same extents. `bytewise`: a copy, whose bytes are independent of each other.
  std::vector<Dependence> dependences(const Layout& destination, int source_memory,
                                      const Layout& source, bool bytewise) const;
  // What linear addresses of a memory hold; `mark` is that of bytes that are all undefined alike.
  enum class State : std::uint8_t { kDefined, kUndefined, kMixed };
  State state(int memory, Range bytes, Mark& mark) const;
  // Calls f(begin, end, mark) for the pieces of linear addresses of a memory, in order.
  template <class F>
  void visit(int memory, Range bytes, F f) const {
    while (bytes.begin < bytes.end) {
      std::int64_t offset = 0;
      const LaneMaps::View map = view_at(memory, bytes.begin, offset);
      const MemoryShape& shape = shapes_[static_cast<std::size_t>(memory)];
      const std::int64_t base = bytes.begin - offset;
      const std::int64_t end =
          shape.npus > 1 ? std::min(bytes.end, base + shape.npu_bytes) : bytes.end;
      const bool on = map.visit({offset, end - base}, [&](std::int64_t a, std::int64_t b, Mark m) {
        return f(base + a, base + b, m);
      });
      if (!on) return;
      bytes.begin = end;
    }
  }
  // Gives linear addresses of a memory a mark.
  void write_linear(int memory, Range bytes, Mark mark);

  const LaneMaps& maps(int memory) const { return maps_[static_cast<std::size_t>(memory)]; }

 private:
  LaneMaps& own(int memory) { return maps_[static_cast<std::size_t>(memory)]; }
  LaneMaps::View view_at(int memory, std::int64_t address, std::int64_t& offset) const;

  std::vector<MemoryShape> shapes_;
  std::vector<LaneMaps> maps_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_INIT_SHADOW_H_
