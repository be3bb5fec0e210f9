// Element-wise execution where arguments of the call decide the element types.
//
// A formula is written once, on wide values: float for the floating point types, std::int64_t for
// the integer types, std::uint32_t for bits that nobody interprets. `widened` makes the
// implementations; along a row, sources are widened into buffers, the formula runs over the buffers
// and the results are narrowed.
//
//   widened<float, float, float>("dst_addr", {"src0_addr", "src1_addr"}, fp32::add)
//
// The type of a tensor is its operand's. A constant's type is that of its SourceParam.
// Widening is exact. Narrowing a float rounds to nearest even as the chip's casts do; narrowing an
// integer keeps the low bits, so that a formula which saturates does it itself.
#ifndef TENSORLANE_EXECUTION_WIDENED_ROWS_H_
#define TENSORLANE_EXECUTION_WIDENED_ROWS_H_

#include <type_traits>

#include "tensorlane/execution/elementwise.h"

namespace tensorlane {

// A source: a parameter, and for constants the parameter that holds the type.
struct SourceParam {
  std::string_view param;
  std::string_view dtype_param = {};
  Dtype dtype = Dtype::kFp32;  // of a constant without dtype_param

  SourceParam(const char* param) : param(param) {}  // NOLINT(google-explicit-constructor)
  explicit SourceParam(std::string_view param) : param(param) {}
  SourceParam(std::string_view param, std::string_view dtype_param)
      : param(param), dtype_param(dtype_param) {}
  SourceParam(std::string_view param, Dtype dtype) : param(param), dtype(dtype) {}
};

// The type a source has in this call, and the type that parameter `dtype_param` holds.
Dtype type_of(const Command& command, const SourceParam& source);
Dtype type_in(const Command& command, std::string_view dtype_param);

// Elements `step` bytes apart to wide values, and back. Steps are multiples of nothing.
template <class Wide>
using LoadRow = void (*)(const std::byte* from, std::int64_t step, std::size_t count, Wide* to);
template <class Wide>
using StoreRow = void (*)(std::byte* to, std::int64_t step, std::size_t count, const Wide* from);

// For Wide float, std::int64_t and std::uint32_t; internal error for a type the wide one does not
// hold.
template <class Wide>
LoadRow<Wide> load_row(Dtype dtype);
template <class Wide>
StoreRow<Wide> store_row(Dtype dtype);

inline constexpr std::int64_t kWideChunk = 256;

// Calls f(part) for parts of a frame, of kWideChunk elements at most: pieces of one row, or some
// short rows of one block.
template <class F>
void each_chunk(const Row& frame, const F& f) {
  const std::int64_t piece = std::min(kWideChunk, frame.count);
  const std::int64_t rows = piece > 0 ? kWideChunk / piece : 1;
  Row part = frame;
  part.blocks = 1;
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    for (std::int64_t r = 0; r < frame.rows; r += rows) {
      part.rows = std::min(rows, frame.rows - r);
      for (std::int64_t i = 0; i < frame.count; i += piece) {
        part.count = std::min(piece, frame.count - i);
        part.dst = frame.dst + b * frame.dst_block + r * frame.dst_next + i * frame.dst_step;
        for (std::size_t k = 0; k < part.src.size(); ++k) {
          part.src[k] =
              frame.src[k] + b * frame.src_block[k] + r * frame.src_next[k] + i * frame.src_step[k];
        }
        f(part);
      }
    }
  }
}

// Source k of a frame: the elements of its parts, widened, one row behind the other. One that never
// moves is widened once.
template <class Wide>
class WideSource {
 public:
  WideSource(LoadRow<Wide> load, const Row& frame, std::size_t k)
      : load_(load),
        k_(k),
        moves_(frame.src_step[k] != 0 || frame.src_next[k] != 0 || frame.src_block[k] != 0) {
    const std::int64_t most = std::min(kWideChunk, frame.rows * frame.count);
    if (!moves_) load(frame.src[k], 0, static_cast<std::size_t>(most), values_.data());
  }
  const Wide* chunk(const Row& part) {
    const auto count = static_cast<std::size_t>(part.count);
    for (std::int64_t r = 0; moves_ && r < part.rows; ++r) {
      load_(part.src[k_] + r * part.src_next[k_], part.src_step[k_], count,
            values_.data() + r * part.count);
    }
    return values_.data();
  }

