// From a call to a command: limits, layouts, bounds.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tensorlane/base/language.h"
#include "tensorlane/ops/address_text.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {
namespace {

// Local addresses may carry the base of the local window (observed); drop it once, here.
void normalise_address(const ArgType& type, const Chip& chip, Arg& arg) {
  std::int64_t* const address = type.kind == ArgKind::kLocalAddress ? arg.field.data()
                                : type.kind == ArgKind::kValueOrAddress && arg.is_address()
                                    ? &arg.field[kAddressField]
                                    : nullptr;
  if (address == nullptr) return;
  const Region& window = chip.region(Space::kLocal);
  const auto begin = static_cast<std::int64_t>(window.begin);
  if (*address >= begin && *address < begin + static_cast<std::int64_t>(window.bytes))
    *address -= begin;
}

class Decoder {
 public:
  Decoder(const Op& op, const Chip& chip, bool in_parallel_region, Command& out,
          const LimitPolicy& policy)
      : op_(op),
        chip_(chip),
        out_(out),
        policy_(policy),
        environment_{out.args(), &chip, in_parallel_region} {}

  // The limits that are broken and have a meaning all the same.
  std::vector<Violation> run() {
    normalise_addresses();
    bool refused = false;
    for (const Limit& limit : op_.limits()) {
      if (std::optional<Violation> violation = limit.check(environment_)) {
        refused = refused || is_refused(violation->breach);
        violations_.push_back(std::move(*violation));
      }
    }
    if (refused) throw IllegalCall(op_.name(), std::move(violations_));
    std::vector<Violation> tolerated = std::exchange(violations_, {});
    lenient_ = !tolerated.empty();
    out_.operand_storage.clear();
    for (const Op::CompiledOperand& operand : op_.operands()) {
      if (!operand.used_if.empty() && value(operand.used_if) == 0) continue;
      if (!lay_out(operand, out_.operand_storage.emplace_back())) out_.operand_storage.pop_back();
    }
    if (!violations_.empty()) throw IllegalCall(op_.name(), std::move(violations_));
    return tolerated;
  }

  // The same for a command that was decoded, where the inputs in `changed` are others now. False
  // where run() has to say.
  bool rerun(Inputs changed) {
    for (const Limit& limit : op_.limits()) {
      if ((limit.inputs() & changed) != 0 && limit.is_broken(environment_)) return false;
    }
    auto own = out_.operand_storage.begin();
    for (const Op::CompiledOperand& operand : op_.operands()) {
      if ((operand.used_if.inputs() & changed) != 0) return false;
      if (own == out_.operand_storage.end() || own->spec != operand.spec) continue;  // not used
      if ((operand.inputs & changed) != 0) lay_out(operand, *own);
      ++own;
    }
    return violations_.empty();
  }

 private:
  bool is_refused(Breach breach) const {
    switch (breach) {
      case Breach::kRefused:
        break;
      case Breach::kComputed:
      case Breach::kUnenforced:
        return false;
      case Breach::kOnRequest:
        return !policy_.keep_going;
      case Breach::kNewerModel:
        return policy_.strict;
    }
    return true;
  }

  void normalise_addresses() {
    for (std::size_t k = 0; k < op_.params().size(); ++k)
      normalise_address(*op_.types()[k], chip_, out_.arg_storage[k]);
  }

  std::int64_t value(const Expression& expression) const {
    return expression.evaluate(environment_).value_or(0);
  }

  void violate(std::string values, std::string rule, std::string source, std::string repair = {}) {
    violations_.push_back(
        {std::move(values), std::move(rule), std::move(source), true, std::move(repair)});
  }

