#include "tensorlane/tpukernel/random_call_test_support.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "tensorlane/ops/encode.h"
#include "tensorlane/ops/limits_test_support.h"
#include "tensorlane/tensor/float16.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {
namespace {

constexpr int kAttempts = 400;

constexpr std::pair<std::string_view, data_type_t> kTypes[] = {
    {"DT_FP32", DT_FP32},     {"DT_FP16", DT_FP16},     {"DT_BFP16", DT_BFP16},
    {"DT_INT32", DT_INT32},   {"DT_UINT32", DT_UINT32}, {"DT_INT16", DT_INT16},
    {"DT_UINT16", DT_UINT16}, {"DT_INT8", DT_INT8},     {"DT_UINT8", DT_UINT8}};

// Numbers that parameters of a name may have; the limits of the entry cut them further.
const std::map<std::string_view, std::pair<int, int>>& ranges() {
  static const auto& table =
      *new std::map<std::string_view, std::pair<int, int>>{{"rows", {1, 6}},
                                                           {"cols", {1, 150}},
                                                           {"row_stride", {150, 200}},
                                                           {"src_rows", {1, 40}},
                                                           {"src_cols", {1, 40}},
                                                           {"src_row_stride", {40, 60}},
                                                           {"dst_row_stride", {40, 60}},
                                                           {"left_rows", {1, 70}},
                                                           {"left_cols", {1, 70}},
                                                           {"right_rows", {1, 70}},
                                                           {"right_cols", {1, 70}},
                                                           {"output_c", {1, 70}},
                                                           {"param_h", {1, 9}},
                                                           {"param_w", {1, 40}},
                                                           {"src0_len", {1, 40}},
                                                           {"src1_len", {1, 150}},
                                                           {"len", {1, 100}},
                                                           {"count", {1, 100}},
                                                           {"num", {1, 100}},
                                                           {"npu_num", {1, 64}},
                                                           {"K", {1, 20}},
                                                           {"num_iter", {1, 4}},
                                                           {"reverse_axis", {0, 3}},
                                                           {"mask_in_lmem", {0, 1}},
                                                           {"rounding_mode", {0, 6}},
                                                           {"multiplier", {-100000, 100000}},
                                                           {"lshift", {0, 14}},
                                                           {"rshift", {0, 31}}};
  return table;
}

class Drawer {
 public:
  Drawer(const Op& op, Random& random) : op_(op), random_(random), args_(op.params().size()) {}

  std::optional<std::vector<Arg>> draw() {
    Command command;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      tame_ = pick(0, kAttempts) < attempt;
      draw_numbers();
      draw_shapes();
      draw_addresses();
      draw_strides();
      try {
        if (!keeps_the_limits(decode(op_, args_, bm1684x(), false, command))) continue;
      } catch (const IllegalCall&) {
        continue;
      }
      if (inside_slots(command)) return args_;
    }
    return std::nullopt;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  template <class T>
  T pick_of(std::initializer_list<T> values) {
    return *(values.begin() + pick(0, static_cast<int>(values.size()) - 1));
  }
  bool chance(int one_in) { return !tame_ && pick(1, one_in) == 1; }

  std::string_view type(std::size_t k) const { return op_.params()[k].type; }
  std::string_view name(std::size_t k) const { return op_.params()[k].name; }
  int find(std::string_view param) const {
    for (std::size_t k = 0; k < op_.params().size(); ++k) {
      if (name(k) == param) return static_cast<int>(k);
    }
    return -1;
  }
  bool flag(std::string_view param) const {
    const int at = find(param);
    return at >= 0 && args_[static_cast<std::size_t>(at)].value() != 0;
  }

  // A type that "PARAM in {...}" allows.
  data_type_t draw_type(std::string_view param) {
    std::vector<data_type_t> allowed;
    const std::string start = std::string(param) + " in {";
    for (const auto& [text, code] : kTypes) {
      const bool listed = std::any_of(
          op_.limits().begin(), op_.limits().end(), [&, spelled = text](const Limit& limit) {
            return limit.rule().starts_with(start) &&
                   (limit.rule().find(std::string(spelled) + ",") != std::string::npos ||
                    limit.rule().find(std::string(spelled) + "}") != std::string::npos);
          });
      if (listed) allowed.push_back(code);
    }
    if (allowed.empty()) return kTypes[static_cast<std::size_t>(pick(0, 8))].second;
    return allowed[static_cast<std::size_t>(pick(0, static_cast<int>(allowed.size()) - 1))];
  }

