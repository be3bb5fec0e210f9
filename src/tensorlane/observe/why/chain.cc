#include "tensorlane/observe/why/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tensorlane/base/language.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/observe/check/dependence.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/check/finding_json.h"
#include "tensorlane/observe/why/terms.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane::why {
namespace {

constexpr std::size_t kMostElements = 1 << 18;  // of a source that are looked at
constexpr std::size_t kListedWriters = 8;       // of a source
constexpr std::size_t kKnownTerms = 64;         // among which followed elements are looked for
constexpr std::size_t kMostRounds = 1024;       // writers of a source that may be followed

std::string_view part_name(Source::Part part) {
  switch (part) {
    case Source::Part::kBefore:
      return "before";
    case Source::Part::kDecides:
      return "decides";
    case Source::Part::kTable:
      return "table";
    case Source::Part::kCompared:
      return "compared";
    case Source::Part::kValue:
      break;
  }
  return "value";
}

std::string_view combination_name(Combination combination) {
  return combination == Combination::kMaximum   ? "maximum"
         : combination == Combination::kMinimum ? "minimum"
                                                : "rank";
}

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

Json launch_json(const LaunchFacts& launch) {
  return {{"number", launch.number}, {"kernel", launch.kernel}};
}

// The groups of elements `all`, the one with the weightiest element first.
std::vector<Chain::Group> group(std::span<const Layout::Index> all, std::span<const Writer> writers,
                                const auto& weight_of) {
  std::map<Writer, Chain::Group> by_writer;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Chain::Group& group = by_writer[writers[k]];
    group.writer = writers[k];
    ++group.elements;
    const double weight = weight_of(all[k]);
    if (weight > group.weight) {
      group.weight = weight;
      group.largest = all[k];
    }
  }
  std::vector<Chain::Group> groups;
  for (const auto& [writer, each] : by_writer) groups.push_back(each);
  std::ranges::stable_sort(groups, std::greater{}, &Chain::Group::weight);
  return groups;
}

// What an element of an operand adds to the largest terms; 0 where it is in none of them.
double weight_in(const Terms& terms, int operand, const Layout::Index& index) {
  for (const Term& term : terms.largest) {
    for (const Factor& factor : term.factors) {
      if (factor.operand == operand && factor.index == index) return weight(term.value);
    }
  }
  return 0;
}

