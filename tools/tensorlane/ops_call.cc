#include "ops_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/clock/command_time.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/ops/operand_names.h"
#include "tensorlane/recording/recorded_args.h"
#include "text.h"

namespace tensorlane::cli {
namespace {

// What a variable_t holds, as recordings have it: no address.
constexpr int kScalar = 1;

// "12", "0x40", "-1": a number as JSON has it; texts and "null" as they are.
Json number_or_text(const std::string& word) {
  std::string_view digits = word;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (error == std::errc() && stop == end) return negative ? -value : value;
  if (const std::optional<Json> parsed = Json::try_parse(word)) return *parsed;
  return word;
}

// The number that stands for an element type in the interface.
Json dtype_number(const FrontEnd& front_end, const Param& param, const std::string& word) {
  if (const Json number = number_or_text(word); number.is_number()) return number;
  const Dtype wanted = parse_dtype(word.starts_with("DT_") ? word.substr(3) : word);
  constexpr int kMostTypes = 64;
  for (int number = 0; number < kMostTypes; ++number) {
    if (front_end.argument(param.type, number, 0).dtype() == wanted) return number;
  }
  user_error("{}: {} has no type {}", param.name, front_end.api.title, word);
}

Json given(const FrontEnd& front_end, const Param& param, const std::string& word) {
  const ArgType& type = arg_type(param.type);
  if (word == "null") return {};
  if (type.kind == ArgKind::kDtype) return dtype_number(front_end, param, word);
  if (type.kind == ArgKind::kValueOrAddress)
    return {{"is_addr", 0}, {"type", kScalar}, {"val", number_or_text(word)}};
  if (type.kind != ArgKind::kStruct) return number_or_text(word);
  Json list = Json::array();
  for (std::size_t at = 0; at <= word.size();) {
    const std::size_t end = std::min(word.find(',', at), word.size());
    list.push_back(number_or_text(word.substr(at, end - at)));
    at = end + 1;
  }
  return list;
}

// A parameter of several numbers that nobody speaks of: strides of operands are those of their
// layouts, windows lie side by side, without gaps, and begin where the source does.
std::optional<Json> numbers_otherwise(const Op& op, int param) {
  const auto is_stride = [&](const Op::CompiledOperand& each) {
    return each.stride_param == param;
  };
  if (std::ranges::any_of(op.operands(), is_stride)) return Json();
  const auto fields = field_count(*op.types()[static_cast<std::size_t>(param)]);
  const auto says = [&](const Expression& part) { return (part.inputs() & input_of(param)) != 0; };
  for (const Op::CompiledWindow& window : op.windows()) {
    const bool steps = says(window.step) || says(window.dilation);
    if (!steps && !says(window.before)) continue;
    Json list = Json::array();
    for (int i = 0; i < fields; ++i) list.push_back(steps ? 1 : 0);
    return list;
  }
  return std::nullopt;
}

// What parameter number `at` is that nobody speaks of; nothing where a call cannot be without it.
// `local` and `global` are where the next operand lies.
std::optional<Json> otherwise(const FrontEnd& front_end, const Chip& chip, const Op& op, int at,
                              std::int64_t& local, std::int64_t room, std::uint64_t& global) {
  const Param& param = op.params()[static_cast<std::size_t>(at)];
  const ArgType& type = arg_type(param.type);
  const bool flag = param.type == "bool";
  switch (type.kind) {
    case ArgKind::kLocalAddress: {
      const std::int64_t place = local;
      local += room;
      return Json(place);
    }
    case ArgKind::kSystemAddress: {
      constexpr std::uint64_t kApart = 64u << 20;
      const std::uint64_t place = chip.global_alloc_begin + global;
      global += kApart;
      return Json(place);
    }
    case ArgKind::kFloat:
    case ArgKind::kUnion:
      return Json(1);
    case ArgKind::kDtype:
      return dtype_number(front_end, param, "fp32");
    case ArgKind::kValueOrAddress:
      return Json{{"is_addr", 0}, {"type", kScalar}, {"val", 0}};
    case ArgKind::kInteger:
      // The rounding modes of an interface begin with the usual one.
      return flag || param.type.find("rounding") != std::string_view::npos ? std::optional(Json(0))
                                                                           : std::nullopt;
    case ArgKind::kStruct:
      return numbers_otherwise(op, at);
    case ArgKind::kPointer:
      return std::nullopt;
  }
  return std::nullopt;
}

std::map<std::string, Json> by_name(const Chip& chip, const Op& op,
                                    std::span<const std::string> with) {
  std::vector<std::string_view> names;
  for (const Param& param : op.params()) names.push_back(param.name);
  std::map<std::string, Json> values;
  for (const std::string& word : with) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      user_error("'{}': expected PARAMETER=VALUE, as in shape=1,64,28,28", word);
    const std::string name = word.substr(0, equals);
    const auto param = std::ranges::find(names, name);
    if (param == names.end())
      user_error("{} has no parameter '{}'{}", op.name(), name, did_you_mean(name, names));
    values[name] =
        given(front_end_of(chip), op.params()[static_cast<std::size_t>(param - names.begin())],
              word.substr(equals + 1));
  }
  return values;
}

std::vector<Arg> arguments(const Chip& chip, const Op& op,
                           const std::map<std::string, Json>& values) {
  if (op.engine() == Engine::kNone)
    user_error("{} issues no command: it has neither operands nor a time", op.name());
  const FrontEnd& front_end = front_end_of(chip);
  const auto places = std::ranges::count_if(op.params(), [](const Param& param) {
    return arg_type(param.type).kind == ArgKind::kLocalAddress;
  });
  const std::int64_t room = chip.local.npu_bytes / std::max<std::int64_t>(1, places) /
                            chip.local.align_bytes * chip.local.align_bytes;
  const ArgDecoder decoder{front_end};
  std::vector<Arg> args;
  std::vector<std::string_view> missing;
  std::int64_t local = 0;
  std::uint64_t global = 0;
  for (int at = 0; at < static_cast<int>(op.params().size()); ++at) {
    const Param& param = op.params()[static_cast<std::size_t>(at)];
    const auto found = values.find(std::string(param.name));
    const std::optional<Json> value = found != values.end()
                                          ? std::optional(found->second)
                                          : otherwise(front_end, chip, op, at, local, room, global);
    if (!value) {
      missing.push_back(param.name);
      continue;
    }
    try {
      args.push_back(decoder.decode(arg_type(param.type), *value));
    } catch (const UserError& error) {
      user_error("{}: {}", param.name, error.what());
    }
  }
  if (!missing.empty()) user_error("{} needs {}", op.name(), fmt::join(missing, ", "));
  return args;
}

std::vector<std::int64_t> extents_of(const Operand& operand) {
  std::vector<std::int64_t> extents;
  for (int d = 0; d < operand.layout.rank(); ++d) extents.push_back(operand.layout.extent(d));
  return extents;
}

// In local memory those of one NPU.
std::int64_t bytes_of(const Operand& operand) {
  const Layout& layout = operand.layout;
  const Layout::Bounds bounds =
      operand.space == Space::kLocal ? layout.npu_offset_bounds() : layout.bounds();
  return ceil_div((bounds.end - bounds.begin) * layout.unit_bits(), 8);
}

std::string operand_text(const Operand& operand) {
  const std::string_view memory = translated(memory_name(operand.spec->memory));
  const std::int64_t bytes = bytes_of(operand);
  return fmt::format("  {:<5} {:<14} {:<5} {:<20} {:<12} {}\n", role_name(operand.role),
                     operand.name(), dtype_name(operand.layout.dtype()),
                     fmt::format("{}", fmt::join(extents_of(operand), ",")), memory,
                     operand.space == Space::kLocal
                         ? tr("{:>9} bytes per NPU at {:#x}", bytes, operand.address)
                         : tr("{:>9} bytes at {:#x}", bytes, operand.address));
}

Json operand_json(const Operand& operand) {
  return {{"name", operand.name()},
          {"role", role_name(operand.role)},
          {"dtype", dtype_name(operand.layout.dtype())},
          {"shape", extents_of(operand)},
          {"memory", memory_name(operand.spec->memory)},
          {operand.space == Space::kLocal ? "bytes_per_npu" : "bytes", bytes_of(operand)},
          {"address", operand.address}};
}

}  // namespace

