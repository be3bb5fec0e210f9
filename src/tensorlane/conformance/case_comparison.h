// What a case left beside what was recorded of it.
#ifndef TENSORLANE_CONFORMANCE_CASE_COMPARISON_H_
#define TENSORLANE_CONFORMANCE_CASE_COMPARISON_H_

#include <cstdint>
#include <string>

#include "tensorlane/conformance/case_args.h"
#include "tensorlane/conformance/cases.h"
#include "tensorlane/conformance/machine_image.h"
#include "tensorlane/device/session.h"

namespace tensorlane::conformance {

// Results in memory. Texts are lines for people, empty where nothing differs.
class CaseComparison {
 public:
  // All have to outlive it.
  CaseComparison(CaseReader& recording, const Session& session, MachineImage& image)
      : recording_(recording), session_(session), image_(image) {}

  // The first operand that is not as recorded. Puts the recorded results into the image's copy,
  // those that are near enough as they are.
  std::string compare_operands(const RecordedCase& recorded);
  // Of a byte that no recorded result accounts for.
  std::string stray_text(const Place& place);

 private:
  std::string compare_operand(const RecordedCase& recorded, const RecordedOperand& operand);
  std::string compare_digests(const RecordedCase& recorded, const RecordedOperand& operand);
  std::string describe(const Place& place);

  CaseReader& recording_;
  const Session& session_;
  MachineImage& image_;
};

// What the call returned, and left behind pointers of its arguments.
std::string compare_values(const RecordedCase& recorded, const Op& op, const CaseArgs& args,
                           std::int64_t returned);

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_CASE_COMPARISON_H_
