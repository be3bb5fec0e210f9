#include "tensorlane/observe/precision/precision.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "tensorlane/compare/compare.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/observe/precision/operand_values.h"
#include "tensorlane/observe/precision/precision_report.h"

namespace tensorlane::precision {

Precision::Precision(const Chip& chip, const DeviceMemory& memory, int device, Deliver deliver,
                     Limits limits)
    : chip_(chip),
      memory_(memory),
      device_(device),
      deliver_(std::move(deliver)),
      limits_(std::move(limits)) {}

Precision::~Precision() {
  if (deliver_) deliver_(precision_json(lines_, reads_, device_));
}

std::vector<LineErrors> Precision::lines() const {
  return lines_;
}

std::optional<double> Precision::real_value(Space space, std::uint64_t offset, Dtype dtype) const {
  const trail::Shadow* shadow = shadows_.find(space, static_cast<std::int64_t>(offset), dtype);
  return shadow == nullptr ? std::nullopt : std::optional(shadow->value);
}

const Meaning& Precision::meaning_of(const Op& op) {
  const auto found = meanings_.find(&op);
  if (found != meanings_.end()) return found->second;
  return meanings_.emplace(&op, precision::meaning_of(op)).first->second;
}

std::uint16_t Precision::line_of(const Command& command) {
  const auto next = static_cast<std::uint16_t>(lines_.size());
  const auto [found, added] = line_numbers_.emplace(command.call_site, next);
  if (added) {
    if (next == trail::Blame::kNobody)
      return found->second = next - 1;  // more lines than a kernel has
    lines_.push_back({.call_site = command.call_site, .function = command.op->name()});
  }
  return found->second;
}

void Precision::command_begin(const Command& command) {
  made_.reset();
  moved_.clear();
  left_out_ = false;
  const Meaning& meaning = meaning_of(*command.op);
  switch (meaning.kind) {
    case Meaning::Kind::kUnknown:
      return;
    case Meaning::Kind::kCopy:
    case Meaning::Kind::kMoved:
    case Meaning::Kind::kSelected:
      moved_ = moved_results(command, meaning, memory_, shadows_);
      return;
    default:
      left_out_ = !wanted_ || (limits_.command && !limits_.command(command));
      if (left_out_) return;
      if (limits_.elements > 0) part_ = part_of(command, limits_.elements);
      made_ = real_result(limits_.elements > 0 ? part_ : command, meaning, memory_, shadows_);
  }
}

// Whether a command without a real meaning has anything to hide: the rounding of a float, or what
// its sources would hand on. Integers of integers that are right are right.
bool Precision::loses_error(const Command& command) const {
  bool reads = false, wrong = false, rounds = false;
  for (const Operand& operand : command.operands()) {
    const Dtype dtype = inspect::readable(operand.layout.dtype());
    if (operand.writes()) {
      rounds = rounds || (dtype_info(dtype).is_float && operand.role != Role::kWork);
    } else if (operand.space != Space::kStatic) {
      reads = true;
      wrong = wrong || has_shadow(operand, shadows_);
    }
  }
  return wrong || (reads && rounds);
}

void Precision::command_end(const Command& command) {
  if (!moved_.empty()) {
    for (const MovedResult& moved : moved_) write(moved);
    return;
  }
  if (left_out_) {
    for (const Operand& operand : command.operands()) {
      if (operand.writes()) forget(operand);
    }
    return;
  }
  const std::uint16_t line = line_of(command);
  ++lines_[line].calls;
  for (const Operand& operand : command.operands()) {
    if (operand.writes() && !(made_ && made_->operand == &operand)) forget(operand);
  }
  if (made_) {
    judge(*made_, line);
  } else if (loses_error(command)) {
    ++lines_[line].unknown;
  }
}

void Precision::write(const MovedResult& moved) {
  if (moved.shadows.empty()) return forget(*moved.operand);
  const Operand& operand = *moved.operand;
  const Dtype dtype = operand.layout.dtype();
  each_row(operand.layout, [&](std::int64_t number, std::int64_t offset, std::int64_t count,
                               std::int64_t step) {
    const auto first = static_cast<std::size_t>(number);
    const auto row = std::span(moved.shadows).subspan(first, static_cast<std::size_t>(count));
    if (moved.kept.empty())
      return shadows_.write_row({operand.space, offset, count, step, dtype}, row);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!moved.kept[first + i])
        shadows_.write(operand.space, offset + static_cast<std::int64_t>(i) * step, dtype,
                       row[i].type == 0 ? nullptr : &row[i]);
    }
  });
}

void Precision::forget(const Operand& operand) {
  const Layout::Bounds bounds = operand.layout.loose_bounds(false);
  if (dtype_bits(operand.layout.dtype()) < 8 ||
      !shadows_.any(operand.space, bounds.begin, bounds.end))
    return;
  const std::int64_t bytes = dtype_bytes(operand.layout.dtype());
  each_row(operand.layout,
           [&](std::int64_t, std::int64_t offset, std::int64_t count, std::int64_t step) {
             if (step == bytes)
               return shadows_.forget(operand.space, offset, offset + count * bytes);
             for (std::int64_t i = 0; i < count; ++i)
               shadows_.write(operand.space, offset + i * step, operand.layout.dtype(), nullptr);
           });
}

