// What the tests of tiles/, fp32/ and products/ share: a small local memory to place operands in,
// operand values of every kind, and the comparison of a fast path with its reference over all of
// that memory.
#ifndef TENSORLANE_COMPUTE_BANDS_OPERANDS_TEST_SUPPORT_H_
#define TENSORLANE_COMPUTE_BANDS_OPERANDS_TEST_SUPPORT_H_

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/window2d.h"

namespace tensorlane::operands_test {

constexpr std::int64_t align_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// How an operand's values are drawn.
enum class Values {
  kPlain,     // [-2, 2]: nothing cancels completely, nothing overflows
  kWide,      // any exponent: overflow, denormals, cancellation
  kSpecial,   // half plain, half NaN, infinities, zeros of both signs, denormals
  kDenormal,  // around the smallest normal number
};

inline float draw(Values values, std::mt19937& random) {
  const float plain = std::uniform_real_distribution<float>(-2.0F, 2.0F)(random);
  constexpr float kInf = std::numeric_limits<float>::infinity();
  static const float specials[] = {0.0F,   -0.0F,   kInf, -kInf, NAN,    -NAN,
                                   1e-40F, -1e-40F, 1.0F, 3e38F, -3e38F, 1.2e-38F};
  switch (values) {
    case Values::kPlain:
      return plain;
    case Values::kWide:
      return std::ldexp(plain, static_cast<int>(random() % 160) - 80);
    case Values::kDenormal:
      return std::ldexp(plain, -63 - static_cast<int>(random() % 64));
    case Values::kSpecial:
      return random() % 2 == 0 ? plain : specials[random() % std::size(specials)];
  }
  return plain;
}

// Local memory whose unallocated bytes hold a pattern, so that a stray write shows.
class OperandMemory {
 public:
  OperandMemory(int npus, std::int64_t npu_bytes)
      : npus_(npus), npu_bytes_(npu_bytes), words_(static_cast<std::size_t>(npus * npu_bytes / 4)) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] = static_cast<std::uint32_t>(i * 0x9E3779B1U);
    }
  }

  // Space for n x c x h x w elements whose last two dimensions have the given strides; channel
  // slots are `slot` elements apart (0: h*stride_h) and images follow each other.
  LocalView place(int start_npu, int n, int c, int h, int w, std::int64_t slot = 0,
                  std::int64_t stride_h = 0, std::int64_t stride_w = 1, int element_bytes = 4) {
    LocalView view{bytes(), npus_, npu_bytes_, start_npu, used_};
    view.element_bytes = element_bytes;
    view.w = stride_w;
    view.h = stride_h == 0 ? w * stride_w : stride_h;
    view.c = slot == 0 ? h * view.h : slot;
    view.n = (start_npu + c + npus_ - 1) / npus_ * view.c;
    used_ = align_up(used_ + n * view.n * element_bytes + 64, 128);
    EXPECT_LE(used_, npu_bytes_) << "the test's local memory is too small";
    return view;
  }

  // The layout of a NULL stride: channel slots at multiples of 128 bytes.
  LocalView place_aligned(int start_npu, int n, int c, int h, int w) {
    return place(start_npu, n, c, h, w, align_up(static_cast<std::int64_t>(h) * w, 32));
  }

  std::byte* bytes() { return reinterpret_cast<std::byte*>(words_.data()); }
  const std::vector<std::uint32_t>& words() const { return words_; }
  LocalView here(LocalView view) {
    view.memory = bytes();
    return view;
  }

 private:
  int npus_;
  std::int64_t npu_bytes_;
  std::int64_t used_ = 128;
  std::vector<std::uint32_t> words_;
};

inline void fill(const LocalView& view, int n, int c, int h, int w, Values values,
                 std::mt19937& random) {
  for (int in = 0; in < n; ++in)
    for (int ic = 0; ic < c; ++ic)
      for (int ih = 0; ih < h; ++ih)
        for (int iw = 0; iw < w; ++iw)
          for (int half = 0; half < view.element_bytes / 4; ++half)
            view.at(in, ic, ih, iw)[half] = draw(values, random);
}

inline bool same_bits_or_both_nan(std::uint32_t a, std::uint32_t b) {
  const auto is_nan = [](std::uint32_t bits) { return (bits & 0x7FFFFFFFU) > 0x7F800000U; };
  return a == b || (is_nan(a) && is_nan(b));
}

// The first word in which two memories differ, as text; empty when they agree (any NaN equals any).
inline std::string first_difference(const OperandMemory& expected, const OperandMemory& actual) {
  for (std::size_t i = 0; i < expected.words().size(); ++i) {
    const std::uint32_t want = expected.words()[i];
    const std::uint32_t have = actual.words()[i];
    if (!same_bits_or_both_nan(want, have)) {
      return "word " + std::to_string(i) + ": expected " +
             std::to_string(std::bit_cast<float>(want)) + " (" + std::to_string(want) + "), got " +
             std::to_string(std::bit_cast<float>(have)) + " (" + std::to_string(have) + ")";
    }
  }
  return {};
}

// Draws for RapidCheck properties.
inline int in_range(int low, int high) {
  return *rc::gen::inRange(low, high + 1);
}
inline Values any_values() {
  return *rc::gen::element(Values::kPlain, Values::kWide, Values::kSpecial, Values::kDenormal);
}

// A window that fits an input of the given size.
inline Window2d any_window(int input_h, int input_w, int max_kernel, int max_dilation) {
  Window2d window;
  window.dilation_h = in_range(1, max_dilation);
  window.dilation_w = in_range(1, max_dilation);
  window.pad_top = in_range(0, 3);
  window.pad_left = in_range(0, 3);
  const int pad_bottom = in_range(0, 3);
  const int pad_right = in_range(0, 3);
  const int room_h = (input_h + window.pad_top + pad_bottom - 1) / window.dilation_h + 1;
  const int room_w = (input_w + window.pad_left + pad_right - 1) / window.dilation_w + 1;
  window.kernel_h = in_range(1, std::min(max_kernel, room_h));
  window.kernel_w = in_range(1, std::min(max_kernel, room_w));
  window.stride_h = in_range(1, 4);
  window.stride_w = in_range(1, 4);
  window.output_h = window_output_extent(input_h, window.pad_top, pad_bottom, window.kernel_h,
                                         window.stride_h, window.dilation_h);
  window.output_w = window_output_extent(input_w, window.pad_left, pad_right, window.kernel_w,
                                         window.stride_w, window.dilation_w);
  return window;
}

// Runs the reference on `expected` and the fast path on a copy; both must leave the same memory.
// `rebase(args, memory)` is the same problem in another memory.
template <class Args, class Rebase>
void expect_simd_equals_reference(OperandMemory& memory, const Args& args, Rebase rebase,
                                  void (*reference)(const Args&), bool (*simd)(const Args&)) {
  OperandMemory fast = memory;
  const OperandMemory before = memory;
  reference(args);
  const bool accepted = simd(rebase(args, fast));
  const std::string difference = first_difference(accepted ? memory : before, fast);
  RC_TAG(accepted ? "fast path" : "declined");
  if (!difference.empty()) RC_FAIL(difference);
}

}  // namespace tensorlane::operands_test

#endif  // TENSORLANE_COMPUTE_BANDS_OPERANDS_TEST_SUPPORT_H_
