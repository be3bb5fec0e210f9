#include "tensorlane/observe/why/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tensorlane/base/language.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/check/finding_json.h"
#include "tensorlane/observe/why/terms.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/trail/dependence.h"

namespace tensorlane::why {
namespace {

Json location_json(check::FindingLocation location) {
  check::complete(location);
  return check::json(location);
}

// The numbers among the arguments: "C": "(scalar_t){.f32 = 2.0f}".
Json constants_json(const Command& command) {
  Json constants = Json::object();
  for (std::size_t param = 0; param < command.args().size(); ++param) {
    const ArgKind kind = command.op->types()[param]->kind;
    const Arg& arg = command.args()[param];
    const bool value = kind == ArgKind::kValueOrAddress && !arg.is_null && !arg.is_address();
    if (kind != ArgKind::kFloat && kind != ArgKind::kUnion && !value) continue;
    constants[command.op->params()[param].name] = argument_text(*command.op, command.args(), param);
  }
  return constants;
}

Json launch_json(const trail::LaunchFacts& launch) {
  return {{"number", launch.number}, {"kernel", launch.kernel}};
}

// Where the dummy lanes of 4N and 2N tensors count as elements.
void fill_words(Command& command) {
  for (int k = 0; k < command.operand_count(); ++k) {
    Operand& operand = command.operand_storage[static_cast<std::size_t>(k)];
    operand.layout = trail::whole_words(operand);
  }
}

// The operand that a command wrote the place with, and its element there.
std::optional<std::pair<int, Layout::Index>> written_element(const Command& command,
                                                             const inspect::Place& place) {
  std::optional<std::pair<int, Layout::Index>> found;
  for (int k = 0; k < command.operand_count(); ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (!operand.writes() || (found && operand.role == Role::kWork)) continue;
    const auto at = inspect::OperandElements(operand, nullptr).element_at(place);
    if (at) found = {k, *at};
  }
  return found;
}

}  // namespace

int Chain::ask(const inspect::Place& place, trail::Writer before, const Asked& asked) {
  return open(place, writer_of(place, before), asked);
}

trail::Writer Chain::writer_of(const inspect::Place& place, trail::Writer before) {
  const auto address = static_cast<std::int64_t>(place.offset);
  return history_.last_writers(place.space, {&address, 1}, before).front();
}

int Chain::open(const inspect::Place& place, trail::Writer event, Asked asked) {
  const Element element{event, place.space, place.offset, place.bit};
  const bool is_new = asked.id < 0;
  if (is_new) asked.id = next_id_;
  const auto [entry, added] = ids_.try_emplace(element, asked.id);
  if (!added && is_new) return entry->second;
  if (is_new) ++next_id_;
  queue_.push({event, place, asked});
  return asked.id;
}

std::string Chain::who(trail::Writer event) const {
  if (event == trail::kNobody) return tr("nobody");
  const trail::History::Call& call = history_.call(event);
  return tr("{} at {}",
            call.function.empty() ? tr("the kernel's own code") : std::string(call.function),
            check::place_text(call.call_site));
}

Json Chain::steps() {
  Json steps = Json::array();
  while (!queue_.empty()) {
    const Open open = queue_.top();
    queue_.pop();
    Json answer = step(open);
    if (!answer.is_null()) steps.push_back(std::move(answer));
  }
  history_.restore();
  for (Json& left : left_) steps.push_back(std::move(left));
  left_.clear();
  return steps;
}

Json Chain::left_open(const inspect::Place& place, trail::Writer event, const Asked& asked) const {
  return {{"id", asked.id},
          {"depth", asked.depth},
          {"kind", "open"},
          {"place", inspect::place_text(chip_, place)},
          {"event", event},
          {"read_by", asked.read_by},
          {"memory", static_cast<int>(place.space)},
          {"offset", place.offset},
          {"bit", place.bit}};
}

// Null where it turns out that an earlier event is meant.
Json Chain::step(const Open& open) {
  const trail::Event* const event = history_.find(open.event);
  if (open.event != trail::kNobody && event == nullptr)
    return left_open(open.place, open.event, open.asked);
  Json step = {{"id", open.asked.id},
               {"depth", open.asked.depth},
               {"kind", "nobody"},
               {"place", inspect::place_text(chip_, open.place)},
               {"notes", Json::array()}};
  if (event != nullptr && event->kind == trail::Event::Kind::kCommand) {
    if (!add_command(open, *event, step)) return {};
  }
  add_origin(open, event, step);
  if (event != nullptr && event->copy) add_copied(open, *event, step);
  return step;
}

// Where the host copied from inside the device.
void Chain::add_copied(const Open& open, const trail::Event& event, Json& step) {
  if (open.asked.depth >= limits_.depth || next_id_ >= limits_.steps) return;
  const DeviceCopy& copy = *event.copy;
  const std::uint64_t at = open.place.offset - copy.to;
  const std::uint64_t item =
      copy.to_step == 0 ? copy.count - 1 : std::min(copy.count - 1, at / copy.to_step);
  inspect::Place place = open.place;
  place.offset = copy.from + item * copy.from_step + (at - item * copy.to_step);
  Asked asked{.depth = open.asked.depth + 1, .read_by = open.event};
  if (open.event >= history_.first_kept()) {
    asked.id = ask(place, open.event, asked);
  } else {
    asked.id = next_id_++;
    left_.push_back(left_open(place, open.event - 1, asked));
  }
  step["copied_from"] = {{"place", inspect::place_text(chip_, place)}, {"step", asked.id}};
}

// What is to be said of the writer whatever it is.
void Chain::add_origin(const Open& open, const trail::Event* event, Json& step) const {
  const trail::Allocation* const allocation =
      open.place.space == Space::kGlobal
          ? allocations_.find(static_cast<std::int64_t>(open.place.offset), open.asked.read_by)
          : nullptr;
  if (allocation != nullptr) {
    step["allocation"] = {
        {"bytes", allocation->bytes.bytes()},
        {"offset", open.place.offset - static_cast<std::uint64_t>(allocation->bytes.begin)},
        {"location", location_json(check::make_location("", allocation->caller))}};
    if (event != nullptr && open.event < allocation->next_event) {
      step["notes"].push_back(
          tr("this was before the memory was allocated anew: nobody wrote to the new allocation "
             "here"));
    }
  }
  if (event == nullptr) {
    if (open.place.space == Space::kStatic)
      step["notes"].push_back(tr("a table of the chip, which no program writes"));
    return;
  }
  if (event->launch != nullptr) {
    Json launch = launch_json(*event->launch);
    if (event->kind == trail::Event::Kind::kCommand) launch["command"] = event->sequence;
    if (event->launch->cores > 1) launch["core"] = event->core;
    step["launch"] = launch;
  }
  if (event->kind == trail::Event::Kind::kHost) {
    const trail::Range bytes = event->writes.front().bytes.bounds();
    step["kind"] = "host";
    step["call"] = event->caller.function;
    step["offset"] = static_cast<std::int64_t>(open.place.offset) - bytes.begin;
    step["bytes"] = bytes.bytes();
    step["location"] = location_json(check::make_location("", event->caller));
  } else if (event->kind != trail::Event::Kind::kCommand) {
    const bool seen = event->kind == trail::Event::Kind::kProcessor;
    step["kind"] = seen ? "processor" : "unseen";
    step["location"] = location_json(check::make_location("", "", event->call_site));
    if (!seen)
      step["notes"].push_back(tr("the kernel may have written here through a pointer, unseen"));
  }
}

// False where the command did not write the element after all.
bool Chain::add_command(const Open& open, const trail::Event& event, Json& step) {
  history_.rewind_behind(open.event);
  trail::command_of(event, chip_, command_);
  auto written = written_element(command_, open.place);
  if (!written) {
    fill_words(command_);
    written = written_element(command_, open.place);
  }
  step["kind"] = "command";
  step["event"] = open.event;
  step["call"] = command_.op->name();
  step["statement"] = call_text(*command_.op, command_.args());
  step["location"] = location_json(check::make_location("", command_));
  if (Json constants = constants_json(command_); !constants.empty())
    step["constants"] = std::move(constants);
  if (!written) {
    step["notes"].push_back(tr("the byte lies between the elements that the command writes"));
    return true;
  }
  const auto& [result, at] = *written;
  const Operand& operand = command_.operands()[static_cast<std::size_t>(result)];
  const inspect::OperandElements elements(operand, memory_.base(operand.space));
  step["operand"] = operand.name();
  step["element"] = elements.index_text(at);
  step["index"] = std::vector<std::int64_t>(at.begin(), at.begin() + operand.layout.rank());
  step["tensor"] = trail::describe_operand(operand, command_);
  step["value"] = elements.text(at);
  if (operand.role == Role::kWork) {
    step["notes"].push_back(tr("work memory: what a command leaves there is unspecified"));
    return true;
  }
  const std::map<int, double> after = values_after(command_, at, memory_);
  history_.rewind(open.event);
  const Sources sources = sources_of(command_, result, at, memory_, after);
  if (sources.kept) {
    queue_.push({writer_of(open.place, open.event), open.place, open.asked});
    return false;
  }
  if (open.asked.depth >= limits_.depth) {
    step["notes"].push_back(tr("not followed further (--depth {})", limits_.depth));
    return true;
  }
  if (next_id_ >= limits_.steps) {
    step["notes"].push_back(tr("not followed further: the chain has {} steps", limits_.steps));
    return true;
  }
  add_sources(open, result, at, sources, step);
  return true;
}

}  // namespace tensorlane::why