Call::Call(const Chip& chip, const Op& op, std::span<const std::string> with)
    : Call(chip, op, by_name(chip, op, with)) {}

Call::Call(const Chip& chip, const Op& op, const std::map<std::string, Json>& with)
    : op_(op), parameters_(timing_parameters(chip)), args_(arguments(chip, op, with)) {
  decode(op, args_, chip, false, command_);
  microseconds_ = command_time(command_, parameters_).duration_us;
}

std::string Call::text() const {
  std::string text = fmt::format("{}\n", op_.name());
  for (const Operand& operand : command_.operands()) text += operand_text(operand);
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<9} {}\n", translated(name), value);
  };
  row(msg("limits"), tr("all {} hold", op_.limits().size()));
  row(msg("modelled"),
      tr("{:.0f} cycles of the {} = {:.1f} us at {:.0f} MHz{}",
         microseconds_ * parameters_.clock_mhz, engine_name(op_.engine()), microseconds_,
         parameters_.clock_mhz,
         parameters_.confirmed == Confirmed::kNothing ? tr("; uncalibrated") : ""));
  return text;
}

Json Call::json() const {
  Json operands = Json::array();
  for (const Operand& operand : command_.operands()) operands.push_back(operand_json(operand));
  return {{"function", op_.name()},
          {"operands", operands},
          {"limits", op_.limits().size()},
          {"engine", engine_name(op_.engine())},
          {"modelled_cycles", microseconds_ * parameters_.clock_mhz},
          {"modelled_us", microseconds_},
          {"calibrated", parameters_.confirmed != Confirmed::kNothing}};
}

}  // namespace tensorlane::cli
