#include "tensorlane/trail/init_shadow.h"

#include <algorithm>
#include <cstdlib>

namespace tensorlane::trail {

InitShadow::InitShadow(std::span<const MemoryShape> memories)
    : shapes_(memories.begin(), memories.end()) {
  for (const MemoryShape& shape : shapes_) maps_.emplace_back(shape.npus, shape.npu_bytes);
}

bool InitShadow::scan(int memory, const Footprint& footprint, std::vector<Mark>& writers) const {
  constexpr std::size_t kFew = 16;  // that many are compared one by one
  bool defined = true;
  writers.clear();
  const auto note = [&](Mark mark) {
    if (!is_defined(mark)) {
      defined = false;
      return;
    }
    const auto few = writers.begin() + static_cast<std::ptrdiff_t>(std::min(writers.size(), kFew));
    if (std::find(writers.begin(), few, mark) == few &&
        (writers.size() <= kFew || writers.back() != mark)) {
      writers.push_back(mark);
    }
  };
  maps(memory).visit(
      footprint, [&](int, int, const LaneMaps::View& map, const ByteBox& box, std::int64_t origin) {
        const Range bounds = box.bounds();
        Mark mark = kUnwritten;
        if (map.uniform({bounds.begin + origin, bounds.end + origin}, mark)) {
          note(mark);
        } else {
          for_each_run(box, origin, [&](std::int64_t begin, std::int64_t end) {
            map.visit({begin, end}, [&](std::int64_t, std::int64_t, Mark each) {
              note(each);
              return true;
            });
          });
        }
        return true;
      });
  if (writers.size() > kFew) {
    const auto rest = writers.begin() + static_cast<std::ptrdiff_t>(kFew);
    std::sort(rest, writers.end());
    writers.erase(std::unique(rest, writers.end()), writers.end());
  }
  return defined;
}

std::vector<MarkedBytes> InitShadow::undefined(int memory, const Footprint& footprint,
                                               std::size_t limit) const {
  std::vector<MarkedBytes> found;
  std::vector<Range> ranges;
  maps(memory).visit(footprint, [&](int npu, int npus, const LaneMaps::View& map,
                                    const ByteBox& box, std::int64_t origin) {
    ranges.clear();
    collect_runs({&box, 1}, origin, ranges);
    for (const Range& range : ranges) {
      map.visit(range, [&](std::int64_t begin, std::int64_t end, Mark mark) {
        if (is_defined(mark)) return true;
        MarkedBytes* const last = found.empty() ? nullptr : &found.back();
        if (last != nullptr && last->npu == npu && last->npus == npus && last->mark == mark &&
            last->offsets.end == begin) {
          last->offsets.end = end;
        } else {
          found.push_back({npu, npus, {begin, end}, mark});
        }
        return true;
      });
      if (found.size() >= limit) return false;
    }
    return true;
  });
  return found;
}

LaneMaps::View InitShadow::view_at(int memory, std::int64_t address, std::int64_t& offset) const {
  const MemoryShape& shape = shapes_[static_cast<std::size_t>(memory)];
  const std::int64_t npu = shape.npus > 1 ? address / shape.npu_bytes : 0;
  offset = address - npu * shape.npu_bytes;
  return maps(memory).view(static_cast<int>(npu));
}

std::vector<InitShadow::Dependence> InitShadow::dependences(const Layout& destination,
                                                            int source_memory, const Layout& source,
                                                            bool bytewise) const {
  std::vector<Dependence> result;
  const std::int64_t from_bytes = source.element_units(), to_bytes = destination.element_units();
  const auto depends = [&](Range bytes, Mark mark) {
    if (!result.empty() && result.back().mark == mark &&
        result.back().destination.end == bytes.begin) {
      result.back().destination.end = bytes.end;
    } else {
      result.push_back({bytes, mark});
    }
  };
  for (const Box& box : fold({&destination, &source})) {
    const bool row = box.rank > 0;
    const Loop inner = row ? box.loops[static_cast<std::size_t>(box.rank) - 1] : Loop{1, {}};
    const bool dense = row && inner.stride[0] == to_bytes && inner.stride[1] == from_bytes;
    std::array<std::int64_t, kMaxLoops> at{};
    std::int64_t to = box.base[0], from = box.base[1];
    for (;;) {
      const std::int64_t pieces = dense ? 1 : inner.extent;
      const std::int64_t piece_bytes = dense ? inner.extent * from_bytes : from_bytes;
      for (std::int64_t i = 0; i < pieces; ++i) {
        const std::int64_t source_at = from + i * inner.stride[1];
        const std::int64_t destination_at = to + i * inner.stride[0];
        std::int64_t offset = 0;
        const LaneMaps::View map = view_at(source_memory, source_at, offset);
        map.visit({offset, offset + piece_bytes},
                  [&](std::int64_t begin, std::int64_t end, Mark mark) {
                    if (is_defined(mark)) return true;
                    begin -= offset;
                    end -= offset;
                    if (!bytewise || from_bytes != to_bytes) {  // whole elements
                      begin = begin / from_bytes * to_bytes;
                      end = (end + from_bytes - 1) / from_bytes * to_bytes;
                    }
                    depends({destination_at + begin, destination_at + end}, mark);
                    return true;
                  });
      }
      int k = box.rank - 2;
      for (; k >= 0; --k) {
        const Loop& loop = box.loops[static_cast<std::size_t>(k)];
        to += loop.stride[0];
        from += loop.stride[1];
        if (++at[static_cast<std::size_t>(k)] < loop.extent) break;
        to -= loop.stride[0] * loop.extent;
        from -= loop.stride[1] * loop.extent;
        at[static_cast<std::size_t>(k)] = 0;
      }
      if (k < 0) break;
    }
  }
  return result;
}

InitShadow::State InitShadow::state(int memory, Range bytes, Mark& mark) const {
  bool first = true;
  State state = State::kDefined;
  visit(memory, bytes, [&](std::int64_t, std::int64_t, Mark each) {
    const State here = is_defined(each) ? State::kDefined : State::kUndefined;
    if (!first && (here != state || (here == State::kUndefined && each != mark)))
      state = State::kMixed;
    else
      state = here;
    first = false;
    mark = each;
    return state != State::kMixed;
  });
  return state;
}

void InitShadow::write_linear(int memory, Range bytes, Mark mark) {
  const MemoryShape& shape = shapes_[static_cast<std::size_t>(memory)];
  while (bytes.begin < bytes.end) {
    const std::int64_t npu = shape.npus > 1 ? bytes.begin / shape.npu_bytes : 0;
    const std::int64_t base = npu * shape.npu_bytes;
    const std::int64_t end =
        shape.npus > 1 ? std::min(bytes.end, base + shape.npu_bytes) : bytes.end;
    own(memory).assign(static_cast<int>(npu), {bytes.begin - base, end - base}, mark);
    bytes.begin = end;
  }
}

}  // namespace tensorlane::trail