  void draw_numbers() {
    for (std::size_t k = 0; k < args_.size(); ++k) {
      const std::string_view t = type(k), n = name(k);
      Arg& arg = args_[k];
      if (t == "data_type_t") {
        arg = encode(draw_type(n));
      } else if (t == "bool") {
        arg = encode(pick(0, 1) == 1);
      } else if (t == "rounding_mode_t") {
        arg = encode(static_cast<rounding_mode_t>(pick(0, tame_ ? 4 : 6)));
      } else if (t == "scalar_t" || t == "var_context_t") {
        arg = arguments::integer(random_scalar());
      } else if (t == "float") {
        arg = encode(static_cast<float>(pick(-1000, 1000)) / 64.0F);
      } else if (t == "char") {
        arg = encode(static_cast<char>(pick(-33, 31)));
      } else if (t == "short") {
        arg = encode(static_cast<short>(pick(-32768, 32767)));
      } else if (t == "const dim2*") {
        const bool insert = n == "insert" || n == "ins", kernel = n == "kernel";
        const int low = insert ? 0 : 1, high = kernel ? 4 : 2;
        const dim2 value{pick(low, high), pick(low, high)};
        arg = encode(&value);
      } else if (t == "const padding_t*") {
        const padding_t value{pick(0, 3), pick(0, 3), pick(0, 3), pick(0, 3)};
        arg = encode(chance(4) ? nullptr : &value);
      } else if (arg_type(t).kind == ArgKind::kInteger) {
        const auto range = ranges().find(n);
        const std::pair<int, int> limits = range != ranges().end()       ? range->second
                                           : n.ends_with("_per_channel") ? std::pair{1, 40}
                                                                         : std::pair{0, 9};
        arg = encode(pick(limits.first, limits.second));
        if (t == "static_addr_t") arg = encode(64 * pick(0, 9));
      }
    }
  }

  std::uint32_t random_scalar() {
    switch (pick(0, 3)) {
      case 0:
        return static_cast<std::uint32_t>(pick(-40, 40));
      case 1:
        return std::bit_cast<std::uint32_t>(static_cast<float>(pick(-4000, 4000)) / 256.0F);
      case 2:
        return float_to_fp16(static_cast<float>(pick(-4000, 4000)) / 256.0F);
      default:
        return static_cast<std::uint32_t>(random_());
    }
  }

  void draw_shapes() {
    for (std::size_t k = 0; k < args_.size(); ++k) {
      if (type(k) != "const dim4*" || !name(k).ends_with("shape")) continue;
      dim4 shape{tame_ ? 1 : pick(1, 4), chance(3) ? pick_of({63, 64, 65, 128, 129}) : pick(1, 6),
                 chance(4) ? pick_of({8, 16, 17}) : pick(1, tame_ ? 1 : 5),
                 chance(3) ? pick_of({31, 32, 33, 64, 65, 100}) : pick(1, 9)};
      const int before = find("dst_shape");
      if (name(k) == "src_shape" && before >= 0) {  // as many elements
        std::array<std::int64_t, 4> extents{};
        std::copy_n(args_[static_cast<std::size_t>(before)].field.begin(), 4, extents.begin());
        std::shuffle(extents.begin(), extents.end(), random_);
        shape = {static_cast<int>(extents[0]), static_cast<int>(extents[1]),
                 static_cast<int>(extents[2]), static_cast<int>(extents[3])};
      }
      args_[k] = encode(static_cast<const dim4*>(&shape));
    }
  }

  void draw_addresses() {
    const std::int64_t npu_bytes = bm1684x().local.npu_bytes;
    const int start = chance(2) ? pick_of({1, 3, 7, 62, 63}) : 0;
    int slot = 0;
    for (const Op::CompiledOperand& operand : op_.operands()) {
      const auto at = static_cast<std::size_t>(operand.param);
      const bool own_npu = chance(4);
      const std::int64_t step = chance(3) ? pick(0, 40) : 0;
      const std::int64_t local = (own_npu ? pick(0, 63) : start) * npu_bytes + slot * kSlotBytes;
      const std::int64_t system =
          static_cast<std::int64_t>(bm1684x().region(Space::kGlobal).begin) + slot * kSlotBytes +
          (chance(2) ? 4 * pick(0, 40) : 0);
      ++slot;
      if (arg_type(type(at)).kind == ArgKind::kValueOrAddress) {
        variable_t value{};
        value.type = pick_of({SCALAR, TENSOR, VECTOR});
        value.context.addr = value.type == SCALAR ? random_scalar() : static_cast<unsigned>(local);
        args_[at] = encode(&value);
        continue;
      }
      if (type(at) == "static_addr_t") continue;
      bool in_local = operand.spec->memory == MemoryKind::kLocal;
      if (name(at) == "index_addr" && find("index_is_local") >= 0)
        in_local = flag("index_is_local");
      if (name(at) == "mask_addr" && find("mask_in_lmem") >= 0) in_local = flag("mask_in_lmem");
      if (type(at) != "var_context_t" || !flag("bias_is_const"))
        args_[at].field[0] = in_local ? local + step : system;
    }
  }

