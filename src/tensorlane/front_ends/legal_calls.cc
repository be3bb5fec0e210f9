#include "tensorlane/front_ends/legal_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>

#include "tensorlane/layout/local.h"

namespace tensorlane {
namespace {

struct Extents {
  std::int64_t n, c, h, w;
  std::int64_t columns() const { return n * h * w; }
  std::int64_t elements() const { return n * c * h * w; }
};

// The heights that `full` tries, largest first.
constexpr std::int64_t kHeights[] = {1024, 768, 512, 384, 320, 256, 192, 160, 128, 96, 80,
                                     64,   48,  40,  32,  24,  16,  12,  8,   4,   2,  1};

// The same elements in other shapes: some functions take one row, one image, or exchange images and
// channels.
std::vector<Extents> variants(const Extents& e) {
  const std::int64_t npus = std::min<std::int64_t>(e.c, 64);
  return {e,
          {1, e.c, e.n * e.h, e.w},
          {e.n, e.c, 1, e.h * e.w},
          {1, e.c, 1, e.columns()},
          {e.n, npus, e.h, e.w},
          {e.c, e.n, e.h, e.w}};
}

// Parameters that are no integers of a size: what they are in every call.
const std::map<std::string_view, std::int64_t>& fixed_numbers() {
  static const auto& table = *new std::map<std::string_view, std::int64_t>{{"kernel_h", 3},
                                                                           {"kernel_w", 3},
                                                                           {"num_series", 32},
                                                                           {"num_iter", 3},
                                                                           {"num_comp", 1},
                                                                           {"reverse_axis", 3},
                                                                           {"start", 0},
                                                                           {"rounding_mode", 0},
                                                                           {"mode", 0},
                                                                           {"using_bias", 0},
                                                                           {"has_bias", 0},
                                                                           {"result_add", 0},
                                                                           {"do_rescale", 0},
                                                                           {"shift", -1},
                                                                           {"lshift", 0},
                                                                           {"mask_in_lmem", 0},
                                                                           {"index_is_local", 0},
                                                                           {"base_idx", 0},
                                                                           {"result_relu", 0},
                                                                           {"kernel_is_const", 0},
                                                                           {"dst_rounding_mode", 0},
                                                                           {"src_rounding_mode", 0},
                                                                           {"fill_const", 0}};
  return table;
}

class Caller {
 public:
  Caller(const FrontEnd& front_end, const Op& op)
      : front_end_(front_end), chip_(front_end.chip), op_(op), args_(op.params().size()) {
    for (std::size_t k = 0; k < args_.size(); ++k) {
      if (is_choice(k)) choices_.push_back(k);
    }
  }

  std::vector<OpCall> all() {
    std::vector<OpCall> calls;
    std::set<std::string> seen;
    const auto add = [&] {
      bool first = true;
      for (const CallSize size : {CallSize::kSmall, CallSize::kMiddle, CallSize::kFull}) {
        Command command;
        if (!fit(size, command)) continue;
        const std::string types = types_text(command);
        if (first && !seen.insert(types).second) return;
        first = false;
        calls.push_back({&op_, &chip_, types, size, args_});
      }
    };
    if (choices_.empty()) add();
    for (const std::size_t main : choices_) {
      for (const Arg& value : values_of(main)) {
        args_[main] = value;
        if (choose_others(main, 0)) add();
      }
    }
    return calls;
  }

  std::optional<OpCall> first() {
    Command command;
    const auto made = [&]() -> std::optional<OpCall> {
      for (const CallSize size : {CallSize::kMiddle, CallSize::kSmall}) {
        if (fit(size, command)) return OpCall{&op_, &chip_, types_text(command), size, args_};
      }
      return std::nullopt;
    };
    if (choices_.empty()) return made();
    for (const std::size_t main : choices_) {
      std::vector<Arg> values = values_of(main);
      // fp32 where it may be: what most kernels compute in.
      if (type(main) == "data_type_t")
        std::ranges::stable_sort(values, {},
                                 [](const Arg& value) { return value.dtype() != Dtype::kFp32; });
      for (const Arg& value : values) {
        args_[main] = value;
        if (!choose_others(main, 0)) continue;
        if (std::optional<OpCall> call = made()) return call;
      }
    }
    return std::nullopt;
  }