// Where the dummy lanes of 4N and 2N tensors count as elements.
void fill_words(Command& command) {
  for (int k = 0; k < command.operand_count(); ++k) {
    Operand& operand = command.operand_storage[static_cast<std::size_t>(k)];
    operand.layout = check::whole_words(operand);
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

std::int64_t bit_of(const inspect::Place& place) {
  return static_cast<std::int64_t>(place.offset) * 8 + place.bit;
}
inspect::Place moved_by(const inspect::Place& place, std::int64_t bits) {
  const std::int64_t bit = bit_of(place) + bits;
  return {place.space, static_cast<std::uint64_t>(bit / 8), static_cast<int>(bit % 8)};
}

Json terms_json(const Terms& terms, const Command& command, const DeviceMemory& memory,
                std::size_t shown) {
  Json largest = Json::array();
  for (std::size_t k = 0; k < std::min(shown, terms.largest.size()); ++k) {
    const Term& term = terms.largest[k];
    Json factors = Json::array();
    for (const Factor& factor : term.factors) {
      const Operand& operand = command.operands()[static_cast<std::size_t>(factor.operand)];
      const inspect::OperandElements elements(operand, memory.base(operand.space));
      factors.push_back(Json{{"operand", operand.name()},
                             {"element", elements.index_text(factor.index)},
                             {"value", elements.text(factor.index)}});
    }
    largest.push_back(Json{{"value", fmt::format("{:.9g}", term.value)}, {"factors", factors}});
  }
  return {{"count", terms.count}, {"sum", fmt::format("{:.9g}", terms.sum)}, {"largest", largest}};
}

}  // namespace

int Chain::ask(const inspect::Place& place, Writer before, const Asked& asked) {
  return open(place, writer_of(place, before), asked);
}

Writer Chain::writer_of(const inspect::Place& place, Writer before) {
  const auto address = static_cast<std::int64_t>(place.offset);
  return history_.last_writers(place.space, {&address, 1}, before).front();
}

int Chain::open(const inspect::Place& place, Writer event, Asked asked) {
  const Element element{event, place.space, place.offset, place.bit};
  const bool is_new = asked.id < 0;
  if (is_new) asked.id = next_id_;
  const auto [entry, added] = ids_.try_emplace(element, asked.id);
  if (!added && is_new) return entry->second;
  if (is_new) ++next_id_;
  queue_.push({event, place, asked});
  return asked.id;
}

std::string Chain::who(Writer event) const {
  if (event == kNobody) return tr("nobody");
  const History::Call& call = history_.call(event);
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

Json Chain::left_open(const inspect::Place& place, Writer event, const Asked& asked) const {
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
  const Event* const event = history_.find(open.event);
  if (open.event != kNobody && event == nullptr)
    return left_open(open.place, open.event, open.asked);
  Json step = {{"id", open.asked.id},
               {"depth", open.asked.depth},
               {"kind", "nobody"},
               {"place", inspect::place_text(chip_, open.place)},
               {"notes", Json::array()}};
  if (event != nullptr && event->kind == Event::Kind::kCommand) {
    if (!add_command(open, *event, step)) return {};
  }
  add_origin(open, event, step);
  if (event != nullptr && event->copy) add_copied(open, *event, step);
  return step;
}

// Where the host copied from inside the device.
void Chain::add_copied(const Open& open, const Event& event, Json& step) {
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
void Chain::add_origin(const Open& open, const Event* event, Json& step) const {
  const Allocation* const allocation =
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
    if (event->kind == Event::Kind::kCommand) launch["command"] = event->sequence;
    step["launch"] = launch;
  }
  if (event->kind == Event::Kind::kHost) {
    const check::Range bytes = event->writes.front().bytes.bounds();
    step["kind"] = "host";
    step["call"] = event->caller.function;
    step["offset"] = static_cast<std::int64_t>(open.place.offset) - bytes.begin;
    step["bytes"] = bytes.bytes();
    step["location"] = location_json(check::make_location("", event->caller));
  } else if (event->kind != Event::Kind::kCommand) {
    const bool seen = event->kind == Event::Kind::kProcessor;
    step["kind"] = seen ? "processor" : "unseen";
    step["location"] = location_json(check::make_location("", "", event->call_site));
    if (!seen)
      step["notes"].push_back(tr("the kernel may have written here through a pointer, unseen"));
  }
}

// False where the command did not write the element after all.
bool Chain::add_command(const Open& open, const Event& event, Json& step) {
  history_.rewind(open.event + 1);
  command_of(event, chip_, command_);
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
  step["tensor"] = check::describe_operand(operand, command_);
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

// What there is to say of a source, with its elements by their last writers.
Chain::Listed Chain::look_at(const Open& open, const Source& source,
                             const std::optional<Terms>& terms) {
  const Operand& operand = command_.operands()[static_cast<std::size_t>(source.operand)];
  const inspect::OperandElements elements(operand, memory_.base(operand.space));
  const std::int64_t size = count(source.elements);
  Listed listed{.json = {{"operand", operand.name()},
                         {"part", part_name(source.part)},
                         {"tensor", check::describe_operand(operand, command_)},
                         {"element", elements_text(source.elements)},
                         {"elements", size}}};
  if (source.part == Source::Part::kTable) return listed;
  const std::vector<Layout::Index> all = indices(source.elements, kMostElements);
  if (size == 1) {
    listed.json["value"] = elements.text(all.front());
    listed.json["index"] =
        std::vector<std::int64_t>(all.front().begin(), all.front().begin() + operand.layout.rank());
    listed.json["place"] = inspect::place_text(chip_, elements.place(all.front()));
  }
  std::vector<std::int64_t> addresses;
  for (const Layout::Index& index : all)
    addresses.push_back(static_cast<std::int64_t>(elements.place(index).offset));
  // Of a sum, elements of the largest terms count before all others.
  const auto weight_of = [&](const Layout::Index& index) {
    return terms ? weight_in(*terms, source.operand, index) : weight(elements.value(index));
  };
  listed.groups =
      group(all, history_.last_writers(operand.space, addresses, open.event), weight_of);
  for (const Group& group : listed.groups)
    listed.writers.push_back(Json{{"who", who(group.writer)}, {"elements", group.elements}});
  return listed;
}

// Goes on with the weightiest element of a group.
void Chain::follow(const Open& open, const Source& source, std::int64_t moved_bits, std::size_t at,
                   Listed& listed) {
  const Operand& operand = command_.operands()[static_cast<std::size_t>(source.operand)];
  const inspect::OperandElements elements(operand, memory_.base(operand.space));
  const Group& group = listed.groups[at];
  const inspect::Place place = moved_by(elements.place(group.largest), moved_bits);
  Json& writer = listed.writers[at];
  writer["element"] = elements.index_text(group.largest);
  writer["value"] = elements.text(group.largest);
  writer["step"] =
      this->open(place, group.writer, {.depth = open.asked.depth + 1, .read_by = open.event});
}

void Chain::add_sources(const Open& open, int result, const Layout::Index& at,
                        const Sources& sources, Json& step) {
  const auto terms = terms_of(command_, result, at, sources.list, memory_, kKnownTerms);
  std::vector<Listed> listed;
  for (const Source& source : sources.list) listed.push_back(look_at(open, source, terms));
  // A copy moves every bit of an element; else all of it counts.
  const Operand& to = command_.operands()[static_cast<std::size_t>(result)];
  const std::int64_t inside =
      bit_of(open.place) - bit_of(inspect::OperandElements(to, nullptr).place(at));
  // The weightiest group of every source, then the next ones; what decides comes last.
  int left = limits_.width;
  for (std::size_t round = 0; round < kMostRounds && left > 0; ++round) {
    for (const bool decides : {false, true}) {
      for (std::size_t k = 0; k < listed.size() && left > 0; ++k) {
        const Source& source = sources.list[k];
        if (round >= listed[k].groups.size() ||
            (source.part == Source::Part::kDecides) != decides ||
            source.part == Source::Part::kCompared)
          continue;
        const bool moves = sources.moved && source.part == Source::Part::kValue;
        follow(open, source, moves ? inside : 0, round, listed[k]);
        --left;
      }
    }
  }
  Json list = Json::array();
  for (Listed& one : listed) {
    const std::size_t shown = std::min(one.writers.size(), kListedWriters);
    one.json["more_writers"] = one.writers.size() - shown;
    one.writers.resize(shown);
    one.json["writers"] = one.writers;
    list.push_back(std::move(one.json));
  }
  step["sources"] = list;
  if (sources.moved) step["moved"] = true;
  if (sources.chosen_of > 0) {
    step["chosen"] = {{"by", combination_name(*to.spec->combination)},
                      {"of", sources.chosen_of},
                      {"constant", sources.constant}};
  }
  if (terms)
    step["terms"] = terms_json(*terms, command_, memory_, static_cast<std::size_t>(limits_.terms));
}

}  // namespace tensorlane::why
