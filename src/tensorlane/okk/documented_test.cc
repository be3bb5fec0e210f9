// The functions that the vendor's model cannot run, and the two that no header declares: computed
// here from the documents in plain C++, with addresses by the documents' formulas, and compared
// with the emulator on random calls. Nothing of the ops list's arithmetic or layouts is used.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "tensorlane/device/call.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::okk {
namespace {

constexpr int kNpus = 64;
constexpr int kNpuBytes = 512 * 1024;

struct Index {
  int n, c, h, w;
};

// How the elements of a tensor are kept.
enum class Kept { kWords, kBytes, k2N, k4N };

// A tensor in local memory by the formulas of the documents.
struct PlacedTensor {
  local_addr_t address;
  dim4 stride;  // of words for kWords, k2N and k4N, of bytes for kBytes
  Kept kept;

  std::size_t offset(Index at) const {
    const int start = static_cast<int>(address) / kNpuBytes;
    const int npu = (start + at.c) % kNpus;
    const int row = (start + at.c) / kNpus;
    const int batches = kept == Kept::k2N ? 2 : kept == Kept::k4N ? 4 : 1;
    const int unit = kept == Kept::kBytes ? 1 : 4;
    const int element =
        row * stride.c + at.n / batches * stride.n + at.h * stride.h + at.w * stride.w;
    return static_cast<std::size_t>(npu) * kNpuBytes + address % kNpuBytes +
           static_cast<std::size_t>(element * unit + at.n % batches * (4 / batches));
  }
};

int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

class Documented : public testing::Test {
 protected:
  static constexpr int kRounds = 60;

  Documented() : local_(memory_.base(Space::kLocal)) {}

