// Which commands a person means who looks inside a run:
//
//   softmax.c:57       those issued by this line, and by the helpers it calls. The file may be
//                      named from any of its folders on: src/softmax.c:57
//   softmax            those issued inside this function of the kernel, and by what it calls
//   okk_bdc_exp        calls of this device function
//   #12, #3.12, #1.3.12   command 12 of launch 0, of launch 3, of launch 3 of device 1
//
// Lines and functions of the kernel need -g.
#ifndef TENSORLANE_OBSERVE_COMMAND_CHOICE_H_
#define TENSORLANE_OBSERVE_COMMAND_CHOICE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/device/observer.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/say.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::observe {

class CommandChoice {
 public:
  // `option` begins what is said about it: "--print". Throws UserError for a text of another form.
  CommandChoice(std::string option, std::string text);

  // Before the commands of a launch.
  void launch_begin(const Launch& launch) {
    device_ = static_cast<std::uint64_t>(launch.device);
    launch_ = launch.number;
  }
  // Answers for a place that was asked about before are remembered.
  bool matches(const Command& command);
  std::string name() const { return option_ + " " + text_; }

  // For the report: what was asked for, how many commands it was, and where commands were issued
  // when there was none.
  Json report() const;

 private:
  bool names(const SourceLocation& frame) const;
  bool look(const Command& command);
  std::string hint() const;

  // One command of one launch.
  struct Position {
    std::uint64_t device = 0, launch = 0, number = 0;
  };
  static std::optional<Position> parse_position(std::string_view text);

  std::string option_, text_;
  std::optional<Position> position_;
  std::string file_;  // empty: `text_` is a function, or a position
  int line_ = 0;
  std::uint64_t device_ = 0, launch_ = 0;  // in progress
  std::uint64_t matched_ = 0;
  std::uint64_t generation_ = 0;                                      // of the places in known_
  std::map<std::pair<const void*, const void* const*>, bool> known_;  // by call site and callers
  std::map<std::string, std::set<int>> lines_;                        // that issue commands
  std::set<std::string> functions_;                                   // of the kernel
};

// ", core 3" in a launch over several, else nothing.
std::string core_text(const Launch& launch, const Command& command);

// Choices as an environment variable has them: one a line.
std::vector<CommandChoice> choices_of(const std::string& option, const std::string& value);

// At the end of a device: puts the choice into the report, or says what unmatched_choices says of
// it where nobody wants a report. Throws nothing.
void report_choice(const CommandChoice& choice, const Say& say) noexcept;

// What to say about choices that matched nothing on any device: from their lines in the report, one
// line for each choice. Empty when there is nothing to say.
std::string unmatched_choices(std::span<const Json> report);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_COMMAND_CHOICE_H_
