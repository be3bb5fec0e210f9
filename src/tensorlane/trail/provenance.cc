#include "tensorlane/trail/provenance.h"

#include <algorithm>

#include "tensorlane/trail/dependence.h"
#include "tensorlane/trail/moved_elements.h"

namespace tensorlane::trail {

Provenance::Provenance(const Chip& chip, FootprintCache& footprints, const DeviceMemory* memory)
    : chip_(chip), footprints_(footprints), memory_(memory), shadow_(memory_shapes(chip)) {
  // What no allocation holds is out of bounds, which says enough.
  const auto end = static_cast<std::int64_t>(chip.region(Space::kGlobal).bytes);
  shadow_.write_linear(number(Space::kGlobal), {0, end}, kHost);
}

// What a launch before left in local memory, L2 and DTCM does not count as written: the host has no
// way to keep another program's launch from coming between. Tables and firmware data do.
void Provenance::launch_begin() {
  writers_.clear();
  for (const Space space : {Space::kLocal, Space::kL2, Space::kDtcm}) {
    if (chip_.has(space)) shadow_.forget(static_cast<int>(space));
  }
  for (int core = 1; core < chip_.cores; ++core) shadow_.forget(memory_number(Space::kLocal, core));
  core_ = 0;
  const auto keep = [&](Space space, std::uint64_t user_begin, std::uint64_t user_bytes) {
    if (!chip_.has(space)) return;
    const Region& region = chip_.region(space);
    const auto begin = static_cast<std::int64_t>(user_begin - region.begin);
    const auto end = begin + static_cast<std::int64_t>(user_bytes);
    shadow_.write_linear(number(space), {0, begin}, kHost);
    shadow_.write_linear(number(space), {end, static_cast<std::int64_t>(region.bytes)}, kHost);
  };
  keep(Space::kL2, chip_.l2_user_begin, chip_.l2_user_bytes);
  keep(Space::kDtcm, chip_.dtcm_user_begin, chip_.dtcm_user_bytes);
  if (chip_.has(Space::kStatic)) keep(Space::kStatic, chip_.region(Space::kStatic).begin, 0);
}

void Provenance::processor_wrote(Space space, Range bytes) {
  shadow_.write_linear(number(space), bytes, kHost);
}

void Provenance::host_wrote(Range bytes) {
  shadow_.write_linear(number(Space::kGlobal), bytes, kHost);
}

void Provenance::host_copied(const DeviceCopy& copy) {
  const auto signed_of = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const int memory = number(Space::kGlobal);
  const std::int64_t item = signed_of(copy.item_bytes), count = signed_of(copy.count);
  const std::int64_t from = signed_of(copy.from), to = signed_of(copy.to);
  const std::int64_t from_step = signed_of(copy.from_step), to_step = signed_of(copy.to_step);
  if (Mark mark = kUnwritten;
      global().uniform({from, from + signed_of(copy.bytes_at(copy.from_step))}, mark)) {
    Layout target(Dtype::kUint8);
    target.set_base(to).add_dim(count, {{count, to_step}}).add_dim(item, {{item, 1}});
    shadow_.write(memory, footprint(target, 0), mark);
    return;
  }
  std::vector<MarkMap::Interval> pieces;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t begin = from + k * from_step, moved = to + k * to_step - begin;
    global().visit({begin, begin + item}, [&](std::int64_t a, std::int64_t b, Mark mark) {
      pieces.push_back({a + moved, b + moved, mark});
      return true;
    });
  }
  for (const MarkMap::Interval& piece : pieces)
    shadow_.write_linear(memory, {piece.begin, piece.end}, piece.mark);
}

void Provenance::allocated(Range bytes) {
  shadow_.write_linear(number(Space::kGlobal), bytes, kUnwritten);
}

void Provenance::discarded(Range offsets) {
  const std::int64_t npu_bytes = chip_.local.npu_bytes;
  shadow_.write(number(Space::kLocal),
                lane_footprint(npu_bytes, 0, chip_.local.npus, offsets.begin, offsets.bytes()),
                kUnwritten);
}

