#include "tensorlane/okk/random_call_test_support.h"

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <map>
#include <ostream>
#include <string>

#include "tensorlane/layout/local.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/ops/limits_test_support.h"

namespace tensorlane::okk {
namespace {

int pick(int low, int high) {
  return *rc::gen::inRange(low, high + 1);
}
template <class T>
T pick_of(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}
bool chance(int one_in) {
  return pick(0, one_in - 1) == one_in - 1;  // shrinks to no
}

std::uint32_t mix(std::uint64_t value) {
  value = (value ^ (value >> 31)) * 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::uint32_t>(value >> 32);
}

constexpr std::uint32_t kSpecials[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
    0x7f800001, 0xff812345, 0x7fffffff, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000,
    0x7f7fffff, 0xff7fffff, 0x4f000000, 0xcf000000, 0x3effffff, 0x42b00000, 0xc2ce0000, 0x5f3759df};

std::uint32_t random_value() {
  return random_word(static_cast<DataKind>(pick(0, kDataKinds - 1)),
                     static_cast<std::uint32_t>(pick(0, 1 << 20)), 0);
}

class Drawer {
 public:
  Drawer(const Op& op, const Chip& chip) : op_(op), chip_(chip) {}

  RandomCall draw() {
    RandomCall call{.op = &op_, .args = {}, .data = {}, .seed = 0};
    call.args.resize(op_.params().size());
    args_ = &call.args;
    draw_shapes();
    draw_addresses_and_strides();
    Command command;
    for (int attempt = 0; attempt < 60; ++attempt) {
      draw_scalars();
      try {
        if (!keeps_the_limits(decode(op_, call.args, chip_, false, command))) continue;
      } catch (const IllegalCall&) {
        continue;
      }
      if (!inside_slots(command)) return call;
      for (std::size_t k = 0; k < op_.operands().size(); ++k)
        call.data.push_back(static_cast<DataKind>(pick(0, kDataKinds - 1)));
      call.seed = static_cast<std::uint32_t>(pick(0, 1 << 20));
      call.legal = true;
      return call;
    }
    return call;
  }

 private:
  Arg& arg(std::size_t k) { return (*args_)[k]; }
  std::string_view type(std::size_t k) const { return op_.params()[k].type; }
  std::string_view name(std::size_t k) const { return op_.params()[k].name; }

  // Sizes around the edges of lanes, vectors and NPU rows; small, so that operands fit their slots.
  void draw_shapes() {
    for (std::size_t k = 0; k < op_.params().size(); ++k) {
      if (type(k) != "const dim4*" || !name(k).ends_with("shape")) continue;
      const int c = chance(3) ? pick_of({63, 64, 65, 128, 129}) : pick(1, 6);
      const int w = chance(4) ? pick_of({31, 32, 33, 64, 65, 100}) : pick(1, 9);
      const int h = chance(4) ? pick_of({8, 16, 17}) : pick(1, 5);
      arg(k).field = {pick(1, chance(4) ? 9 : 5), c, h, w};
      shape_ = {arg(k).field[0], c, h, w};
    }
  }

  // Operands sit in slots of their own at a common start NPU. Sometimes the destination lies on a
  // source, or beside it so that the two overlap.
  void draw_addresses_and_strides() {
    const std::int64_t npu_bytes = chip_.local.npu_bytes;
    const int start = chance(2) ? pick_of({1, 3, 7, 62, 63}) : 0;
    const bool small_step = chance(3);  // addresses that are not multiples of 128
    int slot = 0;
    for (const Op::CompiledOperand& operand : op_.operands()) {
      const auto at = static_cast<std::size_t>(operand.param);
      const bool elsewhere = name(at) == "left_addr" || name(at) == "input_addr" ||
                             (op_.engine() == Engine::kGdma && slot > 0);
      const int npu = elsewhere && chance(4) ? pick(0, chip_.local.npus - 1) : start;
      const int step = small_step && allows_words(name(at)) ? 4 * pick(0, 40) : 0;
      Arg& address = arg(at);
      if (operand.spec->memory == MemoryKind::kSystem) {
        address.field[0] = static_cast<std::int64_t>(chip_.region(Space::kGlobal).begin) +
                           slot * kSystemSlotBytes + 4 * pick(0, 40);
      } else if (arg_type(type(at)).kind == ArgKind::kValueOrAddress) {
        address.field = {chance(2), npu * npu_bytes + slot * kLocalSlotBytes,
                         static_cast<std::int64_t>(random_value())};
      } else {
        address.field[0] = npu * npu_bytes + slot * kLocalSlotBytes + step;
      }
      if (operand.stride_param >= 0) draw_stride(operand);
      ++slot;
    }
    const bool elementwise = op_.engine() == Engine::kBdc && find("shape") >= 0;
    if (elementwise && chance(3)) overlap();
  }

