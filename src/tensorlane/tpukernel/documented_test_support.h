// Functions as the documents define them, in plain C++ and with addresses by the documents'
// formulas: nothing of the ops list's arithmetic or layouts is used. A test writes what a random
// call must leave behind, issues the call, and memory is compared to the last byte.
#ifndef TENSORLANE_TPUKERNEL_DOCUMENTED_TEST_SUPPORT_H_
#define TENSORLANE_TPUKERNEL_DOCUMENTED_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel::documented {

__extension__ using s128 = __int128;

inline constexpr int kNpus = 64;
inline constexpr std::size_t kNpuBytes = 256 * 1024;
inline constexpr std::size_t kSlot = 16384;         // bytes of an operand in every NPU
inline constexpr std::size_t kSystemSlot = 262144;  // and in global memory
inline constexpr std::size_t kSlots = 4;
inline constexpr system_addr_t kGlobal = 0x100000000;

inline constexpr data_type_t kIntegers[] = {DT_INT32,  DT_UINT32, DT_INT16,
                                            DT_UINT16, DT_INT8,   DT_UINT8};

inline int bytes_of(data_type_t type) {
  switch (type) {
    case DT_INT8:
    case DT_UINT8:
      return 1;
    case DT_INT16:
    case DT_UINT16:
    case DT_FP16:
    case DT_BFP16:
      return 2;
    default:
      return 4;
  }
}
inline bool is_signed(data_type_t type) {
  return type == DT_INT8 || type == DT_INT16 || type == DT_INT32;
}
inline s128 lowest(data_type_t type) {
  return is_signed(type) ? -(s128{1} << (8 * bytes_of(type) - 1)) : s128{0};
}
inline s128 highest(data_type_t type) {
  return lowest(type) + (s128{1} << (8 * bytes_of(type))) - 1;
}
inline s128 saturated(s128 value, data_type_t type) {
  return std::clamp(value, lowest(type), highest(type));
}

inline bool is_odd(s128 value) {
  return (value & 1) != 0;
}
inline bool is_odd(double value) {
  return std::fmod(value, 2) != 0;
}

// `floor` plus `rest` / `whole` (0 <= rest < whole) as a whole number.
template <class T>
T rounded(T floor, T rest, T whole, rounding_mode_t mode) {
  if (rest == 0) return floor;
  const bool above = 2 * rest > whole, half = 2 * rest == whole, negative = floor < 0;
  switch (mode) {
    case RM_HALF_TO_EVEN:
      return floor + (above || (half && is_odd(floor)));
    case RM_HALF_AWAY_FROM_ZERO:
      return floor + (above || (half && !negative));
    case RM_TOWARDS_ZERO:
      return floor + negative;
    case RM_DOWN:
      return floor;
    case RM_UP:
      return floor + 1;
    case RM_HALF_UP:
      return floor + (above || half);
    case RM_HALF_DOWN:
      return floor + above;
  }
  return floor;
}
inline s128 shifted(s128 value, int shift, rounding_mode_t mode) {
  if (shift >= 0) return value << shift;
  const s128 whole = s128{1} << -shift, floor = value >> -shift;
  return rounded<s128>(floor, value - (floor << -shift), whole, mode);
}

