// What functions mean, computed here from the documents in plain C++, with addresses by the
// documents' formulas, and compared with the emulator on random calls: arithmetic, conversions,
// moves, windows and products. Nothing of the ops list's arithmetic or layouts is used.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {
namespace {

__extension__ using s128 = __int128;

constexpr int kNpus = 64;
constexpr std::size_t kNpuBytes = 256 * 1024;
constexpr std::size_t kSlot = 16384;         // bytes of an operand in every NPU
constexpr std::size_t kSystemSlot = 262144;  // and in global memory
constexpr std::size_t kSlots = 4;
constexpr system_addr_t kGlobal = 0x100000000;

constexpr data_type_t kIntegers[] = {DT_INT32, DT_UINT32, DT_INT16, DT_UINT16, DT_INT8, DT_UINT8};

int bytes_of(data_type_t type) {
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
bool is_signed(data_type_t type) {
  return type == DT_INT8 || type == DT_INT16 || type == DT_INT32;
}
s128 lowest(data_type_t type) {
  return is_signed(type) ? -(s128{1} << (8 * bytes_of(type) - 1)) : s128{0};
}
s128 highest(data_type_t type) {
  return lowest(type) + (s128{1} << (8 * bytes_of(type))) - 1;
}
s128 saturated(s128 value, data_type_t type) {
  return std::clamp(value, lowest(type), highest(type));
}

bool is_odd(s128 value) {
  return (value & 1) != 0;
}
bool is_odd(double value) {
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
s128 shifted(s128 value, int shift, rounding_mode_t mode) {
  if (shift >= 0) return value << shift;
  const s128 whole = s128{1} << -shift, floor = value >> -shift;
  return rounded<s128>(floor, value - (floor << -shift), whole, mode);
}

struct Index {
  int n, c, h, w;
};
struct Tensor {
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

int round_up(int value, int unit) {
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

  Tensor tensor(int slot, data_type_t type, const dim4& shape, int start = 0) {
    const int bytes = bytes_of(type), rows = (start + shape.c + kNpus - 1) / kNpus;
    const int c = round_up(shape.h * shape.w * bytes, 64) / bytes;
    return {static_cast<unsigned>(start) * kNpuBytes + static_cast<unsigned>(slot) * kSlot,
            {rows * c, c, shape.w, 1},
            bytes,
            true};
  }
  // With gaps between rows and channels.
  Tensor loose(int slot, data_type_t type) {
    Tensor t = tensor(slot, type, shape_, start_);
    const int rows = (start_ + shape_.c + kNpus - 1) / kNpus;
    t.stride.h = shape_.w + random(0, 3);
    t.stride.c = shape_.h * t.stride.h + random(0, 5);
    t.stride.n = rows * t.stride.c + random(0, 5);
    t.address += static_cast<unsigned>(t.bytes * random(0, 7));
    return t;
  }
  Tensor system(int slot, data_type_t type, const dim4& shape) {
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
  std::uint32_t bits(const Tensor& t, Index at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, expected_.data() + t.offset(at), static_cast<std::size_t>(t.bytes));
    return value;
  }
  s128 integer(const Tensor& t, Index at, data_type_t type) const {
    const s128 value = bits(t, at);
    return value > highest(type) ? value - (s128{1} << (8 * t.bytes)) : value;
  }
  void set(const Tensor& t, Index at, std::uint32_t value) {
    std::memcpy(expected_.data() + t.offset(at), &value, static_cast<std::size_t>(t.bytes));
  }
  void expect(const Tensor& t, Index at, std::uint32_t value) {
    later_.push_back({t.offset(at), t.bytes, value});
  }
  void expect(const Tensor& t, Index at, s128 value) {
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

const dim4* const kAligned = nullptr;
constexpr rounding_mode_t kModes[] = {
    RM_HALF_TO_EVEN, RM_HALF_AWAY_FROM_ZERO, RM_TOWARDS_ZERO, RM_DOWN, RM_UP, RM_HALF_UP,
    RM_HALF_DOWN};

// D = narrow(shift(S0 op S1)): exact, a positive shift to the left, a negative one rounded to the
// right, then saturated or cut to the low bits.
TEST_F(Documented, IntegerArithmetic) {
  struct Function {
    const char* name;
    s128 (*compute)(s128, s128);
    bool signed_result;
  };
  const Function functions[] = {{"tpu_bdc_int_add", [](s128 a, s128 b) { return a + b; }, false},
                                {"tpu_bdc_int_sub", [](s128 a, s128 b) { return a - b; }, true},
                                {"tpu_bdc_int_mul", [](s128 a, s128 b) { return a * b; }, false}};
  for (int round = 0; round < 4 * kRounds; ++round) {
    next_round();
    const Function& function = any(functions);
    data_type_t to = any(kIntegers);
    while (function.signed_result && !is_signed(to)) to = any(kIntegers);
    const data_type_t from0 = any(kIntegers), from1 = any(kIntegers);
    const rounding_mode_t mode = any(kModes);
    const char shift = static_cast<char>(random(-32, 31));
    const bool saturation = random(0, 1) == 1, constant = random(0, 1) == 1;
    const Tensor dst = loose(0, to), a = loose(1, from0), b = loose(2, from1);
    const scalar_t c{.u32 = bits(b, {0, 0, 0, 0})};
    each(shape_, [&](Index at) {
      const s128 second = integer(b, constant ? Index{0, 0, 0, 0} : at, from1);
      const s128 value = shifted(function.compute(integer(a, at, from0), second), shift, mode);
      expect(dst, at, saturation ? saturated(value, to) : value);
    });
    if (constant) {
      call(std::string(function.name) + "_C",
           {encode(dst.at()), encode(a.at()), encode(c), encode(shape()), encode(dst.given()),
            encode(a.given()), encode(to), encode(from0), encode(from1), encode(shift),
            encode(mode), encode(saturation)});
    } else {
      call(function.name,
           {encode(dst.at()), encode(a.at()), encode(b.at()), encode(shape()), encode(dst.given()),
            encode(a.given()), encode(b.given()), encode(to), encode(from0), encode(from1),
            encode(shift), encode(mode), encode(saturation)});
    }
  }
}

TEST_F(Documented, SquaresAndLimits) {
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const data_type_t to = any(kIntegers), from = any(kIntegers);
    const rounding_mode_t mode = any(kModes);
    const char shift = static_cast<char>(random(-30, 0));
    const bool saturation = random(0, 1) == 1, least = random(0, 1) == 1;
    const Tensor dst = loose(0, to), src = loose(1, from), same = loose(2, from);
    const scalar_t c{.u32 = bits(src, {0, 0, 0, 0})};
    each(shape_, [&](Index at) {
      const s128 number = integer(src, at, from);
      const s128 value = shifted(number * number, shift, mode);
      expect(dst, at, saturation ? saturated(value, to) : value);
    });
    call("tpu_bdc_int_square", {encode(dst.at()), encode(src.at()), encode(shape()),
                                encode(dst.given()), encode(src.given()), encode(to), encode(from),
                                encode(shift), encode(mode), encode(saturation)});
    const s128 constant = integer(src, {0, 0, 0, 0}, from);
    each(shape_, [&](Index at) {
      const s128 number = integer(src, at, from);
      expect(same, at,
             shifted(least ? std::min(number, constant) : std::max(number, constant), shift, mode));
    });
    call(least ? "tpu_bdc_int_min_C" : "tpu_bdc_int_max_C",
         {encode(same.at()), encode(src.at()), encode(c), encode(shape()), encode(same.given()),
          encode(src.given()), encode(from), encode(shift), encode(mode)});
  }
}

TEST_F(Documented, MultiplyAndAccumulate) {
  const data_type_t types[] = {DT_INT8, DT_UINT8};
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const data_type_t from0 = any(types), from1 = any(types);
    const data_type_t to = is_signed(from0) || is_signed(from1) ? DT_INT16 : DT_UINT16;
    const auto left = static_cast<unsigned char>(random(0, 15)),
               right = static_cast<unsigned char>(random(0, 20));
    const rounding_mode_t mode = any(kModes);
    const Tensor dst = loose(0, to), a = loose(1, from0), b = loose(2, from1);
    each(shape_, [&](Index at) {
      const s128 sum =
          (integer(dst, at, to) << left) + integer(a, at, from0) * integer(b, at, from1);
      expect(dst, at, saturated(shifted(sum, -right, mode), to));
    });
    call("tpu_bdc_int8_mac",
         {encode(dst.at()), encode(a.at()), encode(b.at()), encode(shape()), encode(dst.given()),
          encode(a.given()), encode(b.given()), encode(from0), encode(from1), encode(left),
          encode(right), encode(mode)});
  }
}

// --- Conversions ---

// Numbers as bits of the floating-point types, by their definition: no infinities, no denormals.
struct Format {
  int exponent_bits, fraction_bits;
};
Format format_of(data_type_t type) {
  return type == DT_FP32 ? Format{8, 23} : type == DT_FP16 ? Format{5, 10} : Format{8, 7};
}
std::uint32_t to_bits(double value, data_type_t type, rounding_mode_t mode) {
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
double from_bits(std::uint32_t bits, data_type_t type) {
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
bool is_float(data_type_t type) {
  return type == DT_FP32 || type == DT_FP16 || type == DT_BFP16;
}

TEST_F(Documented, Conversions) {
  const data_type_t types[] = {DT_FP32,  DT_FP16,   DT_BFP16, DT_INT32, DT_UINT32,
                               DT_INT16, DT_UINT16, DT_INT8,  DT_UINT8};
  for (const data_type_t to : types) {
    for (const data_type_t from : types) {
      for (int mode = RM_HALF_TO_EVEN; mode <= RM_UP; ++mode) {
        next_round();
        const auto rounding = static_cast<rounding_mode_t>(mode);
        const Tensor dst = loose(0, to), src = loose(1, from);
        each(shape_, [&](Index at) {
          // Halves, thirds and integers; nothing that fp16 cannot hold.
          double value = random(-1000, 1000) / (random(0, 1) == 0 ? 2.0 : 3.0);
          if (!is_float(from)) value = std::trunc(value);
          if (!is_float(from))
            value = static_cast<double>(saturated(static_cast<s128>(value), from));
          const std::uint32_t source =
              is_float(from) ? to_bits(value, from, RM_TOWARDS_ZERO)
                             : static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
          set(src, at, source);
          if (is_float(from)) value = from_bits(source, from);
          if (is_float(to)) {
            expect(dst, at, to_bits(value, to, rounding));
          } else {
            const double floor = std::floor(value);
            const double whole = rounded<double>(floor, value - floor, 1.0, rounding);
            expect(dst, at, saturated(static_cast<s128>(whole), to));
          }
        });
        upload();
        call("tpu_bdc_cast",
             {encode(dst.at()), encode(src.at()), encode(shape()), encode(dst.given()),
              encode(src.given()), encode(to), encode(from), encode(rounding)});
      }
    }
  }
}

// --- Moves ---

TEST_F(Documented, CopiesAndTransposes) {
  for (int round = 0; round < 2 * kRounds; ++round) {
    next_round();
    const data_type_t type = any(kIntegers);
    const Tensor dst = loose(0, type);
    const dim4 shapes[] = {shape_,
                           {shape_.c, shape_.n, shape_.h, shape_.w},
                           {shape_.n, shape_.w, shape_.h, shape_.c},
                           {shape_.n, 1, shape_.h, shape_.w}};
    const int kind = random(0, 3);
    if (kind == 3) {  // one row of NPUs
      shape_.c = std::min(shape_.c, kNpus - start_);
    }
    const Tensor src = system(1, type, shapes[kind]);
    each(shape_, [&](Index at) {
      const Index from[] = {
          at, {at.c, at.n, at.h, at.w}, {at.n, at.w, at.h, at.c}, {at.n, 0, at.h, at.w}};
      expect(dst, at, bits(src, from[kind]));
    });
    const char* const names[] = {"tpu_gdma_cpy_S2L", "tpu_gdma_cpy_nc_trans_S2L",
                                 "tpu_gdma_cpy_cw_trans_S2L", "tpu_gdma_channel_bcast_S2L"};
    call(names[kind], {encode(dst.at()), encode(src.address), encode(shape()), encode(dst.given()),
                       encode(src.given()), encode(type)});
  }
}

TEST_F(Documented, CopiesBack) {
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const data_type_t type = any(kIntegers);
    const Tensor src = loose(0, type), stored = system(1, type, shape_);
    each(shape_, [&](Index at) { expect(stored, at, bits(src, at)); });
    call("tpu_gdma_cpy_L2S", {encode(stored.address), encode(src.at()), encode(shape()),
                              encode(stored.given()), encode(src.given()), encode(type)});
  }
}

TEST_F(Documented, Reversal) {
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const data_type_t type = any(kIntegers);
    const bool to_local = random(0, 1) == 1, from_local = random(0, 1) == 1;
    const Tensor dst = to_local ? loose(0, type) : system(0, type, shape_);
    const Tensor src = from_local ? loose(1, type) : system(1, type, shape_);
    const int axis = random(0, 3);
    each(shape_, [&](Index at) {
      Index from = at;
      int* const along[] = {&from.n, &from.c, &from.h, &from.w};
      const int extents[] = {shape_.n, shape_.c, shape_.h, shape_.w};
      *along[axis] = extents[axis] - 1 - *along[axis];
      expect(dst, at, bits(src, from));
    });
    const char* const names[] = {"tpu_gdma_reverse_S2S", "tpu_gdma_reverse_S2L",
                                 "tpu_gdma_reverse_L2S", "tpu_gdma_reverse_L2L"};
    call(names[2 * from_local + to_local],
         {encode(dst.address), encode(src.address), encode(shape()), encode(dst.given()),
          encode(src.given()), encode(axis), encode(type)});
  }
}

TEST_F(Documented, GatherAndScatterAlongW) {
  for (int round = 0; round < 2 * kRounds; ++round) {
    next_round();
    shape_.h = 1;
    const data_type_t type = any(kIntegers);
    const bool scatter = random(0, 1) == 1;
    const int other_w = random(1, 20);  // of the parameter
    const dim4 param_shape{shape_.n, shape_.c, 1, other_w};
    const int count = scatter ? other_w : shape_.w, limit = scatter ? shape_.w : other_w;
    const Tensor output = tensor(0, type, shape_, start_),
                 param = tensor(1, type, param_shape, start_);
    // [1, count, 1, 1], compact, from NPU 0.
    const Tensor index{2 * kSlot, {1, 1, 1, 1}, 1, true};
    for (int i = 0; i < count; ++i)
      set(index, {0, i, 0, 0}, static_cast<std::uint32_t>(random(0, limit - 1)));
    upload();
    for (int n = 0; n < shape_.n; ++n) {
      for (int c = 0; c < shape_.c; ++c) {
        for (int i = 0; i < count; ++i) {
          const auto at = static_cast<int>(bits(index, {0, i, 0, 0}));
          if (scatter) {
            expect(output, {n, c, 0, at}, bits(param, {n, c, 0, i}));
          } else {
            expect(output, {n, c, 0, i}, bits(param, {n, c, 0, at}));
          }
        }
      }
    }
    call(scatter ? "tpu_bdc_w_scatter" : "tpu_bdc_w_gather",
         {encode(output.at()), encode(param.at()), encode(index.at()), encode(shape()),
          encode(other_w), encode(type), encode(DT_UINT8)});
  }
}

// Rows of a parameter by indices of every channel, in the layout whose rows are aligned to 64
// bytes. An index of all ones fills the row with C, or leaves it.
TEST_F(Documented, RowsGatheredInLocalMemory) {
  const auto lines = [&](int slot, const dim4& shape, int bytes) {
    const int h = round_up(shape.w * bytes, 64) / bytes, c = shape.h * h;
    return Tensor{static_cast<unsigned>(start_) * kNpuBytes + static_cast<unsigned>(slot) * kSlot,
                  {(start_ + shape.c + kNpus - 1) / kNpus * c, c, h, 1},
                  bytes,
                  true};
  };
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    shape_.n = 1;
    const data_type_t type = any(kIntegers);
    const int rows = random(1, 6);
    const bool fill = random(0, 1) == 1;
    const Tensor output = lines(0, shape_, bytes_of(type)),
                 param = lines(1, {1, shape_.c, rows, shape_.w}, bytes_of(type)),
                 index = tensor(2, DT_UINT8, {1, shape_.c, shape_.h, 1}, start_);
    const scalar_t constant{.u32 = 0x12345678};
    each({1, shape_.c, shape_.h, 1}, [&](Index at) {
      const int row = random(0, rows);
      set(index, at, row == rows ? 0xffU : static_cast<std::uint32_t>(row));
    });
    upload();
    each(shape_, [&](Index at) {
      const std::uint32_t row = bits(index, {0, at.c, at.h, 0});
      if (row == 0xff) {
        if (fill) expect(output, at, constant.u32);
      } else {
        expect(output, at, bits(param, {0, at.c, static_cast<int>(row), at.w}));
      }
    });
    call("tpu_bdc_batch_bcast_h_gather_exception",
         {encode(output.at()), encode(param.at()), encode(index.at()), encode(constant),
          encode(shape()), encode(rows), encode(type), encode(DT_UINT8), encode(false),
          encode(fill)});
  }
}

TEST_F(Documented, RowsGatheredByGdma) {
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    shape_.n = 1;
    const data_type_t type = any(kIntegers);
    const int rows = random(1, 9);
    const Tensor output = loose(0, type), param = system(1, type, {1, shape_.c, rows, shape_.w}),
                 index = system(2, DT_UINT32, {1, shape_.c, shape_.h, 1});
    const scalar_t constant{.u32 = 0x89abcdef};
    each({1, shape_.c, shape_.h, 1}, [&](Index at) {
      set(index, at, static_cast<std::uint32_t>(random(0, rows)));  // the last is too large
    });
    upload();
    each(shape_, [&](Index at) {
      const auto row = static_cast<int>(bits(index, {0, at.c, at.h, 0}));
      expect(output, at, row < rows ? bits(param, {0, at.c, row, at.w}) : constant.u32);
    });
    call("tpu_gdma_h_gather_S2L",
         {encode(output.at()), encode(param.address), encode(index.address), encode(false),
          encode(constant), encode(shape()), encode(rows), encode(output.given()),
          encode(param.given()), encode(index.given()), encode(type)});
  }
}

// --- Windows and products: of small integers, so that sums are exact in any order ---

struct Geometry {
  dim2 kernel, stride, dilation;
  padding_t padding;
  int output(int extent, bool along_h) const {
    const int reach = along_h ? (kernel.h - 1) * dilation.h : (kernel.w - 1) * dilation.w;
    const int pad = along_h ? padding.top + padding.bottom : padding.left + padding.right;
    return (extent + pad - reach - 1) / (along_h ? stride.h : stride.w) + 1;
  }
};

class DocumentedWindows : public Documented {
 protected:
  Geometry geometry() {
    for (;;) {
      const Geometry g{{random(1, 3), random(1, 3)},
                       {random(1, 2), random(1, 2)},
                       {random(1, 2), random(1, 2)},
                       {random(0, 1), random(0, 1), random(0, 1), random(0, 1)}};
      const int reach_h = (g.kernel.h - 1) * g.dilation.h,
                reach_w = (g.kernel.w - 1) * g.dilation.w;
      // Every window meets the input.
      if (shape_.h + g.padding.top + g.padding.bottom > reach_h &&
          shape_.w + g.padding.left + g.padding.right > reach_w && shape_.h >= 3 && shape_.w >= 3) {
        return g;
      }
      shape_.h = random(3, 6);
      shape_.w = random(3, 9);
    }
  }
  // Whole numbers of -8..8 without 0.
  void give_small(const Tensor& t, const dim4& shape, data_type_t type) {
    each(shape, [&](Index at) {
      int value = random(type == DT_UINT8 ? 0 : -8, 8);
      if (value == 0) value = 1;  // products have no zeros, whose sign would be in question
      set(t, at,
          is_float(type) ? to_bits(value, type, RM_HALF_TO_EVEN)
                         : static_cast<std::uint32_t>(value));
    });
  }
  double number(const Tensor& t, Index at, data_type_t type) const {
    return is_float(type) ? from_bits(bits(t, at), type)
                          : static_cast<double>(integer(t, at, type));
  }
  // `f(kernel row, kernel column, input index)` for each position of a window in the input; the
  // return value says how many there are outside.
  template <class F>
  int window(const Geometry& g, Index out, F f) const {
    int outside = 0;
    for (int y = 0; y < g.kernel.h; ++y) {
      for (int x = 0; x < g.kernel.w; ++x) {
        const int h = out.h * g.stride.h - g.padding.top + y * g.dilation.h;
        const int w = out.w * g.stride.w - g.padding.left + x * g.dilation.w;
        if (h < 0 || h >= shape_.h || w < 0 || w >= shape_.w) {
          ++outside;
        } else {
          f(y, x, Index{out.n, out.c, h, w});
        }
      }
    }
    return outside;
  }
};

TEST_F(DocumentedWindows, Pooling) {
  const data_type_t types[] = {DT_FP32, DT_FP16, DT_BFP16, DT_INT8, DT_UINT8};
  for (int round = 0; round < 2 * kRounds; ++round) {
    next_round();
    const data_type_t type = any(types);
    const Geometry g = geometry();
    const dim4 output_shape{shape_.n, shape_.c, g.output(shape_.h, true),
                            g.output(shape_.w, false)};
    const Tensor output = tensor(0, type, output_shape, start_),
                 input = tensor(1, type, shape_, start_);
    const bool average = is_float(type) && random(0, 1) == 1;
    const int pad = random(0, 3);
    give_small(input, shape_, type);
    upload();
    each(output_shape, [&](Index at) {
      double most = -100, sum = 0;
      const int outside = window(g, at, [&](int, int, Index from) {
        most = std::max(most, number(input, from, type));
        sum += number(input, from, type);
      });
      if (outside > 0) most = std::max(most, static_cast<double>(pad));
      const double result = average ? sum * 2 : most;
      expect(output, at,
             is_float(type) ? to_bits(result, type, RM_HALF_TO_EVEN)
                            : static_cast<std::uint32_t>(static_cast<int>(result)));
    });
    const scalar_t value{.u32 = !is_float(type)
                                    ? static_cast<std::uint32_t>(pad)
                                    : to_bits(average ? 2 : pad, type, RM_HALF_TO_EVEN)};
    call(average          ? "tpu_bdc_fp_avg_pool2d"
         : is_float(type) ? "tpu_bdc_fp_max_pool2d"
                          : "tpu_bdc_int8_max_pool2d",
         {encode(output.at()), encode(input.at()), encode(shape()), encode(&g.kernel),
          encode(&g.padding), encode(&g.stride), encode(&g.dilation), encode(type), encode(value)});
  }
}

TEST_F(DocumentedWindows, Convolution) {
  const data_type_t types[] = {DT_FP32, DT_FP16, DT_BFP16, DT_INT8};
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    shape_.n = std::min(shape_.n, 2);
    const data_type_t type = any(types);
    const Geometry g = geometry();
    const int output_c = random(1, 70);
    const dim4 output_shape{shape_.n, output_c, g.output(shape_.h, true),
                            g.output(shape_.w, false)};
    if (type != DT_FP32) start_ = 0;  // as the functions ask for
    const data_type_t output_type = type == DT_INT8 ? DT_INT16 : DT_FP32;
    const Tensor output = tensor(0, output_type, output_shape, 0),
                 input = tensor(1, type, shape_, start_);
    // [oc][group of input channels][kh][kw][64 or 32 of them, 1 of fp32], a row per output channel.
    const int group = type == DT_INT8 ? 64 : type == DT_FP32 ? 1 : 32;
    const int row = (shape_.c + group - 1) / group * g.kernel.h * g.kernel.w * group;
    const dim4 weight_shape{1, output_c, 1, row};
    const Tensor weight{2 * kSlot, {row, row, row, 1}, bytes_of(type), true};
    const auto tap = [&](int o, int i, int y, int x) {
      return Index{0, o, 0, ((i / group * g.kernel.h + y) * g.kernel.w + x) * group + i % group};
    };
    give_small(input, shape_, type);
    give_small(weight, weight_shape, type);
    upload();
    each(output_shape, [&](Index at) {
      double sum = 0;
      for (int i = 0; i < shape_.c; ++i) {
        window(g, {at.n, i, at.h, at.w}, [&](int y, int x, Index from) {
          sum += number(input, from, type) * number(weight, tap(at.c, i, y, x), type);
        });
      }
      if (type == DT_INT8) {
        expect(output, at, saturated(shifted(static_cast<s128>(sum), -3, RM_HALF_UP), DT_INT16));
      } else {
        expect(output, at, to_bits(sum, output_type, RM_HALF_TO_EVEN));
      }
    });
    if (type == DT_INT8) {
      call("tpu_bdc_int8_sym_quant_conv2d",
           {encode(output.at()), encode(input.at()), encode(weight.at()), encode(0U),
            encode(shape()), encode(kAligned), encode(output_c), encode(&g.kernel),
            encode(&g.padding), encode(&g.stride), encode(&g.dilation), encode(output_type),
            encode(type), encode(type), encode(DT_INT16), encode(static_cast<unsigned char>(3)),
            encode(false), encode(false)});
    } else {
      call("tpu_bdc_fp_conv2d",
           {encode(output.at()), encode(input.at()), encode(weight.at()), encode(0U),
            encode(shape()), encode(kAligned), encode(output_c), encode(&g.kernel),
            encode(&g.padding), encode(&g.stride), encode(&g.dilation), encode(output_type),
            encode(type), encode(false), encode(false)});
    }
  }
}

// Row r of a matrix is channel r.
TEST_F(DocumentedWindows, MatrixProducts) {
  const data_type_t types[] = {DT_FP16, DT_BFP16, DT_INT8, DT_UINT8};
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const data_type_t type = any(types);
    const data_type_t output_type = is_float(type)    ? DT_FP32
                                    : type == DT_INT8 ? DT_INT32
                                                      : DT_UINT32;
    const int rows = random(1, 130), inner = random(1, 70), cols = random(1, 70);
    const dim4 left_shape{1, rows, 1, inner}, right_shape{1, inner, 1, cols},
        output_shape{1, rows, 1, cols};
    const Tensor output = tensor(0, output_type, output_shape), left = tensor(1, type, left_shape),
                 right = tensor(2, type, right_shape);
    const scalar_t zero{.u32 = is_float(type) ? 0U : static_cast<unsigned>(random(0, 5))};
    give_small(left, left_shape, type);
    give_small(right, right_shape, type);
    upload();
    each(output_shape, [&](Index at) {
      double sum = 0;
      for (int k = 0; k < inner; ++k) {
        sum +=
            number(left, {0, at.c, 0, k}, type) * (number(right, {0, k, 0, at.w}, type) - zero.u32);
      }
      expect(output, at,
             is_float(type) ? to_bits(sum, output_type, RM_HALF_TO_EVEN)
                            : static_cast<std::uint32_t>(static_cast<std::int64_t>(sum)));
    });
    if (is_float(type)) {
      call("tpu_bdc_fp_mm",
           {encode(output.at()), encode(left.at()), encode(right.at()), encode(rows), encode(inner),
            encode(cols), encode(output_type), encode(type), encode(false)});
    } else {
      call("tpu_bdc_int8_zp_mm",
           {encode(output.at()), encode(left.at()), encode(right.at()), encode(zero), encode(rows),
            encode(inner), encode(cols), encode(type), encode(type), encode(false)});
    }
  }
}

}  // namespace
}  // namespace tensorlane::tpukernel
