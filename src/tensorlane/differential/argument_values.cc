#include "tensorlane/differential/argument_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace tensorlane::differential {
namespace {

constexpr std::uint32_t kUnusual[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
    0x7f800001, 0xff812345, 0x7fffffff, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000,
    0x7f7fffff, 0xff7fffff, 0x4f000000, 0xcf000000, 0x3effffff, 0x42b00000, 0xc2ce0000, 0x5f3759df,
    0xffffffff, 0x00007fff, 0x00008000, 0x0000ffff, 0x0000007f, 0x00000080, 0x000000ff, 0x7fffff80,
    0x00007c00, 0x0000fc00, 0x00007e00, 0x00007c01, 0x00007bff, 0x000003ff, 0x00000400, 0x00007f80,
    0x0000ff80, 0x00007fc0, 0x00007f81, 0x4b000001, 0x3f000000, 0xbf000000, 0x40200000, 0xc0200000};

// Extents around lanes, vectors and rows of execution units, and every tail of a vector.
constexpr std::int64_t kEdges[] = {15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};

// Numbers whose names say how large they are; what is no size is drawn like any number.
const std::map<std::string_view, std::pair<int, int>>& sizes() {
  static const auto& table =
      *new std::map<std::string_view, std::pair<int, int>>{{"rows", {1, 9}},
                                                           {"cols", {1, 150}},
                                                           {"row_stride", {1, 200}},
                                                           {"src_rows", {1, 40}},
                                                           {"src_cols", {1, 40}},
                                                           {"src_row_stride", {1, 60}},
                                                           {"left_rows", {1, 70}},
                                                           {"left_cols", {1, 70}},
                                                           {"dst_row_stride", {1, 60}},
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
                                                           {"dst_channel", {1, 64}},
                                                           {"K", {1, 20}},
                                                           {"topk", {1, 20}},
                                                           {"output_w", {1, 40}},
                                                           {"line_num", {1, 40}},
                                                           {"line_len", {1, 40}},
                                                           {"index_len", {1, 40}},
                                                           {"box_num", {1, 100}},
                                                           {"keep_num", {1, 20}},
                                                           {"num_series", {1, 64}},
                                                           {"kernel_h", {1, 5}},
                                                           {"kernel_w", {1, 5}},
                                                           {"multiplier", {-100000, 100000}},
                                                           {"rounding_mode", {0, 6}},
                                                           {"num_iter", {1, 4}}};
  return table;
}

std::pair<std::int64_t, std::int64_t> ends_of(std::string_view type) {
  if (type == "char") return {-128, 127};
  if (type == "unsigned char") return {0, 255};
  if (type == "short") return {-32768, 32767};
  if (type == "unsigned short" || type == "uint16_t") return {0, 65535};
  if (type == "unsigned int" || type == "u32") return {0, 0xffffffffLL};
  return {-0x80000000LL, 0x7fffffffLL};
}

std::vector<std::int64_t> numbers_in(std::string_view rule) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < rule.size();) {
    const auto digit = [&](std::size_t i) {
      return i < rule.size() && std::isdigit(static_cast<unsigned char>(rule[i])) != 0;
    };
    const bool starts = at == 0 || (std::isalnum(static_cast<unsigned char>(rule[at - 1])) == 0 &&
                                    rule[at - 1] != '_');
    if (!starts || !(digit(at) || (rule[at] == '-' && digit(at + 1)))) {
      ++at;
      continue;
    }
    char* end = nullptr;
    numbers.push_back(std::strtoll(rule.data() + at, &end, 10));
    at = static_cast<std::size_t>(end - rule.data());
  }
  return numbers;
}

}  // namespace

std::uint32_t unusual_word(Random& random) {
  return random.pick_of(std::span<const std::uint32_t>(kUnusual));
}