  void overlap() {
    const auto operands = op_.operands();
    if (operands.size() < 2) return;
    const std::size_t other =
        1 + static_cast<std::size_t>(pick(0, static_cast<int>(operands.size()) - 2));
    const auto dst = static_cast<std::size_t>(operands[0].param);
    const auto src = static_cast<std::size_t>(operands[other].param);
    if (arg_type(type(src)).kind != ArgKind::kLocalAddress) return;
    arg(dst).field[0] = arg(src).field[0];
    if (chance(3)) {
      arg(dst).field[0] += allows_words(name(dst)) ? 4 * pick(0, 8) : 128;
    } else if (operands[0].stride_param >= 0 && operands[other].stride_param >= 0) {
      arg(static_cast<std::size_t>(operands[other].stride_param)) =
          arg(static_cast<std::size_t>(operands[0].stride_param));
    }
  }

  bool allows_words(std::string_view param) const {
    for (const Limit& limit : op_.limits()) {
      if (limit.rule() == std::string(param) + " % 128 == 0") return false;
    }
    return true;
  }

  int find(std::string_view param) const {
    for (std::size_t k = 0; k < op_.params().size(); ++k) {
      if (name(k) == param) return static_cast<int>(k);
    }
    return -1;
  }

  // NULL, a padded nest in any order of dimensions, or (for a source) zeros in it. A GDMA
  // destination keeps W stride 1.
  void draw_stride(const Op::CompiledOperand& operand) {
    Arg& stride = arg(static_cast<std::size_t>(operand.stride_param));
    stride = {};
    const bool required = operand.spec->layout == DefaultLayout::kRequired;
    stride.is_null = !required && !chance(2);
    if (stride.is_null) return;
    const bool source = operand.spec->role == Role::kIn;
    const bool local = operand.spec->memory == MemoryKind::kLocal;
    Shape4 shape = shape_;
    if (operand.spec->storage == Storage::kPacked) {
      const int per_word = pick_of({2, 4});  // at least what the type needs
      shape.n = ceil_div(shape.n, per_word);
    }
    if (required) shape = {ceil_div(shape.c, 2), 9, 5, 5};  // the weights of conv2d
    const std::int64_t rows =
        local ? ceil_div(shape.c + chip_.local.npus - 1, chip_.local.npus) : shape.c;
    const std::int64_t extents[4] = {shape.n, rows, shape.h, shape.w};
    std::vector<int> order = {3, 2, 1, 0};
    if (chance(4)) {
      const bool dense = op_.engine() == Engine::kGdma;
      std::rotate(order.begin() + dense, order.begin() + pick(dense, 3), order.end());
    }
    std::int64_t next = op_.engine() == Engine::kBdc && chance(4) ? pick(1, 3) : 1;
    for (int d : order) {
      stride.field[static_cast<std::size_t>(d)] = next;
      next = next * extents[d] + (chance(3) ? pick(0, 7) : 0);
    }
    if (source && !required) {
      for (int d = 0; d < 4; ++d) {
        if (chance(6)) stride.field[static_cast<std::size_t>(d)] = 0;
      }
    }
  }

