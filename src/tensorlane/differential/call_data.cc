#include "tensorlane/differential/call_data.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "tensorlane/differential/argument_values.h"
#include "tensorlane/tensor/convert.h"
#include "tensorlane/tensor/float16.h"

namespace tensorlane::differential {
namespace {

std::uint32_t float_bits(float value, Dtype dtype) {
  if (dtype == Dtype::kFp16) return float_to_fp16(value);
  if (dtype == Dtype::kBf16) return float_to_bf16(value);
  return convert_element(std::bit_cast<std::uint32_t>(value), dtype, Dtype::kFp32);
}

// Bits of unusual numbers of a type.
std::uint32_t unusual_element(const DtypeInfo& info, Random& random) {
  const std::uint32_t top = std::uint32_t{1} << (info.bits - 1);
  if (!info.is_float) {
    if (random.chance(4)) return unusual_word(random);
    return (random.chance(2) ? 0 : top) + static_cast<std::uint32_t>(random.pick(-2, 2));
  }
  if (info.bits == 32) return unusual_word(random);
  const std::uint32_t infinity = info.format.infinity(), quiet = info.format.quiet_bit();
  const std::uint32_t least_normal = info.format.mantissa_mask() + 1;
  const std::uint32_t magnitude = random.pick_of<std::uint32_t>(
      {0, 1, least_normal - 1, least_normal, infinity - 1, infinity, infinity + 1, infinity + quiet,
       top - 1, infinity / 2, float_bits(1.0F, info.dtype), float_bits(0.5F, info.dtype)});
  return magnitude | (random.chance(2) ? top : 0);
}

std::uint32_t moderate_element(const DtypeInfo& info, Random& random) {
  const auto value = static_cast<float>(static_cast<std::int32_t>(random.word()));
  if (info.is_float) return float_bits(value * 0x1p-27F, info.dtype);
  return random.word() >> static_cast<unsigned>(random.pick(1, info.bits - 1) + 32 - info.bits);
}

class Filler {
 public:
  Filler(const Command& command, std::size_t index, DataKind kind, Random& random)
      : command_(command),
        operand_(command.operands()[index]),
        info_(dtype_info(operand_.layout.dtype())),
        kind_(kind),
        random_(random) {
    if (kind == DataKind::kEqual) {
      kind_ = static_cast<DataKind>(random.pick(0, static_cast<int>(DataKind::kUnusual)));
      equal_ = element();
    }
    if (kind == DataKind::kIndices) choose_bounds();
    if (kind == DataKind::kInRange) choose_range();
  }

  void fill(std::span<std::byte> bytes) {
    const auto width = static_cast<std::size_t>(info_.bits / 8);
    for (std::size_t at = 0; at < bytes.size(); at += width) {
      const std::uint32_t value = equal_ ? *equal_ : element();
      std::memcpy(bytes.data() + at, &value, std::min(width, bytes.size() - at));
    }
  }

 private:
  std::uint32_t element() {
    switch (kind_) {
      case DataKind::kZero:
        return 0;
      case DataKind::kOnes:
        return info_.is_float ? float_bits(1.0F, info_.dtype) : 1;
      case DataKind::kSmall:
        return static_cast<std::uint32_t>(random_.pick(info_.is_signed ? -40 : 0, 40));
      case DataKind::kModerate:
        return moderate_element(info_, random_);
      case DataKind::kUnusual:
        return unusual_element(info_, random_);
      case DataKind::kMixed:
        return random_.chance(4) ? unusual_element(info_, random_)
                                 : moderate_element(info_, random_);
      case DataKind::kIndices:
        return index();
      case DataKind::kInRange:
        return in_range();
      default:
        return random_.word();
    }
  }

  // What indices may count: elements along a dimension of another operand, or along two of them
  // (one in each half of a word).
  void choose_bounds() {
    std::vector<std::int64_t> extents;
    for (const Operand& other : command_.operands()) {
      if (&other == &operand_) continue;
      for (int d = 0; d < other.layout.rank(); ++d) extents.push_back(other.layout.extent(d));
      extents.push_back(other.layout.size());
    }
    if (extents.empty()) extents.push_back(1);
    first_ = extents[random_.index(extents.size())];
    if (random_.chance(2)) first_ = *std::ranges::min_element(extents);
    second_ = extents[random_.index(extents.size())];
    pairs_ = info_.bits == 32 && random_.chance(2);
    past_ = random_.chance(8);
    all_ones_ = random_.chance(4);
  }
  std::uint32_t index() {
    if (all_ones_ && random_.chance(3)) return ~std::uint32_t{0};
    const auto one = [&](std::int64_t extent) {
      if (past_ && random_.chance(16)) return static_cast<std::uint32_t>(extent);
      return static_cast<std::uint32_t>(random_.pick(0, std::max<std::int64_t>(extent - 1, 0)));
    };
    return pairs_ ? one(first_) << 16U | one(second_) : one(first_);
  }

  void choose_range() {
    const Environment environment{command_.args(), command_.chip, false};
    for (const Limit& limit : command_.op->limits()) {
      if (limit.values_of() == operand_.name()) {
        if (const std::optional<ValueRange> range = limit.value_range(environment)) range_ = *range;
        if (!info_.is_float && !info_.is_signed) range_.low = std::max<std::int64_t>(range_.low, 0);
      }
    }
  }
  std::uint32_t in_range() {
    std::int64_t value = random_.pick(range_.low, range_.high);
    if (random_.chance(4)) value = random_.chance(2) ? range_.low : range_.high;
    if (info_.is_float) return float_bits(static_cast<float>(value), info_.dtype);
    return static_cast<std::uint32_t>(value);
  }

  const Command& command_;
  const Operand& operand_;
  const DtypeInfo& info_;
  DataKind kind_;
  Random& random_;
  std::optional<std::uint32_t> equal_;
  std::int64_t first_ = 1, second_ = 1;
  bool pairs_ = false, past_ = false, all_ones_ = false;
  ValueRange range_{-32, 32};
};

}  // namespace

std::string_view data_kind_name(DataKind kind) {
  constexpr std::string_view kNames[] = {"zeros",   "ones",  "small", "moderate", "bits",
                                         "unusual", "mixed", "equal", "indices",  "in range"};
  return kNames[static_cast<std::size_t>(kind)];
}

CallData draw_data(const Command& command, Random& random) {
  CallData data;
  data.seed = random.bits();
  for (std::size_t k = 0; k < command.operands().size(); ++k) {
    const OperandSpec& spec = *command.operands()[k].spec;
    DataKind& kind = data.kinds[k];
    kind = static_cast<DataKind>(random.pick(0, static_cast<int>(DataKind::kEqual)));
    if (spec.decides && !random.chance(4)) kind = DataKind::kIndices;
    for (const Limit& limit : command.op->limits()) {
      if (limit.values_of() == spec.param && random.chance(2)) kind = DataKind::kInRange;
    }
  }
  return data;
}

void fill_operand(const Command& command, std::size_t index, DataKind kind, Random& random,
                  std::span<std::byte> bytes) {
  Filler(command, index, kind, random).fill(bytes);
}

void fill_with_bytes(Random& random, std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    const std::uint64_t value = random.bits();
    std::memcpy(bytes.data() + at, &value, std::min<std::size_t>(8, bytes.size() - at));
  }
}

}  // namespace tensorlane::differential