  // False where there is no such place.
  bool lay_out(const Op::CompiledOperand& compiled, Operand& operand) {
    const OperandSpec& spec = *compiled.spec;
    TL_INTERNAL_CHECK(out_.operand_count() <= kMaxOperands);
    operand.spec = &spec;
    operand.role =
        !compiled.inout_if.empty() && value(compiled.inout_if) != 0 ? Role::kInOut : spec.role;
    operand.address = static_cast<std::uint64_t>(value(compiled.address));
    std::uint64_t space_bytes = 0;
    std::int64_t base = 0;
    if (spec.memory == MemoryKind::kLocal) {
      operand.space = Space::kLocal;
      space_bytes = chip_.local_bytes();
      base = static_cast<std::int64_t>(operand.address);
      if (operand.address >= space_bytes) {
        AddressText text = explain_local_address(chip_, operand.address);
        violate(fmt::format("{} = {:#x}{}", spec.param, operand.address, text.what),
                tr("0 <= {} < {:#x} ({} NPUs of {} bytes)", spec.param, space_bytes,
                   chip_.local.npus, chip_.local.npu_bytes),
                "doc", std::move(text.repair));
        return false;
      }
    } else if (spec.memory == MemoryKind::kStatic) {
      operand.space = Space::kStatic;
      space_bytes = chip_.region(Space::kStatic).bytes;
      base = static_cast<std::int64_t>(operand.address);
    } else {
      const std::optional<Chip::Place> place = chip_.find(operand.address);
      if (!place) {
        violate_unmapped(spec, operand.address);
        return false;
      }
      operand.space = place->space;
      space_bytes = place->offset + place->bytes_left;
      base = static_cast<std::int64_t>(place->offset);
    }
    operand.layout = layout(compiled, base);
    if (!lenient_ || has_meaning(operand))
      check_bounds(operand, static_cast<std::int64_t>(space_bytes));
    return true;
  }

  // What the limits say implicitly: they keep addresses at multiples of elements, and numbers of
  // elements small.
  bool has_meaning(const Operand& operand) {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    const std::int64_t unit = std::min(4, dtype_bytes(operand.layout.dtype()));
    std::int64_t elements = 1;
    for (int d = 0; d < operand.layout.rank(); ++d) {
      const std::int64_t extent = operand.layout.extent(d);
      elements = extent > 0 && elements <= kMost / extent ? elements * extent : 0;
    }
    if (elements == 0) {
      violations_.push_back({tr("{} has more than {} elements", operand.name(), kMost),
                             tr("1 to {} elements", kMost), "emulator"});
    } else if (operand.address % static_cast<std::uint64_t>(unit) != 0) {
      violations_.push_back({fmt::format("{} = {:#x}", operand.name(), operand.address),
                             fmt::format("{} % {} == 0", operand.name(), unit), "emulator"});
    }
    return violations_.empty();
  }

  void violate_unmapped(const OperandSpec& spec, std::uint64_t address) {
    std::string map;
    for (const Region& region : chip_.regions) {
      map += fmt::format("{}{} {:#x}..{:#x}", map.empty() ? "" : ", ",
                         translated(space_name(region.space)), region.begin,
                         region.begin + region.bytes - 1);
    }
    AddressText text = explain_system_address(chip_, address);
    if (text.repair.empty()) text.repair = tr("pass the address of an allocation; it counts bytes");
    violate(fmt::format("{} = {:#x}{}", spec.param, address, text.what),
            tr("{} lies in a memory: {}", spec.param, map), "doc", std::move(text.repair));
  }

  Dtype operand_dtype(const Op::CompiledOperand& compiled) const {
    if (compiled.spec->dtype_rule) return compiled.spec->dtype_rule(out_);
    if (compiled.dtype_param < 0) return compiled.spec->dtype;
    const auto param = static_cast<std::size_t>(compiled.dtype_param);
    return out_.arg_storage[param].dtype();
  }

