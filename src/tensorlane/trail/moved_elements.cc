#include "tensorlane/trail/moved_elements.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/device/detached_command.h"

namespace tensorlane::trail {
namespace {

constexpr int kDigits = 250;  // values of a digit, which are stored from 1 on
constexpr int kStays = 255;   // what results hold before a run with numbers

std::vector<std::int64_t> extents_of(const Layout& layout) {
  std::vector<std::int64_t> extents;
  for (int dim = 0; dim < layout.rank(); ++dim) extents.push_back(layout.extent(dim));
  return extents;
}

std::int64_t size_of(const ElementBox& box, int rank) {
  std::int64_t size = 1;
  for (int dim = 0; dim < rank; ++dim) size *= box.at[static_cast<std::size_t>(dim)].bytes();
  return size;
}

// Undefined elements that lie in one box; they are numbered from `first` on in row-major order.
struct Numbered {
  int operand;
  ElementBox box;
  std::int64_t first;
  Mark origin;
};

// The command in memory of its own, where undefined elements hold numbers.
class NumberedCommand {
 public:
  NumberedCommand(const Command& command, const DeviceMemory* memory) : run_(command, memory) {}

  const Operand& operand(int k) const { return run_.operand(k); }
  std::span<const std::byte> bytes(int k) { return run_.bytes(k); }

  // Runs with results filled with `stays` and elements that hold value(number).
  template <class F>
  void run(std::span<const Numbered> numbered, int stays, F value) {
    for (const Numbered& each : numbered) write(each, value);
    run_.run(static_cast<std::byte>(stays));
  }

 private:
  template <class F>
  void write(const Numbered& each, F value) {
    const Layout& layout = operand(each.operand).layout;
    const auto unit = static_cast<std::size_t>(layout.element_units());
    const Layout part = parts_of(layout, elements_of(each.box, layout.rank())).front();
    const std::span<std::byte> bytes = run_.bytes(each.operand);
    std::int64_t number = each.first;
    // In row-major order: loops as the dimensions stand, the last one innermost.
    std::array<std::int64_t, Layout::kMaxDims> at{};
    const std::int64_t count = size_of(each.box, layout.rank());
    for (std::int64_t i = 0; i < count; ++i, ++number) {
      const std::int64_t address = part.address({at.data(), static_cast<std::size_t>(part.rank())});
      std::memset(&bytes[static_cast<std::size_t>(address - layout.base())], value(number), unit);
      for (int dim = part.rank() - 1; dim >= 0; --dim) {
        if (++at[static_cast<std::size_t>(dim)] < part.extent(dim)) break;
        at[static_cast<std::size_t>(dim)] = 0;
      }
    }
  }

  DetachedCommand run_;
};

// What a result holds: a code of MovedElements, and the number of an undefined element.
struct ElementOutcome {
  std::vector<Mark> codes;
  std::vector<std::int64_t> numbers;
};

// The elements of `each` that are among those that moved.
std::vector<ElementBox> moved_part(const Numbered& each, int rank, const std::vector<bool>& moved) {
  std::vector<std::int64_t> extents;
  for (int dim = 0; dim < rank; ++dim)
    extents.push_back(each.box.at[static_cast<std::size_t>(dim)].bytes());
  const std::int64_t size = size_of(each.box, rank);
  std::vector<Mark> marks(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < marks.size(); ++i)
    marks[i] = static_cast<Mark>(moved[static_cast<std::size_t>(each.first) + i]);
  std::vector<ElementBox> boxes = boxes_of(marks, extents, 0);
  for (ElementBox& box : boxes) {
    box.mark = each.box.mark;
    for (std::size_t dim = 0; dim < extents.size(); ++dim) {
      box.at[dim].begin += each.box.at[dim].begin;
      box.at[dim].end += each.box.at[dim].begin;
    }
  }
  return boxes;
}

class Mover {
 public:
  Mover(const Command& command, std::span<const std::vector<ElementBox>> undefined,
        const DeviceMemory* memory)
      : command_(command), run_(command, memory) {
    for (int k = 0; k < command.operand_count(); ++k) {
      if (run_.operand(k).role != Role::kIn || run_.operand(k).spec->decides) continue;
      for (const ElementBox& box : undefined[static_cast<std::size_t>(k)]) {
        numbered_.push_back({k, box, count_, origin(k, box.mark)});
        count_ += size_of(box, run_.operand(k).layout.rank());
      }
    }
  }

  MovedElements move() {
    run_.run(numbered_, 0, [](std::int64_t) { return 0; });
    std::vector<std::vector<std::byte>> before(static_cast<std::size_t>(command_.operand_count()));
    std::vector<ElementOutcome> outcomes(before.size());
    each_result([&](int k, std::size_t at) {
      before[at].assign(run_.bytes(k).begin(), run_.bytes(k).end());
      outcomes[at].codes.resize(static_cast<std::size_t>(run_.operand(k).layout.size()));
      outcomes[at].numbers.resize(outcomes[at].codes.size());
    });
    for (std::int64_t scale = 1; scale == 1 || scale < count_; scale *= kDigits) {
      run_.run(numbered_, kStays,
               [&](std::int64_t number) { return static_cast<int>(number / scale % kDigits) + 1; });
      each_result([&](int k, std::size_t at) { look(k, before[at], scale, outcomes[at]); });
    }
    std::vector<bool> moved(static_cast<std::size_t>(count_));
    each_result([&](int k, std::size_t at) { conclude(k, outcomes[at], moved); });
    for (const Numbered& each : numbered_) {
      if (each.box.mark != kUnwritten) continue;
      auto& of = result_.origins[each.origin].moved;
      const int rank = run_.operand(each.operand).layout.rank();
      for (const ElementBox& box : moved_part(each, rank, moved)) of.push_back(box);
    }
    return std::move(result_);
  }