 private:
  std::string_view type(std::size_t k) const { return op_.params()[k].type; }
  std::string_view name(std::size_t k) const { return op_.params()[k].name; }
  bool has(std::string_view param) const {
    return std::ranges::any_of(op_.params(), [&](const Param& p) { return p.name == param; });
  }

  // Whether an argument chooses the types of operands.
  bool is_choice(std::size_t k) const {
    return type(k) == "data_type_t" || type(k) == "op_type_t" || type(k) == "mul_type_t" ||
           name(k) == "dtype_flags";
  }
  std::vector<Arg> values_of(std::size_t k) const {
    const int numbers = type(k) == "data_type_t" ? 64 : 32;  // more than have a meaning
    std::vector<Arg> values;
    for (int number = 0; number < numbers; ++number) {
      const Arg value = front_end_.argument(type(k), number, 0);
      if (type(k) == "data_type_t" &&
          (value.field[kDtypeField] < 0 || dtype_bits(value.dtype()) < 8))
        continue;
      values.push_back(value);
    }
    return values;
  }

  // How far a type is from another: the same, then as wide, then as much of a number.
  static int distance(const Arg& value, const Arg& from) {
    const DtypeInfo &a = dtype_info(value.dtype()), &b = dtype_info(from.dtype());
    if (a.dtype == b.dtype) return 0;
    return 1 +
           4 * std::abs(std::countr_zero(static_cast<unsigned>(a.bits)) -
                        std::countr_zero(static_cast<unsigned>(b.bits))) +
           2 * (a.is_float != b.is_float) + (a.is_signed != b.is_signed);
  }

  // Chooses the types but that of `main` so that the call is legal; `next` of choices_ is the first
  // one open.
  bool choose_others(std::size_t main, std::size_t next) {
    if (next < choices_.size() && choices_[next] == main) ++next;
    if (next == choices_.size()) {
      Command command;
      return fit(CallSize::kSmall, command);
    }
    const std::size_t k = choices_[next];
    std::vector<Arg> values = values_of(k);
    if (type(k) == "data_type_t" && type(main) == "data_type_t") {
      const bool conversion = op_.spec().group.ends_with("cast");
      std::ranges::stable_sort(values, {}, [&](const Arg& value) {
        if (!conversion) return distance(value, args_[main]);
        const bool wide = value.dtype() == Dtype::kFp32, same = distance(value, args_[main]) == 0;
        return same ? 99 : wide ? 0 : distance(value, args_[main]);
      });
    }
    for (const Arg& value : values) {
      args_[k] = value;
      if (!is_impossible(k) && choose_others(main, next + 1)) return true;
    }
    return false;
  }

  // "PARAM in {...}" leaves the value out.
  bool is_impossible(std::size_t k) const {
    const Environment environment{args_, &chip_, false};
    const std::string start = std::string(name(k)) + " in {";
    return std::ranges::any_of(op_.limits(), [&](const Limit& limit) {
      return limit.rule().starts_with(start) && limit.check(environment);
    });
  }

  // Makes a call of `size`; false when none is legal.
  bool fit(CallSize size, Command& command) {
    std::vector<Extents> sizes;
    if (size == CallSize::kSmall) sizes = {{4, 70, 7, 7}};
    if (size == CallSize::kMiddle) sizes = {{1, 64, 56, 56}, {1, 64, 28, 56}, {1, 64, 14, 56}};
    if (size == CallSize::kFull) {
      // Packed elements of several images share their words.
      const bool packed = std::ranges::any_of(op_.operands(), [](const Op::CompiledOperand& o) {
        return o.spec->storage == Storage::kPacked;
      });
      for (const std::int64_t h : kHeights) sizes.push_back({packed ? 4 : 1, 64, h, 128});
    }
    std::vector<Extents> tries;
    for (const Extents& e : sizes) {
      for (const Extents& v : variants(e)) tries.push_back(v);
    }
    tries.push_back({1, 1, 1, 512});  // a table
    return std::ranges::any_of(tries, [&](const Extents& e) { return place(e, command); });
  }

  bool is_address(const ArgType& type) const {
    return type.kind == ArgKind::kLocalAddress || type.kind == ArgKind::kSystemAddress ||
           type.kind == ArgKind::kValueOrAddress || type.spelling == "var_context_t";
  }