  Layout layout(const Op::CompiledOperand& compiled, std::int64_t base) const {
    const OperandSpec& spec = *compiled.spec;
    const LocalMemory& local = chip_.local;
    const Dtype dtype = operand_dtype(compiled);
    const DefaultLayout kind = spec.layout_rule ? spec.layout_rule(out_) : spec.layout;
    if (kind == DefaultLayout::kMatrix) {
      return matrix_layout(local, base, value(compiled.shape[0]), value(compiled.shape[1]),
                           value(compiled.cols_per_channel), dtype);
    }
    if (kind == DefaultLayout::kRows) {
      return system_matrix_layout(base, value(compiled.shape[0]), value(compiled.shape[1]),
                                  value(compiled.row_stride), dtype);
    }
    const Shape4 shape{value(compiled.shape[0]), value(compiled.shape[1]), value(compiled.shape[2]),
                       value(compiled.shape[3])};
    const Arg* given = compiled.stride_param < 0
                           ? nullptr
                           : &out_.arg_storage[static_cast<std::size_t>(compiled.stride_param)];
    const bool use_given = given != nullptr && !given->is_null;
    if (spec.memory != MemoryKind::kLocal) {
      return system_layout(base, shape, use_given ? given->stride() : continuous_stride(shape),
                           dtype);
    }
    const std::int64_t start_npu = base / local.npu_bytes;
    if (!compiled.shared_row_if.empty() && value(compiled.shared_row_if) != 0) {
      const Shape4 row{shape.n, std::min<std::int64_t>(shape.c, local.npus), shape.h, shape.w};
      Stride4 stride = default_stride(kind, start_npu, row, dtype_bytes(dtype));
      stride.c = 0;
      return local_layout(local, base, row, stride, dtype);
    }
    switch (spec.storage) {
      case Storage::kPlain:
        return local_layout(local, base, shape,
                            use_given ? given->stride()
                                      : default_stride(kind, start_npu, shape, dtype_bytes(dtype)),
                            dtype);
      case Storage::kPacked:
        return packed_layout(local, base, shape,
                             use_given
                                 ? given->stride()
                                 : default_stride(kind, start_npu, packed_shape(shape, dtype), 4),
                             dtype);
      case Storage::k2IC: {
        const Shape4 pairs{ceil_div(shape.n, 2), shape.c, shape.h, shape.w};
        return two_ic_layout(local, base, shape,
                             use_given ? given->stride() : compact_stride(local, start_npu, pairs),
                             dtype);
      }
      case Storage::kWeights:
        return grouped_ic_layout(local, base, shape, dtype);
    }
    return {};
  }

  Stride4 default_stride(DefaultLayout kind, std::int64_t start_npu, const Shape4& shape,
                         int element_bytes) const {
    if (kind == DefaultLayout::kCompact) return compact_stride(chip_.local, start_npu, shape);
    if (kind == DefaultLayout::kLineAligned)
      return line_aligned_stride(chip_.local, start_npu, shape, element_bytes * 8);
    LocalMemory memory = chip_.local;
    if (kind == DefaultLayout::kCompactWords) memory.align_bytes = 4;
    return aligned_stride(memory, start_npu, shape, element_bytes);
  }

  void check_bounds(const Operand& operand, std::int64_t space_bytes) {
    const bool local = operand.layout.space() == AddressSpace::kLocal;
    const std::int64_t limit = local ? chip_.local.npu_bytes : space_bytes;
    const Layout::Bounds loose = operand.layout.loose_bounds(local);
    if (loose.begin >= 0 && loose.end <= limit) return;
    const Layout::Bounds bounds =
        local ? operand.layout.npu_offset_bounds() : operand.layout.bounds();
    if (bounds.begin >= 0 && bounds.end <= limit) return;
    if (local) {
      const std::string_view name = operand.name();
      violate(bounds.begin < 0
                  ? tr("{} = {:#x} begins {} bytes before NPU {}", name, operand.address,
                       -bounds.begin, operand.layout.base() / limit)
                  : tr("{} = {:#x} ends {} bytes past the {} of NPU {}", name, operand.address,
                       bounds.end - limit, limit, operand.layout.base() / limit),
              tr("a tensor stays inside the {} bytes of each NPU", limit), "doc");
    } else {
      AddressText text;  // of global memory, cut off, it may lie in another one
      if (operand.space != Space::kGlobal) text = explain_system_address(chip_, operand.address);
      const std::int64_t origin =
          static_cast<std::int64_t>(operand.address) - operand.layout.base();
      violate(tr("{} = {:#x}{} reaches addresses {:#x}..{:#x}", operand.name(), operand.address,
                 text.what.empty() ? "" : text.what + ",", origin + bounds.begin,
                 origin + bounds.end - 1),
              tr("a tensor stays inside its memory, {} {:#x}..{:#x}",
                 translated(space_name(operand.space)), origin, origin + limit - 1),
              "doc", std::move(text.repair));
    }
  }

  const Op& op_;
  const Chip& chip_;
  Command& out_;
  const LimitPolicy& policy_;
  Environment environment_;
  bool lenient_ = false;  // a limit is broken
  std::vector<Violation> violations_;
};

}  // namespace