std::optional<Mark> Provenance::undefined(Space space, Range bytes) const {
  const std::int64_t npu = space == Space::kLocal ? bytes.begin / chip_.local.npu_bytes : 0;
  const std::int64_t base = npu * chip_.local.npu_bytes;
  std::optional<Mark> found;
  shadow_.maps(number(space))
      .view(static_cast<int>(npu))
      .visit({bytes.begin - base, bytes.end - base}, [&](std::int64_t, std::int64_t, Mark mark) {
        if (!is_defined(mark)) found = mark;
        return !found;
      });
  return found;
}

Provenance::Passing Provenance::passing(const Op& op) {
  const auto [entry, added] = passing_.try_emplace(&op, Passing::kNot);
  if (added) {
    switch (op.spec().dependence) {
      case Dependence::kByShape:
        entry->second = element_wise(op) ? Passing::kElementWise : Passing::kNot;
        break;
      case Dependence::kByIndex:
        entry->second = Passing::kByIndex;
        break;
      case Dependence::kMoved:
        entry->second = Passing::kMoved;
        break;
      case Dependence::kSelected:
        entry->second = Passing::kSelected;
        break;
    }
  }
  return entry->second;
}

Footprint Provenance::word_bytes(const CheckedCommand& command, int operand) {
  return footprints_.get(whole_words(command.operand(operand)),
                         command.npu_bytes(command.operand(operand).space));
}

void Provenance::read(const CheckedCommand& command) {
  ++time_;
  pending_.clear();
  parts_.clear();
  const Passing passing = this->passing(*command.command().op);
  const FixedRule& fixed_if = command.command().op->spec().fixed_if;
  const bool fixed = fixed_if && fixed_if(command.command());
  bool moves_undefined = false, decided = true;
  for (int k = 0; k < command.size(); ++k) {
    const Operand& operand = command.operand(k);
    Source& source = sources_[static_cast<std::size_t>(k)];
    source.undefined_use = false;
    source.writers.clear();
    if (!operand.reads()) continue;
    const int memory = number(operand.space);
    const bool defined = shadow_.scan(memory, command.bytes(k), marks_);
    if (operand.space != Space::kGlobal) {
      for (const Mark mark : marks_) {
        if (mark >= kFirstWriter) source.writers.push_back(mark - kFirstWriter + 1);
      }
    }
    if (fixed) continue;
    if (passing == Passing::kSelected && (operand.spec->decides || memory_ == nullptr)) {
      if (!defined) pass_on(command, k);  // what decides one element of the result
    } else if (operand.spec->decides) {
      source.undefined_use = !defined;
      decided = decided && defined;
    } else if (passing == Passing::kMoved || passing == Passing::kSelected) {
      moves_undefined = moves_undefined || !defined;
    } else if (passing == Passing::kByIndex) {
      if (!defined)
        pass_by_index(command, k, undefined_elements(shadow_, memory, operand.layout).boxes);
    } else if (passing == Passing::kElementWise && !is_table(*operand.spec)) {
      // Undefined dummy lanes make dummy lanes undefined, which may be copied on with their words.
      if (!defined || (operand.spec->storage == Storage::kPacked &&
                       !shadow_.scan(memory, word_bytes(command, k), marks_))) {
        pass_on(command, k);
      }
    } else {
      source.undefined_use = !defined;
    }
  }
  number_results(command);
  if (moves_undefined && decided) move(command);
}

// Notes which elements of the results depend on undefined elements of a source.
void Provenance::pass_on(const CheckedCommand& command, int source) {
  const Operand& from = command.operand(source);
  const bool copy = command.command().engine() == Engine::kGdma;
  const bool packed = std::ranges::any_of(command.command().operands(), [](const Operand& operand) {
    return operand.spec->storage == Storage::kPacked;
  });
  if (!packed) {
    const UndefinedElements undefined =
        undefined_elements(shadow_, number(from.space), from.layout);
    if (!copy || undefined.whole) return pass_by_index(command, source, undefined.boxes);
  }
  const Layout from_words = whole_words(from);
  for (int k = 0; k < command.size(); ++k) {
    const Operand& to = command.operand(k);
    if (to.role != Role::kOut && to.role != Role::kInOut) continue;
    const Layout to_words = whole_words(to);
    const bool words = from_words.extent(0) == to_words.extent(0);
    const Layout &origin = words ? from_words : from.layout, &target = words ? to_words : to.layout;
    for (const InitShadow::Dependence& each :
         shadow_.dependences(target, number(from.space), spread(origin, target), copy)) {
      pending_.push_back({number(to.space), each.destination, hole_of(command, source, each.mark)});
    }
  }
}

