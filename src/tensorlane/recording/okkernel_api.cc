#include "tensorlane/json/json.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/recording/recorded_api.h"

namespace tensorlane {
namespace {

std::optional<Arg> decode_own(std::string_view type, const Json& value) {
  if (type == "op_type_t") return okk::encode(static_cast<op_type_t>(recorded_integer(value)));
  if (type == "mul_type_t") return okk::encode(static_cast<mul_type_t>(recorded_integer(value)));
  return std::nullopt;
}

}  // namespace

const RecordedApi& okkernel_api() {
  static const RecordedApi api{okk::find_op, [] { return okk::op_list(); }, decode_own,
                               [](Session& session, const Op& op, std::span<const Arg> args) {
                                 return okk::call_in_session(&session, op, args, nullptr);
                               }};
  return api;
}

}  // namespace tensorlane
