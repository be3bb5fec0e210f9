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
#ifndef TENSORLANE_COMPUTE_ROWS_WIDENED_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_WIDENED_ROWS_H_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/compute/rows/row_parts.h"

namespace tensorlane {

// A source: a parameter, and for constants the parameter that holds the type, or a rule for it.
struct SourceParam {
  std::string_view param;
  std::string_view dtype_param = {};
  Dtype dtype = Dtype::kFp32;  // of a constant with neither
  DtypeRule rule = {};

  SourceParam(const char* param) : param(param) {}  // NOLINT(google-explicit-constructor)
  explicit SourceParam(std::string_view param) : param(param) {}
  SourceParam(std::string_view param, std::string_view dtype_param)
      : param(param), dtype_param(dtype_param) {}
  SourceParam(std::string_view param, Dtype dtype) : param(param), dtype(dtype) {}
  SourceParam(std::string_view param, DtypeRule rule) : param(param), rule(std::move(rule)) {}
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

inline constexpr std::int64_t kWideChunk = 1024;

// The rows of a part, 16-bit floats with elements side by side, widened into `to`, one row behind
// the other; and back. False for other types and places.
bool widen_half_part(Dtype dtype, const Row& part, std::size_t source, float* to);
bool narrow_half_part(Dtype dtype, const Row& part, const float* from);

// Buffers of wide values that memory of the same type may stand in for.
template <class Wide>
class WideBuffer {
 public:
  explicit WideBuffer(Dtype dtype)
      : bytes_(dtype_bytes(dtype)),
        is_wide_(std::is_same_v<Wide, float>
                     ? dtype == Dtype::kFp32
                     : std::is_same_v<Wide, std::uint32_t> && dtype_bits(dtype) == 32) {}

 protected:
  bool may_stay(const Row& part, const Places& places, const std::byte* at) const {
    return is_wide_ && places.side_by_side(part, bytes_) &&
           reinterpret_cast<std::uintptr_t>(at) % alignof(Wide) == 0;
  }
  std::byte* narrow() { return narrow_.data(); }

  std::int64_t bytes_;
  bool is_wide_;
  alignas(64) std::array<Wide, kWideChunk> values_;

 private:
  alignas(64) std::array<std::byte, kWideChunk * 4 + kGatherSlack> narrow_;
};

// A source as a frame has it.
struct FrameSource {
  Dtype dtype;
  const Row* frame;
  std::size_t k;
};

// The elements of a source, part by part, widened and side by side. One that never moves is widened
// once.
template <class Wide>
class WideSource : WideBuffer<Wide> {
 public:
  explicit WideSource(const FrameSource& source)
      : WideBuffer<Wide>(source.dtype),
        dtype_(source.dtype),
        load_(load_row<Wide>(source.dtype)),
        k_(source.k),
        moves_(!Places::of_source(*source.frame, k_).all_the_same()) {
    const std::int64_t most = std::min(kWideChunk, elements_of(*source.frame));
    if (!moves_) {
      load_(source.frame->src[k_], 0, static_cast<std::size_t>(most), this->values_.data());
    }
  }
  const Wide* chunk(const Row& part) {
    if (!moves_) return this->values_.data();
    const Places places = Places::of_source(part, k_);
    const std::byte* from = part.src[k_];
    if (this->may_stay(part, places, from)) return reinterpret_cast<const Wide*>(from);
    if (!places.side_by_side(part, this->bytes_)) {
      if constexpr (std::is_same_v<Wide, float>) {
        if (widen_half_part(dtype_, part, k_, this->values_.data())) return this->values_.data();
      }
      gather_elements(part, from, places, this->bytes_, this->narrow());
      from = this->narrow();
    }
    load_(from, this->bytes_, static_cast<std::size_t>(elements_of(part)), this->values_.data());
    return this->values_.data();
  }

 private:
  Dtype dtype_;
  LoadRow<Wide> load_;
  std::size_t k_;
  bool moves_;
};

// Where the results of a part go: `chunk` is filled, then finished.
template <class Wide>
class WideResult : WideBuffer<Wide> {
 public:
  explicit WideResult(Dtype dtype)
      : WideBuffer<Wide>(dtype), dtype_(dtype), store_(store_row<Wide>(dtype)) {}
  Wide* chunk(const Row& part) {
    stays_ = this->may_stay(part, Places::of_result(part), part.dst);
    return stays_ ? reinterpret_cast<Wide*>(part.dst) : this->values_.data();
  }
  void finish(const Row& part) {
    if (stays_) return;
    const Places places = Places::of_result(part);
    const auto count = static_cast<std::size_t>(elements_of(part));
    if (places.side_by_side(part, this->bytes_))
      return store_(part.dst, this->bytes_, count, this->values_.data());
    if constexpr (std::is_same_v<Wide, float>) {
      if (narrow_half_part(dtype_, part, this->values_.data())) return;
    }
    store_(this->narrow(), this->bytes_, count, this->values_.data());
    scatter_elements(part, this->narrow(), part.dst, places, this->bytes_);
  }

 private:
  Dtype dtype_;
  StoreRow<Wide> store_;
  bool stays_ = false;
};

template <class R, class... T, class F>
RowFunction wide_row(const F& f, Dtype dst, const std::array<Dtype, sizeof...(T)>& types) {
  return [=](const Row& frame) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      WideResult<R> result(dst);
      std::tuple<WideSource<T>...> sources(FrameSource{types[I], &frame, I}...);
      each_part(frame, kWideChunk, [&](const Row& part) {
        const auto count = static_cast<std::size_t>(elements_of(part));
        const auto compute = [count, f](R* to, const T*... from) {
          for (std::size_t i = 0; i < count; ++i) to[i] = f(from[i]...);
        };
        compute(result.chunk(part), std::get<I>(sources).chunk(part)...);
        result.finish(part);
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
  return wide_row<R, T...>(formula, command.find(dst)->layout.dtype(),
                           {type_of(command, sources[I])...});
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
           },
           kAnyOperands},
          {"reference",
           [=](const Invocation& invocation) {
             return run_elements(invocation, dst, names, row(invocation.command));
           },
           kAnyOperands}};
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

#endif  // TENSORLANE_COMPUTE_ROWS_WIDENED_ROWS_H_