ArgumentValues::ArgumentValues(const FrontEnd& front_end, const Op& op)
    : front_end_(front_end), op_(op), named_(op.params().size()) {
  for (std::size_t k = 0; k < op.params().size(); ++k) {
    for (const Limit& limit : op.limits()) {
      if ((limit.inputs() & input_of(static_cast<int>(k))) == 0) continue;
      for (const std::int64_t number : numbers_in(limit.rule())) named_[k].push_back(number);
    }
    if (type(k) != "data_type_t" || !dtypes_.empty()) continue;
    // Where neither the chip nor the function has 8-bit floats, none is tried in vain.
    const bool takes_fp8 =
        front_end.chip.has_fp8 || std::ranges::any_of(op.limits(), [](const Limit& limit) {
          return limit.rule().find("in {DT_FP8") != std::string::npos;
        });
    for (int number = 0; number < 64; ++number) {
      const Arg value = front_end.argument("data_type_t", number, 0);
      if (value.field[kDtypeField] < 0) continue;
      const DtypeInfo& info = dtype_info(value.dtype());
      if (info.bits > 8 || (info.bits == 8 && (!info.is_float || takes_fp8)))
        dtypes_.push_back(value);
    }
  }
}

bool ArgumentValues::is_shape(std::size_t k) const {
  return type(k) == "const dim4*" && name(k).ends_with("shape");
}

bool ArgumentValues::is_stride(std::size_t k) const {
  return type(k) == "const dim4*" && !is_shape(k);
}

Arg ArgumentValues::draw(std::size_t k, std::int64_t budget, bool tame, Random& random) const {
  const ArgType& t = arg_type(type(k));
  Arg arg;
  switch (t.kind) {
    case ArgKind::kDtype:
      return random.pick_of(std::span<const Arg>(dtypes_));
    case ArgKind::kFloat: {
      const float number = static_cast<float>(random.pick(-1000, 1000)) / 64.0F;
      arg.field[0] = std::bit_cast<std::uint32_t>(number);
      if (!tame && random.chance(2)) arg.field[0] = unusual_word(random);
      arg.number = std::bit_cast<float>(static_cast<std::uint32_t>(arg.field[0]));
      return arg;
    }
    case ArgKind::kUnion: {
      std::uint32_t word = random.chance(3) ? random.word() : unusual_word(random);
      if (random.chance(3)) word = static_cast<std::uint32_t>(random.pick(-40, 40));
      const std::uint32_t mask = t.spelling == "x8" ? 0xffU : t.spelling == "x16" ? 0xffffU : ~0U;
      arg.field[0] = word & mask;
      return arg;
    }
    case ArgKind::kValueOrAddress:
      return value_or_address(k, random);
    case ArgKind::kStruct:
      if (is_shape(k)) return shape(budget, tame, random);
      return window(k, tame, random);
    case ArgKind::kInteger:
      return integer(k, tame, random);
    default:
      return arg;
  }
}

Arg ArgumentValues::integer(std::size_t k, bool tame, Random& random) const {
  const std::string_view t = type(k), n = name(k);
  if (t == "bool") return front_end_.argument(t, random.pick(0, 1), 0);
  if (t == "op_type_t" || t == "mul_type_t")
    return front_end_.argument(t, random.pick(0, t == "op_type_t" ? 31 : 7), 0);
  if (t == "static_addr_t") return front_end_.argument(t, 64 * random.pick(0, 9), 0);
  const auto [lowest, highest] = ends_of(t);
  const auto size = sizes().find(n);
  const bool per_channel = n.ends_with("_per_channel");
  std::int64_t value = random.pick(0, 9);
  if (size != sizes().end()) {
    value = random.pick(size->second.first, size->second.second);
    if (random.chance(3) && size->second.second > 30)
      value = random.pick_of(std::span<const std::int64_t>(kEdges));
    if (random.chance(4)) value = random.pick(1, 4);
  } else if (per_channel) {
    value = random.chance(6) ? random.pick(40, 200) : random.pick(1, 40);
  } else if (n.starts_with("num_")) {  // so often something is done again
    return front_end_.argument(t, random.pick(0, 4), 0);
  } else if (!tame && random.chance(2)) {
    const int kind = static_cast<int>(random.pick(0, 4));
    if (kind == 0) value = random.pick(-40, 40);
    if (kind == 1) value = random.chance(2) ? lowest : highest;
    if (kind == 2) value = random.pick(lowest, highest);
    if (kind == 3) value = random.pick_of({-32768, -129, -128, -32, -16, -1, 16, 31, 32, 127, 255});
    if (kind == 4) value = static_cast<std::int64_t>(unusual_word(random));
  }
  const std::vector<std::int64_t>& named = named_[k];
  if (!named.empty() && random.chance(size != sizes().end() ? 12 : 2)) {
    value = random.pick_of(std::span<const std::int64_t>(named)) + random.pick(-1, 1);
  }
  return front_end_.argument(t, std::clamp(value, lowest, highest), 0);
}

