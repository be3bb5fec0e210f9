// Three designs of the products of 16-bit floats (half_designs.h) and the library's tile, over
// operands in the first-level cache. A line of JSON for each and for each kind of numbers; first
// each must give the bits of the rule.
//
//   half_products_bench
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string_view>
#include <vector>

#include "half_designs.h"
#include "peer_timing.h"
#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/tiles/block_tile.h"
#include "tensorlane/compute/tiles/product_rules.h"

namespace {

using namespace tensorlane;
using namespace tensorlane::bench;

std::mt19937 random_bits(37);

// To the nearest number with `bits` of mantissa.
float rounded(float number, int bits) {
  if (number == 0) return 0;
  const int shift = bits - 1 - std::ilogb(number);
  return std::ldexp(std::nearbyint(std::ldexp(number, shift)), -shift);
}
float uniform() {
  return std::uniform_real_distribution<float>(-1, 1)(random_bits);
}
float normal() {
  return std::normal_distribution<float>()(random_bits);
}

struct Numbers {
  std::string_view name;
  std::function<float()> input, weight;
};

void block_tile(const HalfOperand& inputs, const HalfOperand& weights, float* sums) {
  static const std::vector<std::int32_t> offsets = [&] {
    std::vector<std::int32_t> all;
    for (int k = 0; k < kSteps; ++k) all.push_back(k * inputs.places);
    return all;
  }();
  static const std::vector<std::int32_t> ends = [] {
    std::vector<std::int32_t> all;
    for (int k = kBlock; k <= kSteps; k += kBlock) all.push_back(k);
    return all;
  }();
  run_block_tile({kRows, inputs.places, inputs.numbers.data(), weights.numbers.data(),
                  offsets.data(), ends.data(), kSteps / kBlock, false, nullptr, sums});
}

std::vector<float> rule(const HalfOperand& inputs, const HalfOperand& weights) {
  std::vector<float> sums;
  for (int r = 0; r < kRows; ++r) {
    for (int i = 0; i < inputs.places; ++i) {
      BlockSum sum({});
      for (int k = 0; k < kSteps; ++k) {
        sum.add(inputs.numbers.data()[k * inputs.places + i],
                weights.numbers.data()[k * kRows + r]);
        if ((k + 1) % kBlock == 0) sum.end_block();
      }
      sums.push_back(sum.result());
    }
  }
  return sums;
}

bool gives_bits(HalfDesign design, const HalfOperand& inputs, const HalfOperand& weights) {
  const std::vector<float> want = rule(inputs, weights);
  Plane<float> got(want.size());
  design(inputs, weights, got.data());
  return std::ranges::equal(want, std::span(got.data(), want.size()), {},
                            std::bit_cast<std::uint32_t, float>,
                            std::bit_cast<std::uint32_t, float>);
}

}  // namespace

int main() {
  const Numbers kinds[] = {
      {"fp16 evenly in [-1, 1]", [] { return rounded(uniform(), 11); },
       [] { return rounded(uniform(), 11); }},
      {"fp16 normal", [] { return rounded(normal(), 11); }, [] { return rounded(normal(), 11); }},
      {"bf16 normal", [] { return rounded(normal(), 8); }, [] { return rounded(normal(), 8); }},
      {"fp16 by integers of 4 bits", [] { return rounded(normal(), 11); },
       [] { return std::nearbyint(7 * uniform()); }},
      {"integers of 8 bits", [] { return std::nearbyint(127 * uniform()); },
       [] { return std::nearbyint(127 * uniform()); }},
  };
  const std::pair<std::string_view, HalfDesign> designs[] = {
      {"the library's tile", block_tile},
      {"a: mantissas as integers", cut_mantissas},
      {"b: exponents from logarithms", cut_by_logarithms},
      {"c: exact in fp64, else two passes", add_exactly},
      {"c: cut by adding in fp64", cut_by_adding}};
  const ChipFloatScope chip_float;
  const int columns = half_tile_columns();
  for (const Numbers& numbers : kinds) {
    HalfOperand inputs(columns), weights(kRows);
    const auto draw = [&] {
      std::generate_n(inputs.numbers.data(), kSteps * columns, numbers.input);
      std::generate_n(weights.numbers.data(), kSteps * kRows, numbers.weight);
      complete(inputs, 16);
      complete(weights, 1);
    };
    constexpr int kDraws = 50;
    for (int k = 0; k < kDraws; ++k) {
      draw();
      for (const auto& [name, design] : designs) {
        if (gives_bits(design, inputs, weights)) continue;
        fmt::print(stderr, "{} has other bits: {}\n", name, numbers.name);
        return EXIT_FAILURE;
      }
    }
    Plane<float> sums(static_cast<std::size_t>(kRows) * columns);
    constexpr int kRounds = 101, kRepeats = 20;
    std::vector<std::vector<double>> seconds(std::size(designs));
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < std::size(designs); ++i) {
        seconds[i].push_back(seconds_of([&] {
          for (int k = 0; k < kRepeats; ++k) designs[i].second(inputs, weights, sums.data());
        }));
      }
    }
    const double products = 1.0 * kRepeats * kRows * columns * kSteps;
    for (std::size_t i = 0; i < std::size(designs); ++i) {
      fmt::print(
          "{{\"numbers\": \"{}\", \"design\": \"{}\", \"ps a product\": {:.1f}, "
          "\"of the tile\": {:.2f}}}\n",
          numbers.name, designs[i].first, 1e12 * median(seconds[i]) / products,
          median(seconds[0]) / median(seconds[i]));
    }
  }
}
