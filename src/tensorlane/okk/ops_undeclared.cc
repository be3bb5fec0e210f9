// Functions that the vendor's library exports but no header declares. okk.h shows them to programs
// that define TENSORLANE_OKK_UNDECLARED; their prototypes and meanings are ours.
#define TENSORLANE_OKK_UNDECLARED
#include "tensorlane/compute/rows/converted_rows.h"
#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/compute/rows/word_functions.h"
#include "tensorlane/compute/special/fp32_exponential.h"
#include "tensorlane/device/host_functions.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/families.h"
#include "tensorlane/okk/int8_operands.h"

TL_OKK_OPS_FILE(undeclared);

namespace tensorlane::okk {

TL_OKK_OP(okk_get_kernel_func_by_name) = host(
    "The registered kernel called `name`, null when there is none.",
    [](const HostCall& call) {
      return reinterpret_cast<std::int64_t>(
          find_kernel(static_cast<const char*>(call.arg("name").pointer)));
    },
    {"not_null(name)"}, "undeclared-export");

TL_OKK_OP(okk_bdc_fp32_to_4N_int8) = [] {
  OperandSpec src = in("src_addr", Dtype::kFp32);
  src.layout_rule = int8_layout<DefaultLayout::kCompact>;
  // The work tensor holds the result as well.
  static constexpr std::string_view kFirst = "work_addr";
  std::vector<Implementation> cut = elementwise<std::uint8_t, float, std::uint32_t>(
      kFirst, {"src_addr", "is_signed"}, [](float x, std::uint32_t is_signed) {
        const int low = is_signed != 0 ? -128 : 0;
        return static_cast<std::uint8_t>(std::clamp(fp32::to_int32(x), low, low + 255));
      });
  const auto vectors = [](const Invocation& invocation) {
    static constexpr std::array<std::string_view, 1> kSources = {"src_addr"};
    return run_rows(invocation, kFirst, kSources, cut_to_bytes(int8_type(invocation.command)));
  };
  cut.insert(cut.begin(), {"simd", vectors, kAnyOperands});
  const auto words = [](const Invocation& invocation) {
    return fp32_to_words(invocation, "dst_addr", "src_addr", kFirst);
  };
  return OpSpec{
      .engine = Engine::kBdc,
      .group = "undeclared-export",
      .doc =
          computes("dst = src", " as int8 or uint8 in 4N storage, cut toward zero and saturated"),
      .operands = {int8_4n(Role::kOut, "dst_addr"), src, int8_4n(Role::kWork, "work_addr")},
      .limits = join({kInt8CastLimits, {"distinct(src_addr, work_addr)"}}),
      .preferred = kInt8CastPreferred,
      .numerics = Numerics::kExactToDocument,
      .implementations =
          in_words(words, in_turn({cut, copy_elements<std::uint8_t>("dst_addr", kFirst)})),
      .cycles = per_group(15)};
}();

}  // namespace tensorlane::okk
