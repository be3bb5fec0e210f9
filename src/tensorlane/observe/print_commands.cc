#include "tensorlane/observe/print_commands.h"

#include <fmt/format.h>

#include <memory>

#include "tensorlane/base/language.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/statistics.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/report_file.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane::observe {
namespace {

// Elements of an operand whose values are printed.
constexpr std::int64_t kElements = 8;

std::string values_text(const Operand& operand, const DeviceMemory& memory) {
  const inspect::OperandElements elements(operand, memory.base(operand.space));
  const Dtype type = inspect::readable(elements.dtype());
  std::string text = inspect::statistics_text(inspect::statistics(elements.tensor()));
  text += type == elements.dtype() ? ": " : fmt::format(", as {}: ", dtype_name(type));
  const std::int64_t shown = std::min(elements.size(), kElements);
  for (std::int64_t k = 0; k < shown; ++k)
    text += fmt::format("{}{}", k == 0 ? "" : ", ",
                        inspect::value_text(elements.bits(elements.index(k)), type));
  return text + (shown < elements.size() ? ", ..." : "");
}

}  // namespace

PrintCommands::PrintCommands(std::vector<CommandChoice> choices, const DeviceMemory& memory,
                             bool values, Say say)
    : memory_(memory), values_(values), say_(std::move(say)) {
  for (CommandChoice& choice : choices) choices_.push_back({std::move(choice)});
}

PrintCommands::~PrintCommands() {
  for (const Choice& each : choices_) report_choice(each.choice, say_);
}

void PrintCommands::launch_begin(const Launch& launch) {
  launch_ = launch;
  for (Choice& each : choices_) each.choice.launch_begin(launch);
}

bool PrintCommands::is_chosen(const Command& command) {
  bool chosen = false;
  for (Choice& each : choices_) {
    if (!each.choice.matches(command)) continue;
    chosen = chosen || each.printed < kMost;
    if (++each.printed == kMost + 1)
      say_(fmt::format("tensorlane: {}\n",
                       tr("{} chooses more than {} commands; the others are not printed",
                          each.choice.name(), kMost)));
  }
  return chosen;
}

void PrintCommands::command_begin(const Command& command) {
  text_.clear();
  if (!is_chosen(command)) return;
  text_ = fmt::format("tensorlane: {}\n  {}\n",
                      tr("command {} of launch {} of device {}, kernel '{}'{}, at {}",
                         command.sequence, launch_.number, launch_.device, launch_.kernel,
                         core_text(launch_, command) +
                             (command.region < 0 ? "" : tr(", region {}", command.region)),
                         check::place_text(command.call_site)),
                      call_text(*command.op, command.args()));
  before_.clear();
  if (!values_) return;
  for (const Operand& operand : command.operands())
    before_.push_back(values_text(operand, memory_));
}

void PrintCommands::command_end(const Command& command) {
  if (text_.empty()) return;
  for (std::size_t k = 0; k < command.operands().size(); ++k) {
    const Operand& operand = command.operands()[k];
    text_ += fmt::format("  {}\n", trail::describe_operand(operand, command));
    if (!values_) continue;
    if (operand.writes()) {
      text_ += fmt::format("    {:<7} {}\n    {:<7} {}\n", tr("before"), before_[k], tr("after"),
                           values_text(operand, memory_));
    } else {
      text_ += fmt::format("    {}\n", before_[k]);
    }
  }
  say_(text_);
  text_.clear();
}

void PrintCommands::launch_end(const Launch&, Outcome) {
  if (!text_.empty())
    say_(fmt::format("{}  {}\n", text_, tr("the launch ended before it took effect")));
  text_.clear();
}

void print_commands(Device& device, const std::string& value, const Say& say) {
  device.trace_calls();
  device.add_observer(
      std::make_unique<PrintCommands>(choices_of("--print", value), device.memory(),
                                      device.implementation() != ImplementationChoice::kNone, say));
}

}  // namespace tensorlane::observe
