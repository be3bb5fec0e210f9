// Recordings of okk.h functions on the BM1684.
#include <bit>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/conformance/recorded_values.h"
#include "tensorlane/conformance/target.h"
#include "tensorlane/json/json.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::conformance {
namespace {

void prefill(std::uint32_t id, std::uint64_t offset, std::span<std::byte> out) {
  std::uint32_t value = static_cast<std::uint32_t>(offset) * 0x9E3779B1U + id * 0x85EBCA6BU;
  for (std::byte& byte : out) {
    byte = static_cast<std::byte>(value >> 24U);
    value += 0x9E3779B1U;
  }
}

// fp32_or_addr_t and x32_or_addr_t share their shape; the value travels as bits.
template <class T>
T value_or_address(const Json& value) {
  T out{};
  out.is_addr = value.at("is_addr").get<bool>();
  const std::uint32_t word =
      out.is_addr ? value.at("addr").get<std::uint32_t>() : recorded_bits(value.at("val_bits"));
  std::memcpy(&out.context, &word, sizeof word);
  return out;
}

Arg encode_one(std::string_view type, const Json& value, const SystemBuffers& buffers,
               EncodedArgs& out) {
  using okk::encode;
  if (type == "dim4*") return encode(reinterpret_cast<dim4*>(out.outs.emplace_back().data()));
  if (type == "const dim4*") return recorded_struct<dim4>(value, "n", "c", "h", "w");
  if (type == "const dim2*") return recorded_struct<dim2>(value, "h", "w");
  if (type == "const Padding*")
    return recorded_struct<Padding>(value, "top", "bottom", "left", "right");
  if (type == "const fp32_or_addr_t*") {
    const auto operand = value_or_address<fp32_or_addr_t>(value);
    return encode(&operand);
  }
  if (type == "const x32_or_addr_t*") {
    const auto operand = value_or_address<x32_or_addr_t>(value);
    return encode(&operand);
  }
  if (type == "float") return encode(std::bit_cast<float>(recorded_bits(value.at("bits"))));
  if (type == "x32") return encode(x32{.u32 = recorded_bits(value.at("bits"))});
  if (type == "x16")
    return encode(x16{.u16 = static_cast<unsigned short>(recorded_bits(value.at("bits")))});
  if (type == "x8")
    return encode(x8{.u8 = static_cast<unsigned char>(recorded_bits(value.at("bits")))});
  if (type == "op_type_t") return encode(static_cast<op_type_t>(recorded_integer(value)));
  if (type == "mul_type_t") return encode(static_cast<mul_type_t>(recorded_integer(value)));
  if (type == "system_addr_t") return encode(system_addr_t{recorded_address(value, buffers)});
  if (type == "local_addr_t" || type == "unsigned int") return encode(value.get<unsigned>());
  if (type == "bool") return encode(value.get<bool>());
  if (type == "int" || type == "short" || type == "unsigned short")
    return encode(recorded_integer(value));
  user_error("parameters of type {} cannot be replayed", type);
}

EncodedArgs encode(const Op& op, const Json& args, const SystemBuffers& buffers) {
  return encode_all(op, args, buffers, encode_one);
}

std::int64_t call(Session& session, const Op& op, std::span<const Arg> args) {
  return okk::call_in_session(&session, op, args, nullptr);
}

}  // namespace

const Target& okk_target() {
  static const Target target{bm1684(), 0x20000, prefill, okk::find_op, encode, call};
  return target;
}

}  // namespace tensorlane::conformance