  int random(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

  // A new random shape and start NPU, random bytes in the slots.
  void next_round() {
    shape_ = {random(1, 9), random(0, 3) == 0 ? random(60, 130) : random(1, 5), random(1, 5),
              random(1, 9)};
    start_ = random(0, 2) == 0 ? random(1, 63) : 0;
    auto word = static_cast<std::uint32_t>(engine_());
    for (int npu = 0; npu < kNpus; ++npu) {
      std::byte* const slots = local_ + npu * kNpuBytes;
      for (int i = 0; i < 6 * kSlot; i += 4, word = word * 1664525u + 1013904223u)
        std::memcpy(slots + i, &word, 4);
      std::memcpy(before_.data() + npu * kNpuBytes, slots, 6 * kSlot);
    }
  }

  // A tensor in slot `slot`: aligned to `align` bytes per channel, or strides of our own.
  PlacedTensor tensor(int slot, Kept kept, int align) const {
    const int unit = kept == Kept::kBytes ? 1 : 4;
    const int rows = (start_ + shape_.c + kNpus - 1) / kNpus;
    const int c = round_up(shape_.h * shape_.w * unit, align) / unit;
    return {static_cast<local_addr_t>(start_ * kNpuBytes + slot * kSlot),
            {rows * c, c, shape_.w, 1},
            kept};
  }

  void each(const std::function<void(Index)>& f) const {
    for (int n = 0; n < shape_.n; ++n)
      for (int c = 0; c < shape_.c; ++c)
        for (int h = 0; h < shape_.h; ++h)
          for (int w = 0; w < shape_.w; ++w) f({n, c, h, w});
  }

  template <class T>
  T old(const PlacedTensor& tensor, Index at) const {
    T value;
    std::memcpy(&value, before_.data() + tensor.offset(at), sizeof value);
    return value;
  }
  template <class T>
  void expect(const PlacedTensor& tensor, Index at, T value) {
    std::memcpy(before_.data() + tensor.offset(at), &value, sizeof value);
  }

  void call(std::string_view function, std::initializer_list<Arg> args) {
    Session session{bm1684(), memory_, {}, {}};
    session.issue(*find_op(function), {args.begin(), args.size()}, nullptr);
  }

  // Memory is as expected; the slots of work tensors do not count.
  void compare(std::initializer_list<int> work_slots = {}) {
    for (int npu = 0; npu < kNpus; ++npu) {
      for (int slot = 0; slot < 6; ++slot) {
        if (std::find(work_slots.begin(), work_slots.end(), slot) != work_slots.end()) continue;
        const std::size_t begin =
            static_cast<std::size_t>(npu) * kNpuBytes + static_cast<std::size_t>(slot) * kSlot;
        ASSERT_EQ(std::memcmp(local_ + begin, before_.data() + begin, kSlot), 0)
            << "NPU " << npu << " slot " << slot << " shape " << shape_.n << "," << shape_.c << ","
            << shape_.h << "," << shape_.w << " start " << start_;
      }
    }
  }

  static constexpr int kSlot = 16384;
  DeviceMemory memory_{bm1684()};
  std::byte* local_;
  std::vector<std::byte> before_ = std::vector<std::byte>(std::size_t{kNpus} * kNpuBytes);
  std::mt19937 engine_{20240601};
  dim4 shape_{};
  int start_ = 0;
};

TEST_F(Documented, SetAndLogicWithConstants) {
  const struct {
    const char* name;
    std::uint32_t (*f)(std::uint32_t, std::uint32_t);
  } functions[] = {{"okk_bdc_32bit_set_C", [](std::uint32_t, std::uint32_t c) { return c; }},
                   {"okk_bdc_32bit_and_C", [](std::uint32_t a, std::uint32_t c) { return a & c; }},
                   {"okk_bdc_32bit_or_C", [](std::uint32_t a, std::uint32_t c) { return a | c; }},
                   {"okk_bdc_32bit_xor_C", [](std::uint32_t a, std::uint32_t c) { return a ^ c; }}};
  for (const auto& function : functions) {
    for (int round = 0; round < kRounds / 4; ++round) {
      next_round();
      const bool given = random(0, 1) == 1;  // compact, where the default is aligned
      const PlacedTensor dst = tensor(0, Kept::kWords, given ? 4 : 128);
      const PlacedTensor src = tensor(1, Kept::kWords, given ? 4 : 128);
      const x32 c{.u32 = static_cast<unsigned int>(engine_())};
      each([&](Index at) { expect(dst, at, function.f(old<std::uint32_t>(src, at), c.u32)); });
      const dim4* none = nullptr;
      const Arg dst_stride = encode(given ? &dst.stride : none);
      const Arg src_stride = encode(given ? &src.stride : none);
      const dim4* shape = &shape_;
      if (std::string_view(function.name) == "okk_bdc_32bit_set_C") {
        call(function.name, {encode(dst.address), encode(c), encode(shape), dst_stride});
      } else {
        call(function.name, {encode(dst.address), encode(src.address), encode(c), encode(shape),
                             dst_stride, src_stride});
      }
      compare();
    }
  }
}

TEST_F(Documented, Int8ToFp32) {
  for (const Kept kept : {Kept::k4N, Kept::kBytes}) {
    for (int round = 0; round < kRounds; ++round) {
      next_round();
      const bool is_signed = random(0, 1) == 1, aligned = random(0, 1) == 1;
      // Compact bytes fill whole words per channel; aligned ones 128 bytes.
      const PlacedTensor dst = tensor(0, Kept::kWords, aligned ? 128 : 4);
      const PlacedTensor src = tensor(2, kept, aligned ? 128 : 4);
      const PlacedTensor work = tensor(4, kept, aligned ? 128 : 4);
      each([&](Index at) {
        expect(dst, at,
               is_signed ? static_cast<float>(old<signed char>(src, at))
                         : static_cast<float>(old<unsigned char>(src, at)));
      });
      const dim4* shape = &shape_;
      call(kept == Kept::k4N ? "okk_bdc_4N_int8_to_fp32" : "okk_bdc_int8_to_fp32",
           {encode(dst.address), encode(src.address), encode(work.address), encode(shape),
            encode(is_signed), encode(aligned)});
      compare({4});
    }
  }
}

TEST_F(Documented, Fp32To4NInt8) {
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const bool is_signed = random(0, 1) == 1, aligned = random(0, 1) == 1;
    const PlacedTensor dst = tensor(0, Kept::k4N, aligned ? 128 : 4);
    const PlacedTensor src = tensor(2, Kept::kWords, aligned ? 128 : 4);
    const PlacedTensor work = tensor(4, Kept::k4N, aligned ? 128 : 4);
    each([&](Index at) {
      float value = std::uniform_real_distribution<float>(-400.0f, 400.0f)(engine_);
      if (random(0, 9) == 0) value = value > 0 ? INFINITY : -INFINITY;
      std::memcpy(local_ + src.offset(at), &value, 4);
      expect(src, at, value);
      const float low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
      const float cut = std::trunc(std::clamp(value, low, high));
      expect(dst, at, static_cast<unsigned char>(static_cast<int>(cut)));
    });
    const dim4* shape = &shape_;
    call("okk_bdc_fp32_to_4N_int8", {encode(dst.address), encode(src.address), encode(work.address),
                                     encode(shape), encode(is_signed), encode(aligned)});
    compare({4});
  }
}

TEST_F(Documented, SplitLowByte) {
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const PlacedTensor dst = tensor(0, Kept::k4N, 128), src = tensor(1, Kept::k2N, 128);
    each([&](Index at) {
      expect(dst, at, static_cast<unsigned char>(old<unsigned short>(src, at) % 256));
    });
    const dim4 *shape = &shape_, *none = nullptr;
    call("okk_bdc_fixed_point_packed_16bit_split_low_8bit",
         {encode(dst.address), encode(src.address), encode(tensor(3, Kept::k2N, 128).address),
          encode(shape), encode(none), encode(none), encode(none)});
    compare({3});
  }
}

