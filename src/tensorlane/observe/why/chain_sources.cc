// What a step was made of, and who wrote that.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "tensorlane/base/language.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/why/chain.h"
#include "tensorlane/observe/why/terms.h"

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

// The groups of elements `all`, the one with the weightiest element first.
std::vector<Chain::Group> group(std::span<const Layout::Index> all,
                                std::span<const trail::Writer> writers, const auto& weight_of) {
  std::map<trail::Writer, Chain::Group> by_writer;
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

// What there is to say of a source, with its elements by their last writers.
Chain::Listed Chain::look_at(const Open& open, const Source& source,
                             const std::optional<Terms>& terms) {
  const Operand& operand = command_.operands()[static_cast<std::size_t>(source.operand)];
  const inspect::OperandElements elements(operand, memory_.base(operand.space));
  const std::int64_t size = count(source.elements);
  Listed listed{.json = {{"operand", operand.name()},
                         {"part", part_name(source.part)},
                         {"tensor", trail::describe_operand(operand, command_)},
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