  // A call with extents `e`, operands one behind the other; false when it is illegal or too large.
  bool place(const Extents& e, Command& command) {
    constexpr std::int64_t kApart = 4096, kAlign = 128;
    for (std::size_t k = 0; k < args_.size(); ++k) {
      if (!is_choice(k)) args_[k] = argument(k, e);
    }
    set_required_strides();
    const auto global = static_cast<std::int64_t>(chip_.global_alloc_begin);
    std::int64_t slot = 0;
    for (const Op::CompiledOperand& operand : op_.operands())
      set_address(operand, operand.spec->memory == MemoryKind::kLocal ? kApart * slot++ : global);
    if (!decoded(command)) return false;
    std::int64_t next = 0, system = global, bytes = 0;
    const Command first = command;
    for (const Operand& operand : first.operands()) {
      const Op::CompiledOperand& compiled = compiled_of(operand);
      bytes += operand.layout.size() * dtype_bits(operand.layout.dtype()) / 8;
      if (operand.space == Space::kLocal) {
        const Layout::Bounds at = operand.layout.npu_offset_bounds();
        set_address(compiled, next);
        next += (at.end - at.begin + kAlign - 1) / kAlign * kAlign;
      } else if (operand.space == Space::kGlobal) {
        const Layout::Bounds at = operand.layout.bounds();
        set_address(compiled, system);
        system += (at.end - at.begin + kApart - 1) / kApart * kApart;
      }
    }
    if (next > chip_.local.npu_bytes || bytes > static_cast<std::int64_t>(chip_.local_bytes()))
      return false;
    if (!decoded(command)) return false;
    const CommandFigure& operations = op_.spec().operations;
    return operations == nullptr || operations(command, chip_.timing) <= 2 * kMostOperations;
  }

  bool decoded(Command& command) const {
    try {
      decode(op_, args_, chip_, false, command);
      return true;
    } catch (const IllegalCall&) {
      return false;
    }
  }

  const Op::CompiledOperand& compiled_of(const Operand& operand) const {
    return *std::ranges::find(op_.operands(), operand.spec, &Op::CompiledOperand::spec);
  }

  void set_address(const Op::CompiledOperand& operand, std::int64_t address) {
    const auto k = static_cast<std::size_t>(operand.param);
    if (!is_address(arg_type(type(k)))) return;
    const bool variable = arg_type(type(k)).kind == ArgKind::kValueOrAddress;
    args_[k].field[variable ? kAddressField : 0] = address;
  }

  // Strides that must be given are those of a compact tensor.
  void set_required_strides() {
    const Environment environment{args_, &chip_, false};
    for (const Op::CompiledOperand& operand : op_.operands()) {
      if (operand.spec->layout != DefaultLayout::kRequired || operand.stride_param < 0) continue;
      Arg stride;
      const auto extent = [&](std::size_t d) {
        return operand.shape[d].evaluate(environment).value_or(1);
      };
      const std::int64_t rows = (extent(1) + chip_.local.npus - 1) / chip_.local.npus;
      stride.field = {rows * extent(2) * extent(3), extent(2) * extent(3), extent(3), 1};
      args_[static_cast<std::size_t>(operand.stride_param)] = stride;
    }
  }

  Arg argument(std::size_t k, const Extents& e) const {
    const ArgType& t = arg_type(type(k));
    Arg arg;
    if (t.kind == ArgKind::kStruct) {
      if (name(k).ends_with("shape")) {
        arg.field = {e.n, e.c, e.h, e.w};
      } else if (name(k) == "kernel") {
        arg.field = {3, 3};
      } else if (name(k) == "padding") {
        arg.field = {1, 1, 1, 1};
      } else if (name(k).starts_with("ins")) {
        arg.field = {0, 0};
      } else {
        arg.is_null = true;
        arg.has_value = t.null_default.has_value();
        arg.field.fill(t.null_default.value_or(0));
      }
    } else if (t.kind == ArgKind::kValueOrAddress) {
      arg.field = {1, 0, 0, 1, 1, 0};  // a tensor
    } else if (t.kind == ArgKind::kFloat) {
      const float number = name(k) == "threshold" ? 0.0F : 1.5F;
      arg.number = number;
      arg.field[0] = std::bit_cast<std::uint32_t>(number);
    } else if (t.kind == ArgKind::kUnion && t.spelling != "var_context_t") {
      arg.field[0] = 1;
    } else if (t.kind == ArgKind::kInteger) {
      arg = front_end_.argument(type(k), integer(k, e), 0);
    }
    return arg;
  }

