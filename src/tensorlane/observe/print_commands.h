// Prints commands with their operands as they take effect: what each reads and what it writes,
// before and after.
#ifndef TENSORLANE_OBSERVE_PRINT_COMMANDS_H_
#define TENSORLANE_OBSERVE_PRINT_COMMANDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tensorlane/device/device.h"
#include "tensorlane/observe/command_choice.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

class PrintCommands : public Observer {
 public:
  // Commands that are printed of each choice; one line says that there are more.
  static constexpr std::uint64_t kMost = 100;

  // `values`: false in a dry run, which computes none.
  PrintCommands(std::vector<CommandChoice> choices, const DeviceMemory& memory, bool values,
                Say say);
  ~PrintCommands() override;
  PrintCommands(const PrintCommands&) = delete;
  PrintCommands& operator=(const PrintCommands&) = delete;

  void launch_begin(const Launch& launch) override;
  void launch_end(const Launch& launch, Outcome outcome) override;
  void command_begin(const Command& command) override;
  void command_end(const Command& command) override;

 private:
  struct Choice {
    CommandChoice choice;
    std::uint64_t printed = 0;
  };
  bool is_chosen(const Command& command);
  void say_operand(const Operand& operand, const Command& command, const std::string& before);

  std::vector<Choice> choices_;
  const DeviceMemory& memory_;
  const bool values_;
  const Say say_;
  Launch launch_;
  std::string text_;                 // of the command in hand; empty: it is not printed
  std::vector<std::string> before_;  // its operands
};

// TENSORLANE_PRINT: choices, one a line.
void print_commands(Device& device, const std::string& value, const Say& say);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_PRINT_COMMANDS_H_