 private:
  template <class F>
  void each_result(F f) {
    for (int k = 0; k < command_.operand_count(); ++k) {
      if (run_.operand(k).role != Role::kIn) f(k, static_cast<std::size_t>(k));
    }
  }

  Mark origin(int operand, Mark mark) {
    auto& all = result_.origins;
    const auto found = std::ranges::find_if(all, [&](const MovedElements::Origin& each) {
      return each.operand == operand && each.mark == mark;
    });
    if (found != all.end()) return static_cast<Mark>(found - all.begin());
    all.push_back({operand, mark, {}});
    return static_cast<Mark>(all.size() - 1);
  }

  // Takes one digit of the numbers in a result.
  void look(int k, std::span<const std::byte> before, std::int64_t scale, ElementOutcome& outcome) {
    const std::span<const std::byte> after = run_.bytes(k);
    const auto unit = static_cast<std::size_t>(run_.operand(k).layout.element_units());
    for (std::size_t i = 0; i < outcome.codes.size(); ++i) {
      const std::byte held = after[i * unit];
      if (held == before[i * unit]) {
        outcome.codes[i] = MovedElements::kDefined;
      } else if (held == static_cast<std::byte>(kStays)) {
        outcome.codes[i] = MovedElements::kKept;
      } else {
        outcome.codes[i] = MovedElements::kFirstOrigin;
        outcome.numbers[i] += (std::to_integer<std::int64_t>(held) - 1) * scale;
      }
    }
  }

  void conclude(int k, ElementOutcome& outcome, std::vector<bool>& moved) {
    for (std::size_t i = 0; i < outcome.codes.size(); ++i) {
      if (outcome.codes[i] != MovedElements::kFirstOrigin) continue;
      const std::int64_t number = outcome.numbers[i];
      const auto after = std::ranges::upper_bound(numbered_, number, {}, &Numbered::first);
      outcome.codes[i] += std::prev(after)->origin;
      moved[static_cast<std::size_t>(number)] = true;
    }
    result_.results.push_back(
        {k, boxes_of(outcome.codes, extents_of(run_.operand(k).layout), MovedElements::kKept)});
  }

  const Command& command_;
  NumberedCommand run_;
  std::vector<Numbered> numbered_;
  std::int64_t count_ = 0;  // of numbers
  MovedElements result_;
};

bool decided_unseen(const Command& command, const DeviceMemory* memory) {
  return memory == nullptr && std::ranges::any_of(command.operands(), [](const Operand& operand) {
           return operand.spec->decides;
         });
}

// All elements of the sources that do not decide, numbered.
std::vector<Numbered> number_all(const Command& command, std::int64_t& count) {
  std::vector<Numbered> numbered;
  for (int k = 0; k < command.operand_count(); ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (operand.role != Role::kIn || operand.spec->decides || operand.layout.size() == 0) continue;
    ElementBox whole;
    for (int dim = 0; dim < operand.layout.rank(); ++dim)
      whole.at[static_cast<std::size_t>(dim)] = {0, operand.layout.extent(dim)};
    numbered.push_back({k, whole, count, 0});
    count += operand.layout.size();
  }
  return numbered;
}

}  // namespace

std::optional<MovedElements> move_states(const Command& command,
                                         std::span<const std::vector<ElementBox>> undefined,
                                         const DeviceMemory* memory) {
  if (decided_unseen(command, memory)) return std::nullopt;
  try {
    return Mover(command, undefined, memory).move();
  } catch (const UserError&) {
    return std::nullopt;  // which ends the launch in a moment
  }
}

std::optional<MovedFrom> moved_from(const Command& command, int result, const Layout::Index& at,
                                    const DeviceMemory* memory) {
  if (decided_unseen(command, memory)) return std::nullopt;
  std::int64_t count = 0;
  const std::vector<Numbered> numbered = number_all(command, count);
  try {
    NumberedCommand run(command, memory);
    const Layout& layout = run.operand(result).layout;
    const auto byte = static_cast<std::size_t>(layout.address(at) - layout.base());
    run.run(numbered, 0, [](std::int64_t) { return 0; });
    const std::byte before = run.bytes(result)[byte];
    std::int64_t number = 0;
    for (std::int64_t scale = 1; scale == 1 || scale < count; scale *= kDigits) {
      run.run(numbered, kStays,
              [&](std::int64_t each) { return static_cast<int>(each / scale % kDigits) + 1; });
      const std::byte held = run.bytes(result)[byte];
      if (held == before) return MovedFrom{.kind = MovedFrom::Kind::kOther};
      if (held == static_cast<std::byte>(kStays)) return MovedFrom{.kind = MovedFrom::Kind::kKept};
      number += (std::to_integer<std::int64_t>(held) - 1) * scale;
    }
    const Numbered& from =
        *std::prev(std::ranges::upper_bound(numbered, number, {}, &Numbered::first));
    MovedFrom moved{.kind = MovedFrom::Kind::kElement, .operand = from.operand};
    std::int64_t rest = number - from.first;
    const Layout& source = run.operand(from.operand).layout;
    for (int dim = source.rank() - 1; dim >= 0; --dim) {
      moved.index[static_cast<std::size_t>(dim)] = rest % source.extent(dim);
      rest /= source.extent(dim);
    }
    return moved;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

}  // namespace tensorlane::trail
