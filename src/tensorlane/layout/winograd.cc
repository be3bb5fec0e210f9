#include "tensorlane/layout/winograd.h"

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

using Row = WinogradRow;

// The matrices G. [source of MACE, confirmed by running its kernels]
constexpr Row kG2[] = {{1, 0, 0}, {0.5F, 0.5F, 0.5F}, {0.5F, -0.5F, 0.5F}, {0, 0, 1}};
constexpr Row kG4[] = {{1.0F / 4, 0, 0},
                       {-1.0F / 6, -1.0F / 6, -1.0F / 6},
                       {-1.0F / 6, 1.0F / 6, -1.0F / 6},
                       {1.0F / 24, 1.0F / 12, 1.0F / 6},
                       {1.0F / 24, -1.0F / 12, 1.0F / 6},
                       {0, 0, 1}};
constexpr Row kG6[] = {{1, 0, 0},
                       {-2.0F / 9, -2.0F / 9, -2.0F / 9},
                       {-2.0F / 9, 2.0F / 9, -2.0F / 9},
                       {1.0F / 90, 2.0F / 90, 4.0F / 90},
                       {1.0F / 90, -2.0F / 90, 4.0F / 90},
                       {4.0F / 180, 2.0F / 180, 1.0F / 180},
                       {4.0F / 180, -2.0F / 180, 1.0F / 180},
                       {0, 0, 1}};

}  // namespace

std::span<const WinogradRow> winograd_matrix(int block) {
  switch (block) {
    case 2:
      return kG2;
    case 4:
      return kG4;
    case 6:
      return kG6;
    default:
      user_error("winograd block is {}; MACE has 2, 4 and 6", block);
  }
}

std::vector<float> winograd_filter_transform(std::span<const float> filters, int block) {
  const std::span<const Row> g = winograd_matrix(block);
  TL_INTERNAL_CHECK(filters.size() % 9 == 0);
  std::vector<float> result;
  result.reserve(filters.size() / 9 * g.size() * g.size());
  for (std::size_t at = 0; at < filters.size(); at += 9) {
    const float* filter = filters.data() + at;
    for (const Row& left : g) {
      Row half{};  // one row of G g
      for (std::size_t col = 0; col < 3; ++col) {
        for (std::size_t k = 0; k < 3; ++k) half[col] += left[k] * filter[k * 3 + col];
      }
      for (const Row& right : g) {
        result.push_back(half[0] * right[0] + half[1] * right[1] + half[2] * right[2]);
      }
    }
  }
  return result;
}

}  // namespace tensorlane
