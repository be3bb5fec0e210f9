// A call of a device function as a user describes it: what its operands take, whether its limits
// hold, how long it would take. Nothing is computed.
#ifndef TENSORLANE_TOOLS_OPS_CALL_H_
#define TENSORLANE_TOOLS_OPS_CALL_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::cli {

class Call {
 public:
  // `with` as in {"shape=1,64,28,28", "C=2"}: parameters by name, lists for structures, "null",
  // element types by name. Addresses that it leaves out are places of their own, strides the
  // default, steps 1, flags and padding 0. Throws UserError for what is wrong or missing.
  Call(const Chip& chip, const Op& op, std::span<const std::string> with);
  // The same with parameters in the form that recorded calls have (recording/recorded_args.h).
  Call(const Chip& chip, const Op& op, const std::map<std::string, Json>& with);

  const Command& command() const { return command_; }
  std::string text() const;
  Json json() const;

 private:
  const Op& op_;
  const TimingParameters& parameters_;
  std::vector<Arg> args_;  // what the command points into
  Command command_;
  double microseconds_;
};

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_OPS_CALL_H_