// Numbers as bits of the floating-point types, by their definition: no infinities, no denormals.
struct Format {
  int exponent_bits, fraction_bits;
};
inline Format format_of(data_type_t type) {
  return type == DT_FP32 ? Format{8, 23} : type == DT_FP16 ? Format{5, 10} : Format{8, 7};
}
inline std::uint32_t to_bits(double value, data_type_t type, rounding_mode_t mode) {
  const Format format = format_of(type);
  if (value == 0) return 0;
  int exponent = std::ilogb(value);
  const double units = std::ldexp(value, format.fraction_bits - exponent);
  double whole = rounded<double>(std::floor(units), units - std::floor(units), 1.0, mode);
  if (std::fabs(whole) == std::ldexp(1.0, format.fraction_bits + 1)) {
    whole /= 2;
    ++exponent;
  }
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const auto fraction = static_cast<std::uint32_t>(std::fabs(whole)) - (1U << format.fraction_bits);
  return (value < 0 ? 1U << (format.exponent_bits + format.fraction_bits) : 0U) |
         static_cast<std::uint32_t>(exponent + bias) << format.fraction_bits | fraction;
}
inline double from_bits(std::uint32_t bits, data_type_t type) {
  const Format format = format_of(type);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const auto exponent =
      static_cast<int>(bits >> format.fraction_bits & ((1U << format.exponent_bits) - 1));
  const std::uint32_t fraction = bits & ((1U << format.fraction_bits) - 1);
  if (exponent == 0) return 0;
  const double size = std::ldexp(static_cast<double>(fraction + (1U << format.fraction_bits)),
                                 exponent - bias - format.fraction_bits);
  return bits >> (format.exponent_bits + format.fraction_bits) != 0 ? -size : size;
}
inline bool is_float(data_type_t type) {
  return type == DT_FP32 || type == DT_FP16 || type == DT_BFP16;
}

struct Index {
  int n, c, h, w;
};
struct PlacedTensor {
  unsigned long long address;  // local, or system: then `offset` counts from global memory's slots
  dim4 stride;
  int bytes;
  bool local;

  // Where the element stands in the image: the slots of the NPUs, then those of global memory.
  std::size_t offset(Index at) const {
    const auto dot = [&](int c) {
      const int elements = at.n * stride.n + c * stride.c + at.h * stride.h + at.w * stride.w;
      return static_cast<std::size_t>(elements) * static_cast<std::size_t>(bytes);
    };
    if (!local) return kNpus * kSlots * kSlot + (address - kGlobal) + dot(at.c);
    const auto start = static_cast<int>(address / kNpuBytes);
    const auto npu = static_cast<std::size_t>((start + at.c) % kNpus);
    return npu * kSlots * kSlot + address % kNpuBytes + dot((start + at.c) / kNpus);
  }
  const dim4* given() const { return &stride; }
  unsigned at() const { return static_cast<unsigned>(address); }
};

inline int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

class Documented : public testing::Test {
 protected:
  static constexpr int kRounds = 40;

  int random(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  template <class T, std::size_t N>
  T any(const T (&list)[N]) {
    return list[static_cast<std::size_t>(random(0, static_cast<int>(N) - 1))];
  }

  // A new random shape and start NPU, random bytes everywhere.
  void next_round() {
    shape_ = {random(1, 4), random(0, 2) == 0 ? random(60, 130) : random(1, 5), random(1, 5),
              random(1, 12)};
    start_ = random(0, 2) == 0 ? random(1, 63) : 0;
    auto word = static_cast<std::uint32_t>(engine_());
    for (std::size_t i = 0; i < expected_.size(); i += 4, word = word * 1664525U + 1013904223U) {
      const std::uint32_t mixed = word ^ word >> 15U;
      std::memcpy(expected_.data() + i, &mixed, 4);
    }
    upload();
  }

  PlacedTensor tensor(int slot, data_type_t type, const dim4& shape, int start = 0) {
    const int bytes = bytes_of(type), rows = (start + shape.c + kNpus - 1) / kNpus;
    const int c = round_up(shape.h * shape.w * bytes, 64) / bytes;
    return {static_cast<unsigned>(start) * kNpuBytes + static_cast<unsigned>(slot) * kSlot,
            {rows * c, c, shape.w, 1},
            bytes,
            true};
  }
  // With gaps between rows and channels.
  PlacedTensor loose(int slot, data_type_t type) {
    PlacedTensor t = tensor(slot, type, shape_, start_);
    const int rows = (start_ + shape_.c + kNpus - 1) / kNpus;
    t.stride.h = shape_.w + random(0, 3);
    t.stride.c = shape_.h * t.stride.h + random(0, 5);
    t.stride.n = rows * t.stride.c + random(0, 5);
    t.address += static_cast<unsigned>(t.bytes * random(0, 7));
    return t;
  }
  PlacedTensor system(int slot, data_type_t type, const dim4& shape) {
    const int h = shape.w + random(0, 2), c = shape.h * h, n = shape.c * c;
    return {
        kGlobal + static_cast<unsigned>(slot) * kSystemSlot, {n, c, h, 1}, bytes_of(type), false};
  }

  void each(const dim4& shape, const std::function<void(Index)>& f) const {
    for (int n = 0; n < shape.n; ++n)
      for (int c = 0; c < shape.c; ++c)
        for (int h = 0; h < shape.h; ++h)
          for (int w = 0; w < shape.w; ++w) f({n, c, h, w});
  }

  // An element as it was before the call; what it must be afterwards.
  std::uint32_t bits(const PlacedTensor& t, Index at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, expected_.data() + t.offset(at), static_cast<std::size_t>(t.bytes));
    return value;
  }
  s128 integer(const PlacedTensor& t, Index at, data_type_t type) const {
    const s128 value = bits(t, at);
    return value > highest(type) ? value - (s128{1} << (8 * t.bytes)) : value;
  }
  void set(const PlacedTensor& t, Index at, std::uint32_t value) {
    std::memcpy(expected_.data() + t.offset(at), &value, static_cast<std::size_t>(t.bytes));
  }
  void expect(const PlacedTensor& t, Index at, std::uint32_t value) {
    later_.push_back({t.offset(at), t.bytes, value});
  }
  void expect(const PlacedTensor& t, Index at, s128 value) {
    expect(t, at, static_cast<std::uint32_t>(value));
  }
  // Memory becomes what the image is, after `set`.
  void upload() {
    exchange([](std::byte* memory, std::byte* image, std::size_t bytes) {
      std::memcpy(memory, image, bytes);
    });
  }

