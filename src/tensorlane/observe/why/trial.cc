#include "tensorlane/observe/why/trial.h"

#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/device/session.h"
#include "tensorlane/inspect/value.h"

namespace tensorlane::why {
namespace {

constexpr auto kLongest = std::chrono::seconds(3);

}  // namespace

Trial::Trial(const LaunchCommands& launch, trail::History& history, DeviceMemory& memory,
             const Chip& chip, trail::Writer before)
    : launch_(launch),
      history_(history),
      memory_(memory),
      chip_(chip),
      before_(before),
      core_(history.find(before) == nullptr ? 0 : history.find(before)->core),
      end_(std::chrono::steady_clock::now() + kLongest) {
  for (std::size_t k = 0; k < launch.commands.size(); ++k) numbers_[launch.commands[k].event] = k;
  if (launch.commands.empty() || launch.commands.front().event < history.first_kept()) {
    possible_ = false;
    return;
  }
  // What a pointer of the kernel wrote unseen cannot be written again.
  for (trail::Writer event = launch.commands.front().event; event < before; ++event) {
    const trail::Event* const each = history.find(event);
    if (each == nullptr || each->kind == trail::Event::Kind::kUnseen) possible_ = false;
  }
}

bool Trial::go_to(trail::Writer event) {
  if (event == at_) return true;
  if (event < history_.first_kept()) return false;
  history_.rewind(event);
  at_ = event;
  return true;
}

std::vector<double> Trial::read(std::span<const Target> targets) const {
  std::vector<double> values;
  for (const Target& target : targets) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, memory_.base(target.place.space) + target.place.offset,
                static_cast<std::size_t>((dtype_bits(target.dtype) + 7) / 8));
    if (dtype_bits(target.dtype) == 4) bits = bits >> target.place.bit & 15;
    values.push_back(inspect::value_of(bits, target.dtype));
  }
  return values;
}

std::vector<double> Trial::values(std::span<const Target> targets) {
  if (!go_to(before_)) return {};
  return read(targets);
}

bool Trial::carry_out(const Command& command) {
  memory_.select_core(command.core);
  for (const Operand& operand : command.operands()) {
    if (operand.writes() && operand.space == Space::kStatic) return false;
    if (operand.writes()) saved_.emplace_back(operand, chip_, memory_);
  }
  try {
    execute({command, memory_.bases()}, ImplementationChoice::kFastest);
  } catch (const UserError&) {
    return false;  // an index past the end
  }
  return true;
}

// While the past is taken back, an event keeps what it wrote.
void Trial::write_again(const trail::Event& event) {
  memory_.select_core(event.core);
  for (const trail::Event::Write& write : event.writes) {
    saved_.emplace_back(write.space, write.bytes, memory_);
    std::byte* const memory = memory_.base(write.space);
    const std::byte* from = write.other.data();
    for (const trail::Range& run : trail::runs(write.bytes)) {
      const auto bytes = static_cast<std::size_t>(run.bytes());
      if (write.other.empty()) {
        std::memset(memory + run.begin, 0, bytes);
      } else {
        std::memcpy(memory + run.begin, from, bytes);
        from += bytes;
      }
    }
  }
}

void Trial::put_back() {
  // Commands may write the same bytes; each kept what was there before it.
  for (auto each = saved_.rbegin(); each != saved_.rend(); ++each) each->put_back();
  saved_.clear();
}

std::optional<std::vector<double>> Trial::with(const Changes& changes,
                                               std::span<const Target> targets) {
  if (!possible_ || changes.empty()) return std::nullopt;
  const trail::Writer first = launch_.commands[changes.begin()->first].event;
  if (!go_to(first)) return std::nullopt;
  bool done = true;
  for (trail::Writer event = first; event < before_ && done && !ended(); ++event) {
    const trail::Event& each = *history_.find(event);
    const auto number = numbers_.find(event);
    if (number != numbers_.end()) {
      const auto change = changes.find(number->second);
      if (change == changes.end()) {
        done = carry_out(launch_.commands[number->second].command);
        continue;
      }
      for (const Command& command : change->second) done = done && carry_out(command);
    } else if (each.kind == trail::Event::Kind::kCommand) {
      trail::command_of(each, chip_, other_);
      done = carry_out(other_);
    } else {
      write_again(each);
    }
  }
  std::optional<std::vector<double>> values;
  memory_.select_core(core_);
  if (done && !ended()) values = read(targets);
  put_back();
  return values;
}

}  // namespace tensorlane::why
