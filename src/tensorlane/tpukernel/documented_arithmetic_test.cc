// Integer arithmetic and conversions as documented, on random calls.
#include <cmath>

#include "tensorlane/tpukernel/documented_test_support.h"

namespace tensorlane::tpukernel::documented {
namespace {

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
    const PlacedTensor dst = loose(0, to), a = loose(1, from0), b = loose(2, from1);
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
    const PlacedTensor dst = loose(0, to), src = loose(1, from), same = loose(2, from);
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
      expect(same, at, least ? std::min(number, constant) : std::max(number, constant));
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
    const PlacedTensor dst = loose(0, to), a = loose(1, from0), b = loose(2, from1);
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

TEST_F(Documented, Conversions) {
  const data_type_t types[] = {DT_FP32,  DT_FP16,   DT_BFP16, DT_INT32, DT_UINT32,
                               DT_INT16, DT_UINT16, DT_INT8,  DT_UINT8};
  for (const data_type_t to : types) {
    for (const data_type_t from : types) {
      for (int mode = RM_HALF_TO_EVEN; mode <= RM_UP; ++mode) {
        next_round();
        const auto rounding = static_cast<rounding_mode_t>(mode);
        const PlacedTensor dst = loose(0, to), src = loose(1, from);
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

}  // namespace
}  // namespace tensorlane::tpukernel::documented
