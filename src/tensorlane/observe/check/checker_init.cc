// Which values depend on bytes nobody wrote, on tensors in each other's way, or on no input at all:
// the part of the checker that follows values through commands.
#include <algorithm>
#include <set>

#include "tensorlane/observe/check/checker.h"
#include "tensorlane/observe/check/non_finite.h"

namespace tensorlane::check {
namespace {

// The layout of a 4N or 2N tensor with its batches filled up to whole 32-bit words: dummy lanes are
// computed and written like real ones [observed]. Other layouts stay as they are.
Layout whole_words(const Operand& operand) {
  const Layout& layout = operand.layout;
  if (operand.spec->storage != Storage::kPacked) return layout;
  const std::int64_t lanes = 4 / layout.element_units();
  Layout words(layout.dtype());
  words.set_base(layout.base());
  for (int d = 0; d < layout.rank(); ++d) {
    const std::int64_t extent = layout.extent(d);
    words.add_dim(d == 0 ? align_up(extent, lanes) : extent, layout.digits(d), layout.offset(d));
  }
  return words;
}

bool is_per_channel(const OperandSpec& spec) {
  return spec.shape.size() == 4 && spec.shape[0] == "1" && spec.shape[2] == "1" &&
         spec.shape[3] == "1";
}

// The same words on every NPU, which every element of the result depends on.
bool is_table(const OperandSpec& spec) {
  return spec.shape.size() == 4 && spec.shape[0] == "1" && spec.shape[1].ends_with("npu_num()") &&
         spec.shape[2] == "1";
}

}  // namespace

// A function is element-wise when every source has the shape of the result or one value per
// channel, tables of coefficients apart; a copy also when it broadcasts. What it computes of
// undefined elements concerns the same elements of the result only.
bool Checker::element_wise(const Op& op) {
  const auto known = element_wise_.find(&op);
  if (known != element_wise_.end()) return known->second;
  const std::vector<OperandSpec>& all = op.spec().operands;
  const auto result = std::find_if(all.begin(), all.end(), [](const OperandSpec& spec) {
    return spec.role == Role::kOut || spec.role == Role::kInOut;
  });
  const bool answer =
      result != all.end() && std::all_of(all.begin(), all.end(), [&](const OperandSpec& spec) {
        return spec.role == Role::kWork || spec.shape == result->shape || is_per_channel(spec) ||
               is_table(spec) || copies(op);
      });
  element_wise_.emplace(&op, answer);
  return answer;
}

Footprint Checker::word_bytes(const Operand& operand) {
  return footprints_.get(whole_words(operand),
                         operand.space == Space::kLocal ? chip_.local.npu_bytes : 0);
}

void Checker::check_init(const Command& command) {
  ++time_;
  pending_.clear();
  for (int k = 0; k < command.operand_count; ++k) {
    if (command.operands()[static_cast<std::size_t>(k)].reads()) read_operand(command, k);
  }
  write_operands(command);
}

void Checker::read_operand(const Command& command, int at) {
  const Operand& operand = command.operands()[static_cast<std::size_t>(at)];
  const Footprint& bytes = bytes_[static_cast<std::size_t>(at)];
  const bool defined = shadow_.scan(number(operand.space), bytes, found_marks_);
  if (operand.space != Space::kGlobal) {
    std::erase_if(found_marks_, [](Mark mark) { return mark < kFirstWriter; });
    for (Mark& mark : found_marks_) mark -= kFirstWriter - 1;
    if (const auto problem = live_.read(bytes, found_marks_, time_))
      report_clobber(command, at, *problem);
  }
  if (element_wise(*command.op) && !is_table(*operand.spec)) {
    // Undefined dummy lanes make dummy lanes undefined, which may be copied on with their words.
    if (!defined || (operand.spec->storage == Storage::kPacked &&
                     !shadow_.scan(number(operand.space), word_bytes(operand), found_marks_))) {
      pass_on(command, at);
    }
    return;
  }
  // A result of which data decides what is written (scatter, nonzero): the rest stays as it was,
  // which is no use of it.
  if (defined || operand.spec->role == Role::kInOut) return;
  std::set<Mark> holes;
  for (const MarkedBytes& piece : shadow_.undefined(number(operand.space), bytes))
    holes.insert(hole_of(command, at, piece.mark));
  for (const Mark hole : holes) report_hole(hole, &command, at);
}

// Notes which elements of the results depend on undefined elements of a source.
void Checker::pass_on(const Command& command, int source) {
  const Operand& from = command.operands()[static_cast<std::size_t>(source)];
  const Layout from_words = whole_words(from);
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& to = command.operands()[static_cast<std::size_t>(k)];
    if (to.role != Role::kOut && to.role != Role::kInOut) continue;
    const Layout to_words = whole_words(to);
    const bool words = from_words.extent(0) == to_words.extent(0);
    const Layout &origin = words ? from_words : from.layout, &target = words ? to_words : to.layout;
    // A value that is broadcast counts for all it becomes: a source with strides of 0.
    Layout spread(origin.dtype());
    spread.set_base(origin.base());
    for (int d = 0; d < origin.rank(); ++d) {
      if (origin.extent(d) == target.extent(d)) {
        spread.add_dim(origin.extent(d), origin.digits(d), origin.offset(d));
      } else {
        spread.add_dim(target.extent(d), {{1, 0}});
      }
    }
    const bool copy = command.engine() == Engine::kGdma;
    for (const InitShadow::Dependence& each :
         shadow_.dependences(target, number(from.space), spread, copy)) {
      pending_.push_back({number(to.space), each.destination, hole_of(command, source, each.mark)});
    }
  }
}

