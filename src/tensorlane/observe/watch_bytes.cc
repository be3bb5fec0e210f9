#include "tensorlane/observe/watch_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/command_choice.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane::observe {
namespace {

// Elements or words of a write that are shown.
constexpr int kShown = 8;
// Bytes beside a watch that its first and its last element may have.
constexpr std::int64_t kElementBytes = 4;

std::string more_elements(std::int64_t more) {
  if (more <= 0) return "";
  return fmt::format("    {}\n", tr_n("and {} more element", "and {} more elements", more));
}

std::string more_words(std::int64_t more) {
  if (more <= 0) return "";
  return fmt::format("    {}\n", tr_n("and {} more word", "and {} more words", more));
}

// Whether a debugger holds this process.
bool is_traced() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("TracerPid:")) return std::atoi(line.c_str() + 10) != 0;
  }
  return false;
}

}  // namespace

WatchBytes::WatchBytes(const Chip& chip, const DeviceMemory& memory, std::vector<Watch> watches,
                       Say say, std::function<void()> stop)
    : chip_(chip),
      memory_(memory),
      watches_(std::move(watches)),
      say_(std::move(say)),
      stop_(std::move(stop)) {}

WatchBytes::~WatchBytes() {
  say_plain();
}

WatchBytes::Write WatchBytes::snapshot(const Watch& watch, std::int64_t begin,
                                       std::int64_t end) const {
  // Whole elements, though the watch may begin inside one.
  const auto size = static_cast<std::int64_t>(memory_.bytes(watch.place.space));
  const trail::Range kept{std::max<std::int64_t>(0, begin - kElementBytes),
                          std::min(size, end + kElementBytes)};
  const std::byte* const memory = memory_.base(watch.place.space);
  return {&watch, {begin, end}, {memory + kept.begin, memory + kept.end}};
}

void WatchBytes::launch_begin(const Launch& launch) {
  say_plain();
  launch_ = launch;
}

void WatchBytes::launch_end(const Launch&, Outcome) {
  say_plain();
  command_writes_.clear();
}

void WatchBytes::command_begin(const Command& command) {
  say_plain();
  command_writes_.clear();
  for (const Operand& operand : command.operands()) {
    if (!operand.writes()) continue;
    for (const Watch& watch : watches_) {
      if (operand.space != watch.place.space) continue;
      const bool local = operand.space == Space::kLocal;
      const std::vector<trail::Range> written =
          common(footprints_.get(operand.layout, local ? chip_.local.npu_bytes : 0),
                 trail::linear_footprint(static_cast<std::int64_t>(watch.place.offset),
                                         static_cast<std::int64_t>(watch.bytes)));
      if (!written.empty())
        command_writes_.push_back(
            {snapshot(watch, written.front().begin, written.back().end), &operand});
    }
  }
}

void WatchBytes::command_end(const Command& command) {
  for (const CommandWrite& each : command_writes_) {
    say(fmt::format("{}\n  {}\n  {}\n{}",
                    tr("{} is written by {} at {}; command {} of launch {} of device {}",
                       inspect::place_text(chip_, each.write.watch->place), command.op->name(),
                       check::place_text(command.call_site), command.sequence, launch_.number,
                       fmt::format("{}{}", launch_.device, core_text(launch_, command))),
                    call_text(*command.op, command.args()),
                    trail::describe_operand(*each.operand, command),
                    elements_text(each.write, *each.operand)));
  }
  command_writes_.clear();
}

std::string WatchBytes::elements_text(const Write& write, const Operand& operand) const {
  const std::byte* const memory = memory_.base(operand.space);
  const inspect::OperandElements after(operand, memory);
  // The old bytes as if they lay where the new ones do.
  const std::int64_t kept = std::max<std::int64_t>(0, write.bytes.begin - kElementBytes);
  Operand moved = operand;
  moved.layout.set_base(operand.layout.base() - kept * 8 / operand.layout.unit_bits());
  const inspect::OperandElements before(moved, write.before.data());
  std::string text;
  std::int64_t elements = 0;
  std::optional<Layout::Index> last;
  const int unit = operand.layout.unit_bits();
  for (std::int64_t at = write.bytes.begin; at < write.bytes.end; ++at) {
    for (int bit = 0; bit < 8; bit += unit) {
      const auto index = after.element_at({operand.space, static_cast<std::uint64_t>(at), bit});
      if (!index || index == last) continue;
      last = index;
      if (elements++ < kShown)
        text += fmt::format("    {}\n", tr("element {} at {}: {} -> {}", after.index_text(*index),
                                           inspect::place_text(chip_, after.place(*index)),
                                           before.text(*index), after.text(*index)));
    }
  }
  return text + more_elements(elements - kShown);
}

