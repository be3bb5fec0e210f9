// Recordings of tpu_kernel.h functions on the BM1684X.
#include <bit>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/conformance/cases.h"
#include "tensorlane/conformance/recorded_values.h"
#include "tensorlane/conformance/target.h"
#include "tensorlane/json/json.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::conformance {
namespace {

void prefill(std::uint32_t id, std::uint64_t offset, std::span<std::byte> out) {
  for (std::size_t k = 0; k < out.size(); ++k, ++offset)
    out[k] = static_cast<std::byte>(id * 29 + offset * 7 + (offset >> 8U) * 13 + 0x41);
}

scalar_t scalar(const Json& value) {
  scalar_t out{};
  out.u32 = recorded_bits(value.is_object() ? value.at("bits") : value);
  return out;
}

Arg encode_variable(const Json& value) {
  variable_t variable{};
  variable.type = static_cast<var_type_t>(value.at("type").get<int>());
  if (variable.type == SCALAR) {
    variable.context.scalar = scalar(value.at("value"));
  } else {
    variable.context.addr = value.at("addr").get<unsigned>();
  }
  return tpukernel::encode(&variable);
}

Arg encode_one(std::string_view type, const Json& value, const SystemBuffers& buffers,
               EncodedArgs& out) {
  using tpukernel::encode;
  if (type == "dim4*") return encode(reinterpret_cast<dim4*>(out.outs.emplace_back().data()));
  if (type == "const dim4*") return recorded_struct<dim4>(value, "n", "c", "h", "w");
  if (type == "const dim2*") return recorded_struct<dim2>(value, "h", "w");
  if (type == "const padding_t*")
    return recorded_struct<padding_t>(value, "top", "bottom", "left", "right");
  if (type == "const range_t*") {
    std::array<int, 4>& range = out.outs.emplace_back();
    range = {recorded_integer(value.at("start")), recorded_integer(value.at("end"))};
    return encode(reinterpret_cast<const range_t*>(range.data()));
  }
  if (type == "const variable_t*") return encode_variable(value);
  if (type == "var_context_t") {
    var_context_t context{};
    if (value.is_number()) {
      context.addr = value.get<unsigned>();
    } else {
      context.scalar = scalar(value);
    }
    return encode(context);
  }
  if (type == "float") return encode(std::bit_cast<float>(recorded_bits(value.at("bits"))));
  if (type == "scalar_t") return encode(scalar(value));
  if (type == "data_type_t") return encode(static_cast<data_type_t>(recorded_integer(value)));
  if (type == "rounding_mode_t")
    return encode(static_cast<rounding_mode_t>(recorded_integer(value)));
  if (type == "system_addr_t" || type == "global_addr_t" || type == "addr_t" ||
      type == "l2_sram_addr_t") {
    return encode(system_addr_t{recorded_address(value, buffers)});
  }
  if (type == "local_addr_t" || type == "static_addr_t" || type == "unsigned int")
    return encode(value.get<unsigned>());
  if (type == "bool") return encode(recorded_integer(value) != 0);
  if (type == "char") return encode(static_cast<char>(recorded_integer(value)));
  if (type == "int" || type == "unsigned char" || type == "short")
    return encode(recorded_integer(value));
  user_error("parameters of type {} cannot be replayed", type);
}

EncodedArgs encode(const Op& op, const Json& args, const SystemBuffers& buffers) {
  return encode_all(op, args, buffers, encode_one);
}

const Op* find(std::string_view name) {
  return tpukernel::ops().find(name);
}

std::int64_t call(Session& session, const Op& op, std::span<const Arg> args) {
  return tpukernel::call_in_session(&session, op, args, nullptr);
}

}  // namespace

const Target& tpukernel_target() {
  static const Target target{bm1684x(), 0x10000, prefill, find, encode, call};
  return target;
}

const Chip& recorded_chip(const std::string& folder) {
  RecordedCase first;
  CaseReader recording(folder, bm1684().local.npus);
  if (recording.next(first)) {
    for (const Chip* chip : all_chips()) {
      if (first.call.function.starts_with(chip->api.prefix)) return *chip;
    }
  }
  user_error("'{}' calls no functions of a known chip", folder);
}

const Target& find_target(const Chip& chip) {
  if (&chip == &bm1684()) return okk_target();
  if (&chip == &bm1684x()) return tpukernel_target();
  user_error("recordings of chip '{}' cannot be replayed", chip.name);
}

}  // namespace tensorlane::conformance
