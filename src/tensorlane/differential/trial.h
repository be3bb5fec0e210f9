// A call computed in some way beside its reference: memory must be the same afterwards, byte for
// byte.
#ifndef TENSORLANE_DIFFERENTIAL_TRIAL_H_
#define TENSORLANE_DIFFERENTIAL_TRIAL_H_

#include <optional>
#include <string>
#include <vector>

#include "tensorlane/differential/call_generator.h"
#include "tensorlane/differential/call_memory.h"
#include "tensorlane/differential/way.h"

namespace tensorlane::differential {

// A call and what it finds; where it comes again, what it found before, and the call from the same
// place that came between.
struct Case {
  Call call;
  CallData data;
  std::optional<Call> between = {};
};

enum class Outcome : std::uint8_t { kSame, kDeclined, kDifferent };

struct Verdict {
  Outcome outcome = Outcome::kSame;
  std::string difference = {};
};

class Trial {
 public:
  explicit Trial(const Chip& chip) : memory_(chip) {}

  // Computes the reference of a case, for the ways that follow. False where the call is not legal
  // or too large.
  bool begin(const Case& next);
  // The same case in another way.
  Verdict run(const Way& way);
  // Why the reference refused the data; empty where it did not.
  const std::string& refusal() const { return refusal_; }
  const Command& command() const { return command_; }
  // Where some way so far wrote what no operand covers; empty for nowhere.
  std::string stray() const { return memory_.stray(); }
  void wipe() { memory_.wipe(); }

 private:
  Verdict run_alone(const Way& way);
  Verdict run_again(const Way& way);
  Verdict compared(const Command& command, const Way& way, const std::string& expected_refusal);
  std::string reference(const Command& command);

  CallMemory memory_;
  const Case* case_ = nullptr;
  Command command_;
  std::string refusal_;
};

// Whether implementation number `index` of a command's entry takes operands that lie as they do.
bool takes_overlap(const Command& command, std::size_t index);

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_TRIAL_H_