  // NULL, or a padded nest in any order of dimensions; a source may have zeros in it.
  void draw_strides() {
    const Environment environment{args_, &bm1684x(), false};
    for (const Op::CompiledOperand& operand : op_.operands()) {
      if (operand.stride_param < 0) continue;
      Arg& arg = args_[static_cast<std::size_t>(operand.stride_param)];
      if (!chance(2)) {
        arg = encode(static_cast<const dim4*>(nullptr));
        continue;
      }
      std::array<int, 4> extents{}, stride{};
      for (std::size_t d = 0; d < 4; ++d)
        extents[d] = static_cast<int>(operand.shape[d].evaluate(environment).value_or(1));
      if (operand.spec->memory == MemoryKind::kLocal)
        extents[1] = (extents[1] + 126) / 64;  // whatever the start NPU is
      std::array<std::size_t, 4> order{3, 2, 1, 0};
      const bool gdma = op_.engine() == Engine::kGdma;
      if (chance(4)) {
        std::rotate(order.begin() + gdma, order.begin() + pick(gdma, 3), order.end());
      }
      int next = !gdma && chance(4) ? pick(1, 3) : 1;
      for (const std::size_t d : order) {
        stride[d] = next;
        next = next * extents[d] + (chance(3) ? pick(0, 7) : 0);
      }
      if (operand.spec->role == Role::kIn) {
        for (int& each : stride) {
          if (chance(6)) each = 0;
        }
      }
      const dim4 value{stride[0], stride[1], stride[2], stride[3]};
      arg = encode(&value);
    }
  }

  static bool inside_slots(const Command& command) {
    return std::all_of(
        command.operands().begin(), command.operands().end(), [](const Operand& operand) {
          if (operand.space == Space::kStatic) return true;
          const Layout::Bounds bounds = operand.layout.space() == AddressSpace::kLocal
                                            ? operand.layout.npu_offset_bounds()
                                            : operand.layout.bounds();
          return bounds.end <= (bounds.begin / kSlotBytes + 1) * kSlotBytes;
        });
  }

  const Op& op_;
  Random& random_;
  std::vector<Arg> args_;
  bool tame_ = false;
};

std::uint32_t float_bits(float value, Dtype dtype) {
  switch (dtype) {
    case Dtype::kFp16:
      return float_to_fp16(value);
    case Dtype::kBf16:
      return float_to_bf16(value);
    default:
      return std::bit_cast<std::uint32_t>(value);
  }
}

}  // namespace

std::optional<std::vector<Arg>> random_call(const Op& op, Random& random) {
  return Drawer(op, random).draw();
}

void fill_randomly(const Operand& operand, std::byte* memory, Random& random) {
  enum Kind { kSmall, kModerate, kAnyBits, kSpecial, kKinds };
  const auto kind = static_cast<Kind>(random() % kKinds);
  const Dtype dtype = operand.layout.dtype();
  const DtypeInfo& info = dtype_info(dtype);
  const auto bytes = static_cast<std::size_t>(info.bits / 8);
  const float specials[] = {0.0F,     -0.0F,    1.0F,  -1.0F, 1.0F / 0.0F, -1.0F / 0.0F,
                            0x1p-14F, 0x1p-24F, 65504, -448,  0x1p127F,    std::nanf("")};
  const auto element = [&]() -> std::uint32_t {
    const auto bits = static_cast<std::uint32_t>(random());
    if (kind == kAnyBits) return bits;
    if (info.is_float) {
      if (kind == kSpecial && bits % 2 == 0)
        return float_bits(specials[bits / 2 % std::size(specials)], dtype);
      const auto value = static_cast<float>(static_cast<std::int32_t>(bits));
      return float_bits(value * (kind == kSmall ? 0x1p-31F : 0x1p-27F), dtype);
    }
    if (kind == kSmall) return bits % 81 - (info.is_signed ? 40 : 0);
    const std::uint32_t top = std::uint32_t{1} << (info.bits - 1);
    if (kind == kSpecial) return (bits % 2 == 0 ? 0 : top) - bits / 2 % 2;
    return bits % top;
  };
  for (const ByteRun& run : operand.layout.byte_runs()) {
    std::byte* at = memory + run.npu * bm1684x().local.npu_bytes + run.offset;
    for (std::int64_t i = 0; i < run.bytes; i += static_cast<std::int64_t>(bytes), at += bytes) {
      const std::uint32_t value = element();
      std::memcpy(at, &value, bytes);
    }
  }
}

}  // namespace tensorlane::tpukernel
