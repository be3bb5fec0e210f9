// What differs between the chips of one interface in the numbers that they compute.
//
// Each is a rule of the chip with what it rests on: a row of the table in chip_numerics.cc.
// Arithmetic asks for rules and knows no chip. What stands in no rule is the same on all chips of
// the interface.
#ifndef TENSORLANE_CHIP_NUMERICS_RULES_H_
#define TENSORLANE_CHIP_NUMERICS_RULES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

struct Chip;

// What bits rest on, best first.
enum class Evidence : std::uint8_t {
  kModel,      // the same as the vendor's model of this chip gave in recorded calls
  kBoardHash,  // hashes of outputs that others published, of a board or of its model
  kDocument,   // the documented meaning, which leaves nothing open
  kChoice,     // nothing public decides: what another chip does
};
inline constexpr Evidence kAllEvidence[] = {Evidence::kModel, Evidence::kBoardHash,
                                            Evidence::kDocument, Evidence::kChoice};
std::string_view evidence_name(Evidence evidence);  // "model", "board hash", "document", "choice"

// Powers of e and logarithms, and what is made of them.
enum class Exponentials : std::uint8_t {
  kSeries,  // 2^k times a series of ten terms; the exponent is taken off by its bits
  kTables,  // e^k of a table, from -103 to 88, times a series; the exponent is divided off
};
// Newton steps for 1 / sqrt(x), and the roots and quotients made of them.
enum class Roots : std::uint8_t {
  kBare,          // as the steps end, whatever the operand is; of 16 bits in fp32
  kChecked,       // zero, infinite, negative and NaN operands give what mathematics says
  kCheckedTyped,  // the same, and of fp16 every step in fp16
};

template <class T>
struct NumericsRule {
  T value;
  Evidence evidence;
};

struct NumericsRules {
  // Products of 16-bit floats that are added up exactly before the sum is rounded to fp32.
  NumericsRule<int> exact_products = {32, Evidence::kModel};
  NumericsRule<Exponentials> exponentials = {Exponentials::kSeries, Evidence::kModel};
  NumericsRule<Roots> roots = {Roots::kBare, Evidence::kModel};
  // Rounding to whole numbers takes denormal numbers of fp32 and bf16 for zeros.
  NumericsRule<bool> rounds_denormals_as_zero = {false, Evidence::kModel};
  // A NaN never wins in maximum pooling; else it does where it comes last.
  NumericsRule<bool> nan_loses_in_pooling = {false, Evidence::kModel};
  // Where 8-bit depthwise convolutions insert elements, these are the padding; else zeros.
  NumericsRule<bool> inserts_padding = {false, Evidence::kModel};
  // 32-bit sums of asymmetric convolutions and 16-bit averages of regions saturate; else they wrap.
  NumericsRule<bool> saturates_sums = {false, Evidence::kModel};
  // The zero point of a constant kernel is unsigned whatever its type says.
  NumericsRule<bool> unsigned_zero_point = {false, Evidence::kModel};
  // The integer numbers of a channel are two words, the offset above the shift in the second, those
  // of all channels of an NPU side by side; else three, each channel's in a row of its own.
  NumericsRule<bool> packed_quantisation = {false, Evidence::kModel};

  // Words of the tables that kernels load.
  int exp_terms() const { return exponentials.value == Exponentials::kTables ? 32 : 10; }
  int log_terms() const { return exponentials.value == Exponentials::kTables ? 32 : 16; }
};

// What the bits of some functions of a chip rest on.
struct EvidenceRule {
  std::string_view functions;  // names, a space between each and the next
  Evidence evidence;
  std::vector<Dtype> dtypes = {};  // of the first source; empty: all
};

struct ChipNumerics {
  NumericsRules rules = {};
  // Whether the claims of the ops list, which rest on the models that were recorded for it, are of
  // this chip. Where not, `evidence` says what the bits of functions rest on.
  bool has_own_claims = true;
  std::vector<EvidenceRule> evidence = {};
  int copy_stride_bytes = 128;  // the largest W stride of a GDMA operand
};
// Of a chip, by its name. One without a row computes as its interface's list says.
const ChipNumerics& numerics_of(const Chip& chip);

}  // namespace tensorlane

#endif  // TENSORLANE_CHIP_NUMERICS_RULES_H_
