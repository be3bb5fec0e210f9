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
  for (const Operand* source : parts.sources) {  // loops read all of them in the first one's type
    const std::int64_t bytes = std::max(bytes_of(*source), bytes_of(*parts.sources.front()));
    if (source->layout.size() == count && arrays.size() < 5)
      arrays.push_back(array(bytes, source->layout.dtype()));
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

// The operand that says what moves where; null where there is none.
const Operand* deciding(const Parts& parts) {
  const auto found = std::ranges::find_if(
      parts.sources, [](const Operand* operand) { return operand->spec->decides; });
  return found == parts.sources.end() ? nullptr : *found;
}

// As many elements or lines as the command moves, by indices as far apart as its own.
Peer indexed_peer(const Parts& parts, bool scatter) {
  const auto elements = [](const Operand* operand) { return operand->layout.size(); };
  const Layout& result = parts.dst->layout;
  const int width = dtype_bits(result.dtype()) / 8;
  const bool table = deciding(parts) == nullptr;  // then the first source chooses from the last
  const Operand* const by = table ? parts.sources.front() : deciding(parts);
  const Operand* const param = table ? parts.sources.back() : parts.sources.front();
  const Layout& chosen_from = scatter ? result : param->layout;
  const std::int64_t columns = result.extent(result.rank() - 1);
  const Layout& index = by->layout;
  const bool lines = scatter ? index.extent(3) == 1 && index.extent(2) > 1
                             : columns > 1 && elements(by) * columns == result.size();
  const std::int64_t line = lines ? columns : 1;
  const std::int64_t whole = scatter ? elements(param) : result.size();
  const std::int64_t count = lines ? elements(by) * columns : std::max(elements(by), whole);
  // Indices of each channel, or those that all channels share: the peer has one list in any case.
  const std::int64_t own = index.extent(2) * index.extent(3);
  const std::int64_t indices = own > 1 ? own : elements(by);
  const std::int64_t rows = std::max<std::int64_t>(1, count / line / indices);
  const std::int64_t others = chosen_from.extent(2) * chosen_from.extent(3) / line;
  auto numbers = std::make_shared<std::vector<std::uint32_t>>(indices);
  const std::int64_t most = std::int64_t{1} << dtype_bits(index.dtype());
  const auto bound = static_cast<std::uint32_t>(std::min(others, most));
  for (std::int64_t i = 0; i < indices; ++i)
    (*numbers)[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(i) * 2654435761U % bound;
  const std::int64_t bytes = std::max(indices, others) * rows * line * width;
  const Bytes dst = array(bytes, result.dtype()), src = array(bytes);
  const IndexedMove move{numbers->data(), rows, indices, others, line, width};
  if (scatter)
    return {"loop: scatter", [=] {
              (void)numbers;
              scatter_loop(dst, src, move);
            }};
  return {"loop: gather", [=] {
            (void)numbers;
            gather_loop(dst, src, move);
          }};
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
    case PeerKind::kScatter:
      return indexed_peer(parts, choice.kind == PeerKind::kScatter);
    case PeerKind::kMask: {
      const std::int64_t source = elements(deciding(parts));  // of them each is looked at
      const Bytes kept = array(std::max(bytes, source * width));
      const Bytes from = array(std::max(source * width, parts.moved));
      return {"loop: mask", [=] {
                select_loop(kept, from, reinterpret_cast<const std::uint8_t*>(src), source, width);
              }};
    }
    case PeerKind::kReverse:
      return {"loop: reverse", [=] {  // the calls reverse the last dimension
                const std::int64_t columns = result.extent(result.rank() - 1);
                reverse_loop(dst, src, count / columns, columns, width);
              }};
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
    case PeerKind::kPolynomial: {
      const std::int64_t number = command.arg("num").value();
      const Bytes terms = array(number * width, result.dtype());
      return {"loop: polynomial",
              [=] { polynomial_loop(dst, src, count, terms, number, result.dtype()); }};
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