void Checker::write_operands(const Command& command) {
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (!operand.writes()) continue;
    const int memory = number(operand.space);
    if (operand.role == Role::kWork) {
      shadow_.write(memory, bytes_[static_cast<std::size_t>(k)], work_hole(command, k));
      continue;
    }
    const Footprint bytes = operand.spec->storage == Storage::kPacked
                                ? word_bytes(operand)
                                : bytes_[static_cast<std::size_t>(k)];
    if (operand.space == Space::kGlobal) {
      shadow_.write(memory, bytes, kKernel);
      continue;
    }
    const auto source = reinterpret_cast<std::uint64_t>(command.call_site) * kOperandsPerCommand +
                        static_cast<std::uint64_t>(k);
    const LiveTensors::Write write = live_.write(source, bytes, time_, write_kind(command, k));
    if (write.mark > writer_calls_.size()) writer_calls_.push_back(call_of(command, k));
    if (write.unread && checks_.lint) report_unread(write.mark);
    if (!pending_.empty()) live_.excuse(write.mark, time_);
    shadow_.write(memory, bytes, write.mark + kFirstWriter - 1);
  }
  for (const Pending& each : pending_) shadow_.write_linear(each.memory, each.bytes, each.mark);
}

LiveTensors::Kind Checker::write_kind(const Command& command, int at) const {
  const Operand& result = command.operands()[static_cast<std::size_t>(at)];
  const Footprint& bytes = bytes_[static_cast<std::size_t>(at)];
  auto kind = LiveTensors::Kind::kFill;
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& source = command.operands()[static_cast<std::size_t>(k)];
    if (!source.reads()) continue;
    if (source.space == result.space && overlap(bytes_[static_cast<std::size_t>(k)], bytes))
      return LiveTensors::Kind::kUpdate;
    kind = LiveTensors::Kind::kPlain;
  }
  return kind;
}

Mark Checker::hole_of(const Command& command, int at, Mark mark) {
  if (mark != kUnwritten) return mark;
  const auto [entry, added] = hole_numbers_.try_emplace(
      {command.call_site, at, false}, kUndefinedBit | static_cast<Mark>(holes_.size()));
  if (!added) return entry->second;
  const Operand& operand = command.operands()[static_cast<std::size_t>(at)];
  const Footprint& bytes = bytes_[static_cast<std::size_t>(at)];
  Hole hole{call_of(command, at), false, operand.space, {}, neighbour(bytes, operand.space)};
  const auto unwritten = [&](const Footprint& in) {
    std::vector<MarkedBytes> pieces = shadow_.undefined(number(operand.space), in, 256);
    std::erase_if(pieces, [](const MarkedBytes& piece) { return piece.mark != kUnwritten; });
    return pieces;
  };
  std::vector<MarkedBytes> pieces = unwritten(bytes);
  if (pieces.empty()) pieces = unwritten(word_bytes(operand));  // dummy lanes only
  for (const MarkedBytes& piece : pieces) {
    const std::int64_t npu_bytes = operand.space == Space::kLocal ? chip_.local.npu_bytes : 0;
    for (int q = piece.npu; q < piece.npu + piece.npus; ++q)
      hole.bytes.push_back(
          {q * npu_bytes + piece.offsets.begin, q * npu_bytes + piece.offsets.end});
  }
  holes_.push_back(std::move(hole));
  return entry->second;
}

Mark Checker::work_hole(const Command& command, int at) {
  const auto [entry, added] = hole_numbers_.try_emplace(
      {command.call_site, at, true}, kUndefinedBit | static_cast<Mark>(holes_.size()));
  if (added) {
    holes_.push_back({call_of(command, at),
                      true,
                      command.operands()[static_cast<std::size_t>(at)].space,
                      {},
                      std::nullopt});
  }
  return entry->second;
}

// The latest write whose bytes lie in the same NPUs next to a footprint or inside it.
std::optional<Checker::Call> Checker::neighbour(const Footprint& bytes, Space space) const {
  if (space != Space::kLocal) return std::nullopt;
  std::uint64_t latest = 0;
  std::optional<Call> call;
  const Range wanted = bytes.shape->lane_bounds;
  for (std::size_t k = 0; k < live_.writers().size(); ++k) {
    const LiveTensors::Writer& writer = live_.writers()[k];
    if (writer.bytes.shape->npu_bytes == 0) continue;  // L2 and DTCM
    const Range range = writer.bytes.shape->lane_bounds;
    const bool close = (writer.bytes.shape->npus & bytes.shape->npus) != 0 &&
                       range.begin <= wanted.end && wanted.begin <= range.end;
    if (close && writer.written > latest) {
      latest = writer.written;
      call = writer_calls_[k];
    }
  }
  return call;
}

// Copies make no values: only commands that compute are asked where a NaN or infinity comes from.
void Checker::look_for_non_finite_sources(const Command& command) {
  finite_sources_ = memory_ != nullptr && command.engine() == Engine::kBdc;
  for (int k = 0; k < command.operand_count && finite_sources_; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (!operand.reads()) continue;
    finite_sources_ = find_non_finite(memory_->base(operand.space),
                                      bytes_[static_cast<std::size_t>(k)], operand.layout.dtype())
                          .elements == 0;
  }
}

void Checker::look_for_non_finite_results(const Command& command) {
  if (!finite_sources_) return;
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (!operand.writes() || operand.role == Role::kWork) continue;
    const NonFinite found = find_non_finite(
        memory_->base(operand.space), bytes_[static_cast<std::size_t>(k)], operand.layout.dtype());
    if (found.elements > 0) report_non_finite(command, k, found);
  }
}

}  // namespace tensorlane::check