Arg ArgumentValues::shape(std::int64_t budget, bool tame, Random& random) const {
  const auto edge = [&] { return random.pick_of(std::span<const std::int64_t>(kEdges)); };
  std::int64_t n = tame || random.chance(2) ? 1 : random.pick(1, 5);
  std::int64_t c = random.chance(3) ? random.pick_of({63, 64, 65, 128, 129}) : random.pick(1, 6);
  std::int64_t h = random.chance(4) ? random.pick_of({8, 16, 17, 33}) : random.pick(1, 5);
  std::int64_t w = random.chance(3) ? random.pick(1, 129) : random.pick(1, 9);
  if (random.chance(4)) w = edge();
  if (tame || random.chance(4)) h = 1;
  if (random.chance(8)) std::swap(h, w);
  if (random.chance(12)) std::swap(n, c);
  while (n * c * h * w > budget) {
    std::int64_t& largest =
        std::max({std::ref(n), std::ref(c), std::ref(h), std::ref(w)},
                 [](const auto& a, const auto& b) { return a.get() < b.get(); });
    largest = random.chance(2) ? (largest + 1) / 2 : std::max<std::int64_t>(largest / 3, 1);
  }
  Arg arg;
  arg.field = {n, c, h, w};
  return arg;
}

// The kernel, steps, dilation, padding or insertions of a window.
Arg ArgumentValues::window(std::size_t k, bool tame, Random& random) const {
  const ArgType& t = arg_type(type(k));
  Arg arg;
  const bool is_null = t.null_default.has_value() && name(k) != "kernel" && random.chance(4);
  if (is_null) {
    arg.is_null = true;
    arg.field.fill(*t.null_default);
    return arg;
  }
  for (int field = 0; field < field_count(t); ++field) {
    std::int64_t& value = arg.field[static_cast<std::size_t>(field)];
    if (name(k) == "kernel") {
      value = random.chance(8) ? random.pick(1, 17) : random.pick(1, 4);
    } else if (name(k).starts_with("ins") || field_count(t) == 4) {
      value = random.pick(0, tame ? 1 : 3);
    } else {
      value = random.pick(1, tame ? 2 : 4);
    }
    if (!tame && !named_[k].empty() && random.chance(12))
      value = std::min<std::int64_t>(random.pick_of(std::span<const std::int64_t>(named_[k])), 40);
  }
  return arg;
}

Arg ArgumentValues::value_or_address(std::size_t k, Random& random) const {
  const std::uint32_t word =
      random.chance(2) ? unusual_word(random) : static_cast<std::uint32_t>(random.pick(-40, 40));
  if (type(k) == "const variable_t*") {
    const Arg scalar = front_end_.argument(type(k), random.pick(0, 2), 0);
    return scalar.is_address() ? scalar : front_end_.argument(type(k), scalar.field[3], word);
  }
  Arg arg;
  arg.field[kIsAddressField] = random.pick(0, 1);
  if (!arg.is_address()) arg.field[kConstantField] = word;
  return arg;
}

}  // namespace tensorlane::differential
