#include "tensorlane/json/json.h"
#include "tensorlane/recording/recorded_api.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane {
namespace {

// {"type":0,"val":bits} or {"type":1,"addr":4096}, with the numbers of var_type_t.
Arg decode_variable(const Json& value) {
  variable_t variable{};
  variable.type = static_cast<var_type_t>(recorded_integer(value.at("type")));
  variable.context.addr =
      static_cast<unsigned>(recorded_integer(value.at(variable.type == SCALAR ? "val" : "addr")));
  return tpukernel::encode(&variable);
}

std::optional<Arg> decode_own(std::string_view type, const Json& value) {
  if (type == "data_type_t")
    return tpukernel::encode(static_cast<data_type_t>(recorded_integer(value)));
  if (type == "const variable_t*" && value.is_object()) return decode_variable(value);
  return std::nullopt;
}

}  // namespace

const RecordedApi& tpukernel_api() {
  static const RecordedApi api{
      [](std::string_view function) { return tpukernel::ops().find(function); },
      [] { return std::span<const Op* const>(tpukernel::ops().all()); }, decode_own,
      [](Session& session, const Op& op, std::span<const Arg> args) {
        return tpukernel::call_in_session(&session, op, args, nullptr);
      }};
  return api;
}

}  // namespace tensorlane