  std::int64_t integer(std::size_t k, const Extents& e) const {
    const std::string_view n = name(k);
    if (type(k) == "static_addr_t") return 0;
    if (const auto fixed = fixed_numbers().find(n); fixed != fixed_numbers().end())
      return fixed->second;
    if (n.ends_with("_per_channel")) {
      std::string_view of = n.substr(0, n.size() - std::string_view("_per_channel").size());
      if (!has(of)) of = of == "dst_cols" ? "src_rows" : "cols";
      const std::int64_t length = integer_called(of, e);
      return (length + chip_.local.npus - 1) / chip_.local.npus;
    }
    if (n == "row_stride") return integer_called("cols", e);
    if (n == "src_row_stride") return integer_called("src_cols", e);
    if (n == "dst_row_stride") return integer_called("src_rows", e);
    const bool beside_shape = has("shape");
    if (n == "rows" || n == "src_rows" || n == "left_rows" || n == "left_cols" || n == "src0_len" ||
        n == "output_c" || n == "line_num" || n == "index_len")
      return e.c;
    if (n == "cols" || n == "src_cols" || n == "right_cols" || n == "right_rows" ||
        n == "src1_len" || n == "line_len")
      return e.columns();
    if (n == "param_h") return e.h;
    if (n == "param_w") return e.w;
    if (n == "count") return e.elements();
    constexpr std::string_view lengths[] = {"len", "K", "topk"};
    if (std::ranges::count(lengths, n) != 0) {
      const bool fixed = std::ranges::any_of(op_.operands(), [](const Op::CompiledOperand& o) {
        return o.spec->memory == MemoryKind::kStatic;
      });
      return beside_shape ? 256 : fixed ? 512 : e.elements();  // of a table, of static memory
    }
    if (n == "num") return beside_shape ? 16 : e.columns();
    if (n == "box_num") return std::min<std::int64_t>(e.h * e.w, 1024);
    if (n == "keep_num") return std::min<std::int64_t>(e.h * e.w, 1024) / 4 + 1;
    if (n == "npu_num" || n == "dst_channel") return chip_.local.npus;
    if (n == "output_w") return e.w;
    if (n == "end") return integer_called("line_num", e) - 1;
    return 1;
  }
  std::int64_t integer_called(std::string_view param, const Extents& e) const {
    return has(param) ? integer(static_cast<std::size_t>(op_.param(param)), e) : 1;
  }

  static std::string types_text(const Command& command) {
    std::vector<std::string_view> in, out;
    for (const Operand& operand : command.operands()) {
      if (operand.role == Role::kWork) continue;
      (operand.writes() ? out : in).push_back(dtype_name(operand.layout.dtype()));
    }
    std::set<std::string_view> all(in.begin(), in.end());
    all.insert(out.begin(), out.end());
    if (all.size() == 1) return std::string(*all.begin());
    return fmt::format("{}{}-> {}", fmt::join(in, " "), in.empty() ? "" : " ", fmt::join(out, " "));
  }

  const FrontEnd& front_end_;
  const Chip& chip_;
  const Op& op_;
  std::vector<Arg> args_;
  std::vector<std::size_t> choices_;
};

}  // namespace

std::string_view size_name(CallSize size) {
  return size == CallSize::kFull ? "full" : size == CallSize::kMiddle ? "middle" : "small";
}

std::vector<const Op*> functions_with_engine(const FrontEnd& front_end) {
  std::vector<const Op*> list;
  for (const Op* op : front_end.ops().all()) {
    if (op->engine() != Engine::kNone && op->spec().absence == Absence::kNone) list.push_back(op);
  }
  return list;
}

std::vector<OpCall> calls_of(const FrontEnd& front_end, const Op& op) {
  return Caller(front_end, op).all();
}

std::optional<OpCall> example_of(const FrontEnd& front_end, const Op& op) {
  return Caller(front_end, op).first();
}

}  // namespace tensorlane