std::string WatchBytes::words_text(const Write& write) const {
  constexpr std::int64_t kWord = 4;
  const std::byte* const memory = memory_.base(write.watch->place.space);
  const std::int64_t kept = std::max<std::int64_t>(0, write.bytes.begin - kElementBytes);
  const auto word_text = [&](const std::byte* bytes, std::int64_t count) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes, static_cast<std::size_t>(count));
    return count == kWord ? inspect::value_text(word, Dtype::kX32)
                          : fmt::format("{:#0{}x}", word, 2 + 2 * count);
  };
  std::string text;
  std::int64_t words = 0;
  for (std::int64_t at = write.bytes.begin; at < write.bytes.end; at += kWord) {
    if (words++ >= kShown) continue;
    const std::int64_t count = std::min(kWord, write.bytes.end - at);
    text += fmt::format(
        "    {}: {} -> {}\n",
        inspect::place_text(chip_, {write.watch->place.space, static_cast<std::uint64_t>(at)}),
        word_text(write.before.data() + (at - kept), count), word_text(memory + at, count));
  }
  return text + more_words(words - kShown);
}

void WatchBytes::expect_plain(Space space, std::uint64_t offset, std::uint64_t bytes,
                              std::string who) {
  for (const Watch& watch : watches_) {
    const std::uint64_t begin = std::max(offset, watch.place.offset),
                        end = std::min(offset + bytes, watch.place.offset + watch.bytes);
    if (space == watch.place.space && begin < end)
      plain_writes_.push_back(
          snapshot(watch, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)));
  }
  plain_writer_ = std::move(who);
}

void WatchBytes::say_plain() {
  for (const Write& write : plain_writes_)
    say(fmt::format(
        "{}\n{}",
        tr("{} is written by {}", inspect::place_text(chip_, write.watch->place), plain_writer_),
        words_text(write)));
  plain_writes_.clear();
}

void WatchBytes::host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                             const HostCaller& caller) {
  say_plain();
  if (access == HostAccess::kWrite)
    expect_plain(
        Space::kGlobal, offset, bytes,
        tr("the host: {}", tr("{} at {}", caller.function, check::place_text(caller.call_site))));
}

void WatchBytes::processor_access(const ProcessorAccess& access) {
  say_plain();
  if (access.kind == ProcessorAccess::Kind::kWrite)
    expect_plain(access.space, access.offset, access.bytes,
                 tr("the kernel's own code at {}; launch {} of device {}",
                    check::place_text(access.call_site), launch_.number, launch_.device));
}

bool WatchBytes::watches(Space space, std::uint64_t offset, std::uint64_t bytes) const {
  return std::ranges::any_of(watches_, [&](const Watch& watch) {
    return watch.place.space == space && watch.place.offset < offset + bytes &&
           offset < watch.place.offset + watch.bytes;
  });
}

void WatchBytes::say(const std::string& text) const {
  say_("tensorlane: " + text);
  if (stop_) stop_();
}

void watch_bytes(Device& device, const std::string& value, const Say& say) {
  std::vector<WatchBytes::Watch> watches;
  std::istringstream lines(value);
  for (std::string line; std::getline(lines, line);) {
    const inspect::PlaceText text = inspect::parse_place(line, "--watch");
    watches.push_back(
        {inspect::place_on(device.chip(), text, "--watch " + line), text.bytes.value_or(1)});
  }
  const char* const stops = std::getenv("TENSORLANE_WATCH_BREAK");
  std::function<void()> stop;
  if (stops != nullptr && std::string_view(stops) == "1") {
    stop = [] {
      if (is_traced()) std::raise(SIGTRAP);
    };
  }
  device.add_observer(std::make_unique<WatchBytes>(device.chip(), device.memory(),
                                                   std::move(watches), say, std::move(stop)));
}

}  // namespace tensorlane::observe