  const dim4* shape() const { return &shape_; }

  void call(std::string_view function, std::initializer_list<Arg> args) {
    Session session{
        .chip = bm1684x(), .memory = memory_, .observers = {}, .launch = {"k", 0, nullptr}};
    session.issue(*ops().find(function), {args.begin(), args.size()}, nullptr);
    for (const Write& write : later_)
      std::memcpy(expected_.data() + write.offset, &write.value,
                  static_cast<std::size_t>(write.bytes));
    later_.clear();
    std::size_t place = 0;
    exchange([&](std::byte* memory, std::byte* image, std::size_t bytes) {
      ASSERT_EQ(std::memcmp(memory, image, bytes), 0)
          << function << " in memory " << place << ", shape " << shape_.n << ", " << shape_.c
          << ", " << shape_.h << ", " << shape_.w << ", start " << start_;
      ++place;
    });
  }

  dim4 shape_{};
  int start_ = 0;

 private:
  struct Write {
    std::size_t offset;
    int bytes;
    std::uint32_t value;
  };
  // `f(memory, image, bytes)` for the slots of every NPU and of global memory.
  template <class F>
  void exchange(F f) {
    for (std::size_t npu = 0; npu < kNpus; ++npu) {
      f(memory_.base(Space::kLocal) + npu * kNpuBytes, expected_.data() + npu * kSlots * kSlot,
        kSlots * kSlot);
    }
    f(memory_.base(Space::kGlobal), expected_.data() + kNpus * kSlots * kSlot,
      kSlots * kSystemSlot);
  }

  std::mt19937 engine_{20240611};
  DeviceMemory memory_{bm1684x()};
  std::vector<std::byte> expected_ = std::vector<std::byte>(kSlots * (kNpus * kSlot + kSystemSlot));
  std::vector<Write> later_;
};

inline const dim4* const kAligned = nullptr;
inline constexpr rounding_mode_t kModes[] = {
    RM_HALF_TO_EVEN, RM_HALF_AWAY_FROM_ZERO, RM_TOWARDS_ZERO, RM_DOWN, RM_UP, RM_HALF_UP,
    RM_HALF_DOWN};

}  // namespace tensorlane::tpukernel::documented

#endif  // TENSORLANE_TPUKERNEL_DOCUMENTED_TEST_SUPPORT_H_