std::string violations_text(std::string_view function, std::span<const Violation> violations) {
  std::string text(function);
  for (const Violation& violation : violations) {
    const bool always = violation.values.empty();
    if (violation.breach == Breach::kNewerModel) {
      text +=
          fmt::format("\n  {}{}{}\n    {} [{}]", violation.values, always ? "" : ": ",
                      tr("the chip's model of 2024 refuses it"),
                      tr("rule: {}", always ? tr("no such function on this chip") : violation.rule),
                      violation.source);
    } else {
      text += fmt::format("\n  {}\n    {} [{}]", violation.values, tr("rule: {}", violation.rule),
                          violation.source);
    }
  }
  return text;
}

IllegalCall::IllegalCall(std::string_view function, std::vector<Violation> violations)
    : UserError(violations_text(function, violations)),
      function_(function),
      violations_(std::move(violations)) {}

bool IllegalCall::about_memory() const {
  return std::all_of(violations_.begin(), violations_.end(),
                     [](const Violation& violation) { return violation.about_memory; });
}

std::string_view IllegalCall::repair() const {
  const auto known = std::ranges::find_if(
      violations_, [](const Violation& violation) { return !violation.repair.empty(); });
  return known == violations_.end() ? std::string_view() : known->repair;
}

const Operand* Command::find(std::string_view param) const {
  for (const Operand& operand : operands()) {
    if (operand.name() == param) return &operand;
  }
  return nullptr;
}

std::int64_t Command::accumulates_by(const Operand& operand) const {
  if (operand.spec->accumulates_by.empty()) return 0;
  const auto compiled = std::ranges::find(op->operands(), operand.spec, &Op::CompiledOperand::spec);
  return compiled->accumulates_by.evaluate({args(), chip, region >= 0}).value_or(0);
}

std::int64_t Command::elements_per_step() const {
  const Layout& output = operand_storage[0].layout;
  std::int64_t least = chip->outputs_per_step(output.dtype());
  for (const Operand& operand : operands()) {
    if (operand.role != Role::kWork && operand.layout.size() == output.size())
      least = std::min(least, chip->outputs_per_step(operand.layout.dtype()));
  }
  return least;
}

std::vector<Violation> decode(const Op& op, std::span<const Arg> args, const Chip& chip,
                              bool in_parallel_region, Command& out, const LimitPolicy& policy) {
  TL_INTERNAL_CHECK(args.size() == op.params().size() && args.size() <= kMaxArgs);
  out.op = &op;
  out.chip = &chip;
  out.known = {};
  out.arg_storage.assign(args.begin(), args.end());
  return Decoder(op, chip, in_parallel_region, out, policy).run();
}

namespace {

// Whether an argument is the known one, which lost the base of the local window.
bool is_same(const Arg& given, const Arg& known, const ArgType& type, const Chip& chip) {
  if (given == known) return true;
  Arg normal = given;
  normalise_address(type, chip, normal);
  return normal == known;
}

}  // namespace

bool is_same_call(std::span<const Arg> args, const Command& command) {
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (!is_same(args[k], command.arg_storage[k], *command.op->types()[k], *command.chip))
      return false;
  }
  return true;
}

bool change_call(std::span<const Arg> args, bool in_parallel_region, bool region_changed,
                 Command& command, const LimitPolicy& policy) {
  TL_INTERNAL_CHECK(args.size() == command.arg_storage.size());
  Inputs changed = region_changed ? kRegionInput : kNoInputs;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ArgType& type = *command.op->types()[k];
    Arg& known = command.arg_storage[k];
    if (is_same(args[k], known, type, *command.chip)) continue;
    known = args[k];
    normalise_address(type, *command.chip, known);
    changed |= input_of(static_cast<int>(k));
  }
  command.known = {};
  Decoder decoder(*command.op, *command.chip, in_parallel_region, command, policy);
  return decoder.rerun(changed);
}

namespace {

// Calls f(limit, environment) for each condition that the call misses.
template <class F>
void each_missed(const Command& command, F f) {
  const Environment environment{command.args(), command.chip, command.region >= 0};
  for (const Limit& preference : command.op->preferred()) {
    if (preference.is_broken(environment)) f(preference, environment);
  }
}

}  // namespace

std::vector<Violation> advice(const Command& command) {
  std::vector<Violation> missed;
  each_missed(command, [&](const Limit& limit, const Environment& environment) {
    missed.push_back(limit.check(environment).value());
  });
  return missed;
}

std::size_t advice_count(const Command& command) {
  std::size_t count = 0;
  each_missed(command, [&](const Limit&, const Environment&) { ++count; });
  return count;
}

}  // namespace tensorlane
