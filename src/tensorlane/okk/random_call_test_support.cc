#include "tensorlane/okk/random_call_test_support.h"

#include <rapidcheck.h>

#include <bit>
#include <iterator>
#include <optional>
#include <ostream>
#include <utility>

#include "tensorlane/differential/lone_calls.h"
#include "tensorlane/okk/front_end.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane::okk {
namespace {

std::uint32_t mix(std::uint64_t value) {
  value = (value ^ (value >> 31)) * 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::uint32_t>(value >> 32);
}

constexpr std::uint32_t kSpecials[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
    0x7f800001, 0xff812345, 0x7fffffff, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000,
    0x7f7fffff, 0xff7fffff, 0x4f000000, 0xcf000000, 0x3effffff, 0x42b00000, 0xc2ce0000, 0x5f3759df};

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

rc::Gen<RandomCall> random_call(const Op& op) {
  return rc::gen::exec([&op] {
    RandomCall call{
        .op = &op, .args = {}, .data = {}, .seed = *rc::gen::arbitrary<std::uint32_t>()};
    std::optional<std::vector<Arg>> args = differential::lone_call(front_end(), op, call.seed);
    call.legal = args.has_value();
    if (args) call.args = std::move(*args);
    for (std::size_t k = 0; k < op.operands().size(); ++k)
      call.data.push_back(static_cast<DataKind>(mix(call.seed + k) % kDataKinds));
    return call;
  });
}

}  // namespace tensorlane::okk