TEST_F(Documented, ConstantShifted16Bit) {
  for (const bool arithmetic : {true, false}) {
    for (int round = 0; round < kRounds; ++round) {
      next_round();
      const PlacedTensor dst = tensor(0, Kept::k2N, 128), src = tensor(1, Kept::k2N, 128);
      const int c = arithmetic ? random(-32768, 32767) : random(0, 65535);
      each([&](Index at) {
        const int amount = random(-16, 16);
        const auto stored = static_cast<short>(amount);
        std::memcpy(local_ + src.offset(at), &stored, 2);
        expect(src, at, stored);
        // In the mathematical sense: times a power of two, floored, low 16 bits kept.
        const double value = std::floor(std::ldexp(static_cast<double>(c), amount));
        expect(dst, at, static_cast<unsigned short>(static_cast<long long>(value)));
      });
      const dim4 *shape = &shape_, *none = nullptr;
      call(arithmetic ? "okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift"
                      : "okk_bdc_fixed_point_packed_16bit_C_logical_shift",
           {encode(dst.address), encode(src.address), encode(c), encode(shape), encode(none),
            encode(none)});
      compare();
    }
  }
}

TEST_F(Documented, S16TimesU8) {
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const PlacedTensor dst = tensor(0, Kept::k2N, 128), src0 = tensor(1, Kept::k2N, 128);
    const PlacedTensor src1 = tensor(2, Kept::k4N, 128);
    const int rshift = random(0, 3) == 0 ? random(0, 31) : random(0, 10);
    each([&](Index at) {
      const double product = static_cast<double>(old<short>(src0, at)) *
                             static_cast<double>(old<unsigned char>(src1, at));
      const double rounded = std::floor(std::ldexp(product, -rshift) + 0.5);
      const double exact = rshift == 0 ? product : rounded;
      expect(dst, at, static_cast<short>(std::clamp(exact, -32768.0, 32767.0)));
    });
    const dim4 *shape = &shape_, *none = nullptr;
    call("okk_bdc_fixed_point_packed_s16_mul_u8_to_s16",
         {encode(dst.address), encode(src0.address), encode(src1.address),
          encode(tensor(3, Kept::k2N, 128).address), encode(tensor(4, Kept::k4N, 128).address),
          encode(tensor(5, Kept::k4N, 128).address), encode(shape), encode(none), encode(none),
          encode(none), encode(none), encode(none), encode(none), encode(rshift)});
    compare({3, 4, 5});
  }
}

TEST(Undeclared, FindsKernelsByName) {
  const auto find = [](const char* name) {
    const Arg arg = encode(name);
    return call_in_session(nullptr, *find_op("okk_get_kernel_func_by_name"), {&arg, 1}, nullptr,
                           bm1684());
  };
  const okk_kernel_func_t kernel = [](const void*) {};
  register_kernel("a kernel of this test", kernel, nullptr);
  EXPECT_EQ(find("a kernel of this test"), reinterpret_cast<std::int64_t>(kernel));
  EXPECT_EQ(find("no such kernel"), 0);
}

}  // namespace
}  // namespace tensorlane::okk