 private:
  LoadRow<Wide> load_;
  std::size_t k_;
  bool moves_;
  std::array<Wide, kWideChunk> values_;
};

template <class Wide>
void store_chunk(StoreRow<Wide> store, const Row& part, const Wide* from) {
  for (std::int64_t r = 0; r < part.rows; ++r) {
    store(part.dst + r * part.dst_next, part.dst_step, static_cast<std::size_t>(part.count),
          from + r * part.count);
  }
}

template <class R, class... T, class F>
RowFunction wide_row(const F& f, StoreRow<R> store, LoadRow<T>... load) {
  return [=](const Row& frame) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      std::array<R, kWideChunk> result;
      std::tuple<WideSource<T>...> sources{WideSource<T>(load, frame, I)...};
      each_chunk(frame, [&](const Row& part) {
        const auto count = static_cast<std::size_t>(part.rows * part.count);
        const auto compute = [&result, count, f](const T*... from) {
          for (std::size_t i = 0; i < count; ++i) result[i] = f(from[i]...);
        };
        compute(std::get<I>(sources).chunk(part)...);
        store_chunk(store, part, result.data());
      });
    }
    (std::index_sequence_for<T...>{});
  };
}

// The row function of one call. `make` is the formula, or makes it from the command.
template <class R, class... T, class Make, std::size_t... I>
RowFunction widened_row(const Command& command, std::string_view dst,
                        const std::array<SourceParam, sizeof...(T)>& sources, const Make& make,
                        std::index_sequence<I...> /*indices*/) {
  const auto formula = [&] {
    if constexpr (std::is_invocable_v<Make, const Command&>) {
      return make(command);
    } else {
      return make;
    }
  }();
  return wide_row<R, T...>(formula, store_row<R>(command.find(dst)->layout.dtype()),
                           load_row<T>(type_of(command, sources[I]))...);
}

// The implementations of an element-wise function.
template <class R, class... T, class Make>
std::vector<Implementation> widened(std::string_view dst,
                                    std::array<SourceParam, sizeof...(T)> sources, Make make) {
  std::array<std::string_view, sizeof...(T)> names;
  for (std::size_t k = 0; k < sizeof...(T); ++k) names[k] = sources[k].param;
  const auto row = [=](const Command& command) {
    return widened_row<R, T...>(command, dst, sources, make, std::index_sequence_for<T...>{});
  };
  return {{"rows",
           [=](const Invocation& invocation) {
             return run_rows(invocation, dst, names, row(invocation.command));
           }},
          {"reference", [=](const Invocation& invocation) {
             return run_elements(invocation, dst, names, row(invocation.command));
           }}};
}

// `fast` for calls that `condition` accepts, in front of `rest`.
std::vector<Implementation> prefer(std::function<bool(const Command&)> condition,
                                   Implementation fast, std::vector<Implementation> rest);
// `yes` where `condition` holds, `no` elsewhere; both end in a reference.
std::vector<Implementation> choose(const std::function<bool(const Command&)>& condition,
                                   const std::vector<Implementation>& yes,
                                   const std::vector<Implementation>& no);

// Implementations for integers and for floats, as parameter `dtype_param` says.
std::vector<Implementation> by_kind(std::string_view dtype_param,
                                    const std::vector<Implementation>& floats,
                                    const std::vector<Implementation>& integers);

// Copies bits from a tensor or a constant, whatever the type.
std::vector<Implementation> copy_bits(std::string_view dst, std::string_view src);

}  // namespace tensorlane

#endif  // TENSORLANE_EXECUTION_WIDENED_ROWS_H_