void Precision::pointer_taken(Space space, std::uint64_t offset, const void*) {
  if (seen_) return;
  // It may be written behind the pointer, and nobody will tell.
  const auto begin = static_cast<std::int64_t>(offset);
  const std::int64_t npu = chip_.local.npu_bytes;
  const std::int64_t end = space == Space::kLocal
                               ? (begin / npu + 1) * npu
                               : static_cast<std::int64_t>(chip_.region(space).bytes);
  shadows_.forget(space, begin, end);
}

void Precision::processor_access(const ProcessorAccess& access) {
  if (access.kind == ProcessorAccess::Kind::kRead) return;
  const auto begin = static_cast<std::int64_t>(access.offset);
  shadows_.forget(access.space, begin, begin + static_cast<std::int64_t>(access.bytes));
}

bool Precision::watches(Space space, std::uint64_t offset, std::uint64_t bytes) const {
  const auto begin = static_cast<std::int64_t>(offset);
  return shadows_.any(space, begin, begin + static_cast<std::int64_t>(bytes));
}

void Precision::allocated(std::uint64_t offset, std::uint64_t bytes, const HostCaller&) {
  const auto begin = static_cast<std::int64_t>(offset);
  shadows_.forget(Space::kGlobal, begin, begin + static_cast<std::int64_t>(bytes));
}

void Precision::host_copied(const DeviceCopy& copy, const HostCaller&) {
  for (std::uint64_t k = 0; k < copy.count; ++k) {
    const auto from = static_cast<std::int64_t>(copy.from + k * copy.from_step);
    const auto to = static_cast<std::int64_t>(copy.to + k * copy.to_step);
    const auto bytes = static_cast<std::int64_t>(copy.item_bytes);
    std::vector<std::pair<std::int64_t, trail::Shadow>> held;
    shadows_.visit(Space::kGlobal, from, from + bytes,
                   [&](std::int64_t at, const trail::Shadow& shadow) {
                     held.emplace_back(at - from + to, shadow);
                   });
    shadows_.forget(Space::kGlobal, to, to + bytes);
    for (const auto& [at, shadow] : held)
      shadows_.write(Space::kGlobal, at, static_cast<Dtype>(shadow.type - 1), &shadow);
  }
}

void Precision::host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                            const HostCaller& caller) {
  const auto begin = static_cast<std::int64_t>(offset);
  const std::int64_t end = begin + static_cast<std::int64_t>(bytes);
  if (access == HostAccess::kWrite) return shadows_.forget(Space::kGlobal, begin, end);
  ReadErrors read;
  const std::byte* const memory = memory_.base(Space::kGlobal);
  std::unordered_map<std::uint16_t, double> shares;
  double worst = -1;
  shadows_.visit(Space::kGlobal, begin, end, [&](std::int64_t at, const trail::Shadow& shadow) {
    const auto dtype = static_cast<Dtype>(shadow.type - 1);
    const double got =
        compare::elements_of(dtype, {memory + at, static_cast<std::size_t>(dtype_bytes(dtype))}, 1)
            .front();
    ++read.elements;
    double error = std::abs(got - shadow.value);
    if (!std::isfinite(error)) {
      ++read.not_finite;
      error = std::abs(shadow.value) + 1;
    } else {
      read.errors += error * error;
    }
    read.values += shadow.value * shadow.value;
    for (std::size_t k = 0; k < shadow.blame.line.size(); ++k) {
      if (shadow.blame.line[k] != trail::Blame::kNobody)
        shares[shadow.blame.line[k]] += std::abs(shadow.blame.amount[k]);
    }
    if (error <= worst) return;
    worst = error;
    read.address = chip_.region(Space::kGlobal).begin + static_cast<std::uint64_t>(at);
    read.got = got;
    read.real = shadow.value;
    read.line = shadow.blame.line[0];
    const double all = std::abs(shadow.blame.amount[0]) + std::abs(shadow.blame.amount[1]);
    read.part = all > 0 ? std::abs(shadow.blame.amount[0]) / all : 0;
  });
  if (read.elements == 0) return;
  // Tensors of every magnitude count alike.
  const double magnitude = std::sqrt(read.values) + 1e-300;
  for (const auto& [line, share] : shares) lines_[line].share += share / magnitude;
  read.call_site = caller.call_site;
  read.function = caller.function;
  const auto [held, added] = reads_.emplace(caller.call_site, read);
  if (added) return;
  // What one line of the host reads again and again: the worst of it.
  const auto relative = [](const ReadErrors& of) {
    return static_cast<double>(of.not_finite) + of.errors / (of.values + 1e-300);
  };
  if (relative(read) > relative(held->second)) held->second = read;
}

}  // namespace tensorlane::precision
