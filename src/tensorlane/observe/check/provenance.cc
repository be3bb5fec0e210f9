#include "tensorlane/observe/check/provenance.h"

#include <algorithm>

#include "tensorlane/observe/check/dependence.h"

namespace tensorlane::check {
namespace {

std::vector<MemoryShape> memory_shapes(const Chip& chip) {
  std::vector<MemoryShape> shapes(kSpaces);
  shapes[static_cast<std::size_t>(Space::kLocal)] = {chip.local.npus, chip.local.npu_bytes};
  return shapes;
}

}  // namespace

Provenance::Provenance(const Chip& chip, FootprintCache& footprints)
    : chip_(chip), footprints_(footprints), shadow_(memory_shapes(chip)) {}

// What a launch before left in local memory, L2 and DTCM does not count as written: the host has no
// way to keep another program's launch from coming between. Tables and firmware data do.
void Provenance::launch_begin() {
  writers_.clear();
  for (const Space space : {Space::kLocal, Space::kL2, Space::kDtcm}) {
    if (chip_.has(space)) shadow_.forget(number(space));
  }
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

void Provenance::allocated(Range bytes) {
  shadow_.write_linear(number(Space::kGlobal), bytes, kUnwritten);
}

bool Provenance::is_element_wise(const Op& op) {
  const auto [entry, added] = element_wise_.try_emplace(&op, false);
  if (added) entry->second = element_wise(op);
  return entry->second;
}

Footprint Provenance::word_bytes(const CheckedCommand& command, int operand) {
  return footprints_.get(whole_words(command.operand(operand)),
                         command.npu_bytes(command.operand(operand).space));
}

void Provenance::read(const CheckedCommand& command) {
  ++time_;
  pending_.clear();
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
    if (is_element_wise(*command.command().op) && !is_table(*operand.spec)) {
      // Undefined dummy lanes make dummy lanes undefined, which may be copied on with their words.
      if (!defined || (operand.spec->storage == Storage::kPacked &&
                       !shadow_.scan(memory, word_bytes(command, k), marks_))) {
        pass_on(command, k);
      }
    } else {
      // A result of which data decides what is written (scatter, nonzero): the rest stays as it
      // was, which is no use of it.
      source.undefined_use = !defined && operand.spec->role != Role::kInOut;
    }
  }
  number_results(command);
}

// Notes which elements of the results depend on undefined elements of a source.
void Provenance::pass_on(const CheckedCommand& command, int source) {
  const Operand& from = command.operand(source);
  const Layout from_words = whole_words(from);
  for (int k = 0; k < command.size(); ++k) {
    const Operand& to = command.operand(k);
    if (to.role != Role::kOut && to.role != Role::kInOut) continue;
    const Layout to_words = whole_words(to);
    const bool words = from_words.extent(0) == to_words.extent(0);
    const Layout &origin = words ? from_words : from.layout, &target = words ? to_words : to.layout;
    const bool copy = command.command().engine() == Engine::kGdma;
    for (const InitShadow::Dependence& each :
         shadow_.dependences(target, number(from.space), spread(origin, target), copy)) {
      pending_.push_back({number(to.space), each.destination, hole_of(command, source, each.mark)});
    }
  }
}

void Provenance::number_results(const CheckedCommand& command) {
  constexpr std::uint64_t kOperands = 16;  // a power of two above kMaxOperands
  for (int k = 0; k < command.size(); ++k) {
    const Operand& operand = command.operand(k);
    Result& result = results_[static_cast<std::size_t>(k)];
    result.writer = 0;
    if (!operand.writes()) continue;
    result.bytes = operand.role != Role::kWork && operand.spec->storage == Storage::kPacked
                       ? word_bytes(command, k)
                       : command.bytes(k);
    if (operand.role == Role::kWork || operand.space == Space::kGlobal) continue;
    const auto source = reinterpret_cast<std::uint64_t>(command.command().call_site) * kOperands +
                        static_cast<std::uint64_t>(k);
    result.writer =
        writers_.number(source, result.bytes, [&] { return call_of(command.command(), k); });
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
    shadow_.write(number(operand.space), result.bytes, mark);
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

Mark Provenance::hole_of(const CheckedCommand& command, int operand, Mark mark) {
  if (mark != kUnwritten) return mark;
  const auto [entry, added] =
      hole_numbers_.try_emplace({command.command().call_site, operand, false},
                                kUndefinedBit | static_cast<Mark>(holes_.size()));
  if (!added) return entry->second;
  const Space space = command.operand(operand).space;
  const Footprint& bytes = command.bytes(operand);
  Hole hole{call_of(command.command(), operand), false, space, {}, neighbour(bytes, space)};
  const auto unwritten = [&](const Footprint& in) {
    std::vector<MarkedBytes> pieces = shadow_.undefined(number(space), in, 256);
    std::erase_if(pieces, [](const MarkedBytes& piece) { return piece.mark != kUnwritten; });
    return pieces;
  };
  std::vector<MarkedBytes> pieces = unwritten(bytes);
  if (pieces.empty()) pieces = unwritten(word_bytes(command, operand));  // dummy lanes only
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
  const auto [entry, added] =
      hole_numbers_.try_emplace({command.command().call_site, operand, true},
                                kUndefinedBit | static_cast<Mark>(holes_.size()));
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
    if (writer.written == 0 || shape.npu_bytes == 0) continue;  // to come, or in L2 or DTCM
    const Range range = shape.lane_bounds;
    const bool close = (shape.npus & bytes.shape->npus) != 0 && range.begin <= wanted.end &&
                       wanted.begin <= range.end;
    if (close && (latest == nullptr || writer.written > latest->written)) latest = &writer;
  }
  return latest == nullptr ? std::nullopt : std::optional(latest->call);
}

}  // namespace tensorlane::check
