#include "tensorlane/conformance/recorded_values.h"

#include "tensorlane/base/error.h"
#include "tensorlane/json/json.h"

namespace tensorlane::conformance {

std::uint32_t recorded_bits(const Json& value) {
  return static_cast<std::uint32_t>(std::stoul(value.text(), nullptr, 16));
}

int recorded_integer(const Json& value) {
  return value.is_boolean() ? static_cast<int>(value.get<bool>())
                            : static_cast<int>(value.get<std::int64_t>());
}

std::uint64_t recorded_address(const Json& value, const SystemBuffers& buffers) {
  if (value.is_number()) return value.get<std::uint64_t>();
  const auto& base = value.at("base").text();
  if (base != "SYS0" && base != "SYS1") user_error("unknown system buffer '{}'", base);
  return buffers[base == "SYS1" ? 1 : 0] + value.at("offset").get<std::uint64_t>();
}

EncodedArgs encode_all(const Op& op, const Json& args, const SystemBuffers& buffers,
                       EncodeOne encode_one) {
  const auto params = op.params();
  if (args.size() != params.size()) {
    user_error("{} takes {} arguments, the recording has {}", op.name(), params.size(),
               args.size());
  }
  EncodedArgs out;
  for (std::size_t k = 0; k < params.size(); ++k) {
    const Json& value =
        args[k].is_object() && args[k].contains("value") ? args[k]["value"] : args[k];
    if (args[k].is_object() &&
        args[k].value("name", std::string(params[k].name)) != params[k].name) {
      user_error("argument {} of {} is '{}', the recording calls it {}", k + 1, op.name(),
                 params[k].name, args[k]["name"].dump());
    }
    out.args.push_back(encode_one(params[k].type, value, buffers, out));
  }
  return out;
}

}  // namespace tensorlane::conformance