  void draw_scalars() {
    static const std::map<std::string_view, std::pair<int, int>> kRanges = {
        {"num_series", {1, 64}},
        {"rshift", {0, 31}},
        {"lshift", {0, 14}},
        {"kernel_h", {1, 4}},
        {"kernel_w", {1, 4}},
        {"output_c", {1, 9}},
        {"rows", {1, 6}},
        {"left_rows", {1, 6}},
        {"cols", {1, 150}},
        {"left_cols", {1, 70}},
        {"right_cols", {1, 70}},
        {"cols_per_channel", {1, 40}},
        {"row_stride", {150, 200}},
        {"left_cols_per_channel", {1, 40}},
        {"right_cols_per_channel", {1, 40}}};
    static const int op_types[] = {31, 23, 27, 19, 29, 21, 25, 17, 9, 1,
                                   30, 22, 26, 18, 28, 20, 24, 16, 8, 0};
    for (std::size_t k = 0; k < op_.params().size(); ++k) {
      const std::string_view t = type(k);
      Arg& a = arg(k);
      if (t == "op_type_t") {
        const int v = op_types[pick(0, 19)];
        a.field = {v, v & 1, v >> 1 & 1, v >> 2 & 1, v >> 3 & 1, v >> 4 & 1};
      } else if (t == "mul_type_t") {
        const int v = pick_of({7, 6, 0});
        a.field = {v, v & 1, v >> 1 & 1, v >> 2 & 1};
      } else if (t == "bool") {
        a.field[0] = chance(2);
      } else if (t == "float" || t == "x32") {
        a.field[0] = random_value();
      } else if (t == "x16") {
        a.field[0] = random_value() & 0xffff;
      } else if (t == "x8") {
        a.field[0] = random_value() & 0xff;
      } else if (name(k).ends_with("cols_per_channel") && chance(6)) {
        a.field[0] = pick(129, 200);  // more than a matrix has: legal while that has few
      } else if (const auto range = kRanges.find(name(k)); range != kRanges.end()) {
        a.field[0] = pick(range->second.first, range->second.second);
      } else if (name(k) == "C") {
        a.field[0] = constant();
      } else if (t == "const Padding*") {
        a = {};
        a.is_null = !chance(2);
        if (!a.is_null) a.field = {pick(0, 3), pick(0, 3), pick(0, 3), pick(0, 3)};
      } else if (t == "const dim2*") {
        a = {};
        a.is_null = !chance(2);
        a.field.fill(1);
        if (!a.is_null) a.field = {pick(1, 3), pick(1, 3)};
      }
    }
  }

  // An integer constant of any type, with the ends of the ranges.
  std::int64_t constant() {
    return chance(3)
               ? pick_of({-32768, -129, -128, -32, -16, -1, 16, 32, 127, 128, 255, 32767, 65535})
               : pick(-16, 16);
  }

  static bool inside_slots(const Command& command) {
    for (const Operand& operand : command.operands()) {
      const bool local = operand.layout.space() == AddressSpace::kLocal;
      const Layout::Bounds bounds =
          local ? operand.layout.npu_offset_bounds() : operand.layout.bounds();
      const std::int64_t slot = local ? kLocalSlotBytes : kSystemSlotBytes;
      if (bounds.end > (bounds.begin / slot + 1) * slot) return false;
    }
    return true;
  }

  const Op& op_;
  const Chip& chip_;
  std::vector<Arg>* args_ = nullptr;
  Shape4 shape_;
};

}  // namespace

std::uint32_t random_word(DataKind kind, std::uint32_t seed, std::uint64_t index) {
  const std::uint32_t bits = mix((std::uint64_t{seed} << 32) + index);
  switch (kind) {
    case DataKind::kSmall:  // integers near zero: shift amounts, table indices
      return bits % 81 - 40;
    case DataKind::kModerate:
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(bits)) *
                                          0x1p-27f);
    case DataKind::kWide:
      return bits % 4 == 0 ? bits : (bits & 0x8fffffffu) | 0x30000000u;
    case DataKind::kSpecial:
      return bits % 3 == 0 ? random_word(DataKind::kModerate, seed, index)
                           : kSpecials[bits / 3 % std::size(kSpecials)];
    case DataKind::kBits:
      return bits;
  }
  return bits;
}

std::ostream& operator<<(std::ostream& out, const RandomCall& call) {
  return out << call_text(*call.op, call.args) << "  // data " << call.seed;
}

rc::Gen<RandomCall> random_call(const Op& op, const Chip& chip) {
  return rc::gen::exec([&op, &chip] { return Drawer(op, chip).draw(); });
}

}  // namespace tensorlane::okk
