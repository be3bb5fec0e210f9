#include "peers.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "loops.h"
#include "products.h"

namespace tensorlane::bench {
namespace {

std::int64_t bytes_of(const Operand& operand) {
  return operand.layout.size() * dtype_bits(operand.layout.dtype()) / 8;
}

// Memory of a peer: small numbers of any type. Arrays are handed out of a pool, as filling new ones
// takes longer than measuring.
using Bytes = std::byte*;
class Pool {
 public:
  void reset() { next_.clear(); }
  Bytes array(std::int64_t bytes, Dtype dtype = Dtype::kUint8) {
    const std::uint32_t word = word_of(dtype);
    const std::size_t number = next_[word]++;
    std::vector<std::vector<std::uint32_t>>& arrays = arrays_[word];
    if (arrays.size() <= number) arrays.resize(number + 1);
    const auto words = static_cast<std::size_t>(bytes / 4 + 64);
    if (arrays[number].size() < words) arrays[number].assign(words, word);
    return reinterpret_cast<std::byte*>(arrays[number].data());
  }

 private:
  static std::uint32_t word_of(Dtype dtype) {
    switch (dtype) {
      case Dtype::kFp32:
        return 0x3f200000;
      case Dtype::kFp16:
        return 0x39003900;
      case Dtype::kBf16:
        return 0x3f203f20;
      case Dtype::kInt32:
      case Dtype::kUint32:
        return 3;
      default:
        return 0x00030001;
    }
  }
  std::map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> arrays_;
  std::map<std::uint32_t, std::size_t> next_;
};
Pool pool;
Bytes array(std::int64_t bytes, Dtype dtype = Dtype::kUint8) {
  return pool.array(bytes, dtype);
}

struct Parts {
  const Operand* dst = nullptr;         // the first result
  std::vector<const Operand*> sources;  // as large as the result first
  std::int64_t moved = 0;               // bytes of the largest operand
};

Parts parts_of(const Command& command) {
  Parts parts;
  for (const Operand& operand : command.operands()) {
    if (operand.role == Role::kWork) continue;
    if (operand.writes() && parts.dst == nullptr) parts.dst = &operand;
    if (operand.role == Role::kIn) parts.sources.push_back(&operand);
    parts.moved = std::max(parts.moved, bytes_of(operand));
  }
  return parts;
}

Dtype bits_type(int bytes) {
  return bytes == 1 ? Dtype::kX8 : bytes == 2 ? Dtype::kX16 : Dtype::kX32;
}

Peer loop_peer(const Parts& parts, const std::string& operation, const Loop& loop) {
  const Operand& dst = *parts.dst;
  const std::int64_t count = dst.layout.size();
  std::vector<Bytes> arrays = {array(bytes_of(dst), dst.layout.dtype())};
  for (const Operand* source : parts.sources) {
    if (source->layout.size() == count && arrays.size() < 5)
      arrays.push_back(array(bytes_of(*source), source->layout.dtype()));
  }
  if (arrays.size() == 1) arrays.push_back(array(bytes_of(dst), dst.layout.dtype()));
  if (operation.starts_with("select")) {
    while (arrays.size() < 5) arrays.push_back(arrays.back());
  }
  const Bytes second =
      operation == "select two" ? array(bytes_of(dst), dst.layout.dtype()) : nullptr;
  return {"loop: " + operation, [=] {
            const auto at = [&](std::size_t k) -> void* {
              return k < arrays.size() ? arrays[k] : nullptr;
            };
            loop({at(0), second, at(1), at(2), at(3), at(4), count});
          }};
}

// As many runs of bytes as the result has, where they lie; the last may be shorter than the others.
Peer spread_peer(const Parts& parts) {
  auto places = std::make_shared<std::vector<std::int64_t>>();
  const Layout& result = parts.dst->layout;
  std::int64_t most = 0, end = 0;
  for (const ByteRun& run : result.byte_runs()) {
    places->push_back(run.npu * result.npu_bytes() + run.offset - result.base());
    most = std::max(most, run.bytes);
    end = std::max(end, places->back() + most);
  }
  // The same bytes for all places, or a list that goes on from one to the next.
  const bool goes_on = !parts.sources.empty() && bytes_of(*parts.sources.front()) != most;
  const Bytes dst = array(end), src = array(goes_on ? bytes_of(*parts.dst) + most : most);
  return {"loop: spread",
          [=] { spread_loop(dst, *places, src, static_cast<std::size_t>(most), goes_on); }};
}

// Indices that choose single elements or whole lines, each as often as the command uses it.
Peer gather_peer(const Parts& parts) {
  const Layout& result = parts.dst->layout;
  const std::int64_t count = result.size();
  const int width = dtype_bits(result.dtype()) / 8;
  const auto elements = [](const Operand* operand) { return operand->layout.size(); };
  const auto decides = [](const Operand* operand) { return operand->spec->decides; };
  const auto found = std::ranges::find_if(parts.sources, decides);
  const bool table = found == parts.sources.end();  // then the first source chooses from the last
  const Operand* const by = table ? parts.sources.front() : *found;
  const Operand* const from = table ? parts.sources.back() : parts.sources.front();
  const std::int64_t columns = result.extent(result.rank() - 1);
  const bool lines = elements(by) * columns == std::max(count, elements(from));
  const std::int64_t line = lines ? columns : 1;
  const std::int64_t indices = std::min(elements(by), count / line);
  const std::int64_t rows = std::max<std::int64_t>(1, count / line / indices);
  const std::int64_t sources = std::max<std::int64_t>(1, elements(from) / line / rows);
  auto numbers = std::make_shared<std::vector<std::uint32_t>>(indices);
  const Bytes dst = array(count * width, result.dtype());
  const Bytes src = array(std::max(elements(from), sources * line * rows) * width);
  const auto bound = static_cast<std::uint32_t>(std::min<std::int64_t>(sources, 1024));
  for (std::int64_t i = 0; i < indices; ++i)
    (*numbers)[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(i) * 2654435761U % bound;
  return {"loop: gather",
          [=] { gather_loop(dst, src, numbers->data(), rows, indices, sources, line, width); }};
}

}  // namespace

Peer make_peer(const Command& command, const PeerChoice& choice) {
  pool.reset();
  const Parts parts = parts_of(command);
  if (parts.dst == nullptr) return {};
  const Layout& result = parts.dst->layout;
  const std::int64_t bytes = bytes_of(*parts.dst), count = result.size();
  const int width = dtype_bits(result.dtype()) / 8;
  const Dtype in = parts.sources.empty() ? result.dtype() : parts.sources.front()->layout.dtype();
  const Bytes dst = array(bytes, result.dtype()), src = array(std::max(parts.moved, bytes), in);
  const auto elements = [](const Operand* operand) { return operand->layout.size(); };
  switch (choice.kind) {
    case PeerKind::kFill:
      return {"fill", [=] { fill_loop(dst, count, width); }};
    case PeerKind::kTranspose:
      return {"loop: transpose", [=] {
                const std::int64_t columns = result.extent(result.rank() - 1);
                transpose_loop(dst, src, count / columns, columns, width);
              }};
    case PeerKind::kSpread:
      return spread_peer(parts);
    case PeerKind::kGather:
      return gather_peer(parts);
    case PeerKind::kMask: {
      const std::int64_t source = elements(parts.sources.front());
      const Bytes kept = array(std::max(bytes, source * width));
      const Bytes from = array(std::max(source * width, parts.moved));
      return {"loop: mask", [=] {
                select_loop(kept, from, reinterpret_cast<const std::uint8_t*>(src), source, width);
              }};
    }
    case PeerKind::kReverse:
      return {"loop: reverse", [=] { reverse_loop(dst, src, count, width); }};
    case PeerKind::kSort: {
      const auto length = static_cast<std::size_t>(elements(parts.sources.front()));
      auto values = std::make_shared<std::vector<float>>(length);
      std::uint32_t random = 1;
      for (float& value : *values) {
        random = random * 1664525U + 1013904223U;
        value = static_cast<float>(random >> 16U % 512);
      }
      auto order = std::make_shared<std::vector<std::uint32_t>>(length);
      auto sorted = std::make_shared<std::vector<float>>(length);
      const bool with_positions = std::ranges::count_if(command.operands(), &Operand::writes) > 1;
      if (!with_positions)
        return {"std::sort", [=] {
                  *sorted = *values;
                  std::sort(sorted->begin(), sorted->end(), std::greater<>());
                }};
      return {"std::stable_sort", [=] {
                std::iota(order->begin(), order->end(), 0U);
                std::stable_sort(
                    order->begin(), order->end(),
                    [&](std::uint32_t a, std::uint32_t b) { return (*values)[a] > (*values)[b]; });
                for (std::size_t i = 0; i < length; ++i) (*sorted)[i] = (*values)[(*order)[i]];
              }};
    }
    case PeerKind::kSuppression: {
      const std::int64_t boxes = command.arg("box_num").value();
      const std::int64_t keep = command.arg("keep_num").value();
      auto* const scores = reinterpret_cast<float*>(array(4 * boxes, Dtype::kFp32));
      auto* const factors = reinterpret_cast<float*>(array(4 * boxes * boxes, Dtype::kFp32));
      return {"loop: suppression", [=] { suppress_loop(scores, factors, boxes, keep); }};
    }
    case PeerKind::kOuter: {
      const std::int64_t rows = elements(parts.sources.front()), columns = count / rows;
      const bool divides = choice.operation == "div";
      return {"loop: outer",
              [=] { outer_loop(dst, src, src, rows, columns, result.dtype(), divides); }};
    }
    case PeerKind::kRowSum: {
      const std::int64_t rows = count, columns = elements(parts.sources.front()) / rows;
      const Bytes sums = array(rows * 4);
      return {"loop: sum",
              [=] { row_sum_loop(reinterpret_cast<float*>(sums), src, rows, columns, in); }};
    }
    case PeerKind::kLoop:
    case PeerKind::kLibrary: {
      const bool loop = choice.kind == PeerKind::kLoop;
      const Loop work = choice.operation == "and"
                            ? elementwise_loop("and", bits_type(width), bits_type(width))
                        : loop ? elementwise_loop(choice.operation, result.dtype(), in)
                               : library_loop(choice.operation, result.dtype());
      if (!work) {
        return loop_peer(parts, "convert", elementwise_loop("convert", result.dtype(), in));
      }
      Peer peer = loop_peer(parts, std::string(choice.operation), work);
      if (!loop) peer.name = "C library: " + std::string(choice.operation);
      return peer;
    }
    case PeerKind::kConvolution:
    case PeerKind::kDepthwise:
      return convolution_peer(command, choice.kind == PeerKind::kDepthwise);
    case PeerKind::kPool:
      return pool_peer(command);
    case PeerKind::kMatrix:
      return matrix_peer(command);
    case PeerKind::kCopy:
      break;
  }
  const std::int64_t moved = std::min(parts.moved, std::max(bytes, parts.moved));
  const Bytes to = array(moved);
  return {"memcpy", [=] { std::memcpy(to, src, static_cast<std::size_t>(moved)); }};
}

}  // namespace tensorlane::bench