void Provenance::add_footprints(const CheckedCommand& command, const Operand& operand,
                                const Elements& elements, std::vector<Footprint>& to) {
  for (const Layout& part : parts_of(operand.layout, elements))
    to.push_back(footprint(part, command.npu_bytes(operand.space)));
}

// The same where indices go by name, as they do in all that is element-wise: what an undefined
// element is part of.
void Provenance::pass_by_index(const CheckedCommand& command, int source,
                               std::span<const ElementBox> undefined) {
  const Operand& from = command.operand(source);
  const bool known = hole_numbers_.contains({command.command(), core_, source, false});
  std::vector<Footprint> used, bytes;
  for (const ElementBox& box : undefined) {
    for (int k = 0; k < command.size(); ++k) {
      const Operand& to = command.operand(k);
      if (to.role != Role::kOut && to.role != Role::kInOut) continue;
      const Reach reached = reach(command.command(), from, box, to);
      if (reached.results.empty()) continue;
      bytes.clear();
      add_footprints(command, to, reached.results, bytes);
      for (const Footprint& part : bytes) parts_.push_back({k, part, box.mark});
      if (box.mark == kUnwritten && !known) add_footprints(command, from, reached.used, used);
    }
  }
  for (Part& part : parts_) {
    if (part.mark == kUnwritten) part.mark = hole_of(command, source, kUnwritten, used);
  }
}

// The same where data may decide what goes where. What is not written stays as it was.
void Provenance::move(const CheckedCommand& command) {
  std::vector<std::vector<ElementBox>> undefined(static_cast<std::size_t>(command.size()));
  for (int k = 0; k < command.size(); ++k) {
    const Operand& operand = command.operand(k);
    if (operand.role == Role::kIn && !operand.spec->decides) {
      undefined[static_cast<std::size_t>(k)] =
          undefined_elements(shadow_, number(operand.space), operand.layout).boxes;
    }
  }
  const std::optional<MovedElements> moved = move_states(command.command(), undefined, memory_);
  if (!moved) {
    for (std::size_t k = 0; k < undefined.size(); ++k)
      sources_[k].undefined_use = !undefined[k].empty();
    return;
  }
  std::vector<Footprint> bytes;
  std::vector<Mark> marks;  // of the origins
  for (const MovedElements::Origin& origin : moved->origins) {
    bytes.clear();
    const Operand& from = command.operand(origin.operand);
    for (const ElementBox& box : origin.moved)
      add_footprints(command, from, elements_of(box, from.layout.rank()), bytes);
    const bool unseen = origin.mark == kUnwritten && bytes.empty();
    marks.push_back(unseen ? kUnwritten : hole_of(command, origin.operand, origin.mark, bytes));
  }
  std::vector<Part> parts;
  for (const MovedElements::Result& result : moved->results) {
    const Operand& to = command.operand(result.operand);
    results_[static_cast<std::size_t>(result.operand)].in_parts = true;
    for (const ElementBox& box : result.written) {
      bytes.clear();
      add_footprints(command, to, elements_of(box, to.layout.rank()), bytes);
      const Mark mark = box.mark == MovedElements::kDefined
                            ? kUnwritten
                            : marks[box.mark - MovedElements::kFirstOrigin];
      for (const Footprint& part : bytes) parts.push_back({result.operand, part, mark});
    }
  }
  // What decides may be undefined and make a part so that is written here.
  parts_.insert(parts_.begin(), parts.begin(), parts.end());
}

void Provenance::number_results(const CheckedCommand& command) {
  constexpr std::uint64_t kOperands = 16;  // a power of two above kMaxOperands
  for (int k = 0; k < command.size(); ++k) {
    const Operand& operand = command.operand(k);
    Result& result = results_[static_cast<std::size_t>(k)];
    result.writer = 0;
    result.in_parts = false;
    if (!operand.writes()) continue;
    result.bytes = operand.role != Role::kWork && operand.spec->storage == Storage::kPacked
                       ? word_bytes(command, k)
                       : command.bytes(k);
    if (operand.role == Role::kWork || operand.space == Space::kGlobal) continue;
    const auto source =
        reinterpret_cast<std::uint64_t>(CallKey(command.command()).path) * kOperands +
        static_cast<std::uint64_t>(k);
    result.writer = writers_.number(source, {number(operand.space), core_}, result.bytes,
                                    [&] { return call_of(command.command(), k); });
  }
}

