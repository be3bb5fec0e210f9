#include "tensorlane/tensor/instruction_set.h"

#include <fmt/ranges.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

#if HWY_ARCH_X86
constexpr std::array<std::string_view, 6> kSets = {"native", "avx512vnni", "avx512",
                                                   "avx2",   "sse4",       "scalar"};
// Of vectors, what each leaves out.
constexpr std::int64_t kAboveAvx512 = HWY_AVX3_DL;
constexpr std::int64_t kAboveAvx2 = kAboveAvx512 | HWY_AVX3;
constexpr std::int64_t kAboveSse4 = kAboveAvx2 | HWY_AVX2;
constexpr std::array<std::int64_t, kSets.size()> kLeftOut = {
    0, 0, kAboveAvx512, kAboveAvx2, kAboveSse4, kAboveSse4 | HWY_SSE4 | HWY_SSSE3};
#else
constexpr std::array<std::string_view, 1> kSets = {"native"};
constexpr std::array<std::int64_t, kSets.size()> kLeftOut = {0};
#endif

std::atomic<std::size_t> limit = 0;  // an index into kSets

bool set_limit(std::string_view name) {
  const auto at = static_cast<std::size_t>(std::ranges::find(kSets, name) - kSets.begin());
  if (at == kSets.size()) return false;
  limit = at;
  hwy::DisableTargets(kLeftOut[at]);
  return true;
}

}  // namespace

std::span<const std::string_view> instruction_sets() {
  return kSets;
}

void limit_instruction_set(std::string_view name) {
  if (!set_limit(name))
    user_error("TENSORLANE_ISA is '{}'; it must be one of {}", name, fmt::join(kSets, ", "));
}

std::string_view instruction_set_limit() {
  return kSets[limit];
}

bool may_use_every_instruction() {
  return limit == 0;
}

}  // namespace tensorlane

// Before main(), as tests and tools compute without a device. Devices say what is wrong with a
// name; see observe/environment.cc. The linker is told that this is needed.
extern "C" {
extern const bool tensorlane_instruction_set;
const bool tensorlane_instruction_set = [] {
  const char* const name = std::getenv("TENSORLANE_ISA");
  return name == nullptr || *name == '\0' || tensorlane::set_limit(name);
}();
}