void Provenance::write(const CheckedCommand& command) {
  for (int k = 0; k < command.size(); ++k) {
    const Operand& operand = command.operand(k);
    if (!operand.writes()) continue;
    const Result& result = results_[static_cast<std::size_t>(k)];
    Mark mark = kKernel;
    if (operand.role == Role::kWork) {
      mark = work_hole(command, k);
    } else if (result.writer != 0) {
      mark = result.writer + kFirstWriter - 1;
      writers_.wrote(result.writer, time_);
    }
    if (!result.in_parts) shadow_.write(number(operand.space), result.bytes, mark);
    for (const Part& part : parts_) {
      if (part.result != k) continue;
      shadow_.write(number(operand.space), part.bytes, part.mark == kUnwritten ? mark : part.mark);
    }
  }
  for (const Pending& each : pending_) shadow_.write_linear(each.memory, each.bytes, each.mark);
}

std::set<Mark> Provenance::holes(const CheckedCommand& command, int operand) {
  std::set<Mark> holes;
  const int memory = number(command.operand(operand).space);
  for (const MarkedBytes& piece : shadow_.undefined(memory, command.bytes(operand)))
    holes.insert(hole_of(command, operand, piece.mark));
  return holes;
}

Mark Provenance::hole_of(const CheckedCommand& command, int operand, Mark mark,
                         std::span<const Footprint> used) {
  if (mark != kUnwritten) return mark;
  const auto [entry, added] = hole_numbers_.try_emplace(
      {command.command(), core_, operand, false}, kUndefinedBit | static_cast<Mark>(holes_.size()));
  if (!added) return entry->second;
  const Space space = command.operand(operand).space;
  const Footprint& bytes = command.bytes(operand);
  Hole hole{call_of(command.command(), operand), false, space, {}, neighbour(bytes, space)};
  std::vector<MarkedBytes> pieces;
  const auto add_unwritten = [&](const Footprint& in) {
    for (const MarkedBytes& piece : shadow_.undefined(number(space), in, 256)) {
      if (piece.mark == kUnwritten) pieces.push_back(piece);
    }
  };
  for (const Footprint& part : used) add_unwritten(part);
  if (used.empty()) add_unwritten(bytes);
  if (pieces.empty()) add_unwritten(word_bytes(command, operand));  // dummy lanes only
  for (const MarkedBytes& piece : pieces) {
    for (int q = piece.npu; q < piece.npu + piece.npus; ++q) {
      const std::int64_t begin = q * command.npu_bytes(space);
      hole.bytes.push_back({begin + piece.offsets.begin, begin + piece.offsets.end});
    }
  }
  holes_.push_back(std::move(hole));
  return entry->second;
}

Mark Provenance::work_hole(const CheckedCommand& command, int operand) {
  const auto [entry, added] = hole_numbers_.try_emplace(
      {command.command(), core_, operand, true}, kUndefinedBit | static_cast<Mark>(holes_.size()));
  if (added) {
    holes_.push_back({call_of(command.command(), operand),
                      true,
                      command.operand(operand).space,
                      {},
                      std::nullopt});
  }
  return entry->second;
}

// The latest write whose bytes lie in the same NPUs next to a footprint or inside it.
std::optional<Call> Provenance::neighbour(const Footprint& bytes, Space space) const {
  if (space != Space::kLocal) return std::nullopt;
  const Writers::Writer* latest = nullptr;
  const Range wanted = bytes.shape->lane_bounds;
  for (const Writers::Writer& writer : writers_.all()) {
    const Shape& shape = *writer.bytes.shape;
    if (writer.written == 0 || writer.place.memory != number(space))
      continue;  // to come, elsewhere
    const Range range = shape.lane_bounds;
    const bool close = (shape.npus & bytes.shape->npus) != 0 && range.begin <= wanted.end &&
                       wanted.begin <= range.end;
    if (close && (latest == nullptr || writer.written > latest->written)) latest = &writer;
  }
  return latest == nullptr ? std::nullopt : std::optional(latest->call);
}

}  // namespace tensorlane::trail
