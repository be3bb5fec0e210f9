#include "tensorlane/conformance/case_args.h"

#include "tensorlane/base/error.h"
#include "tensorlane/recording/recorded_args.h"

namespace tensorlane::conformance {

CaseArgs decode_args(const FrontEnd& front_end, const Op& op, const Json& recorded,
                     const SystemBuffers& buffers) {
  const auto params = op.params();
  if (recorded.size() != params.size()) {
    user_error("{} takes {} arguments, the recording has {}", op.name(), params.size(),
               recorded.size());
  }
  CaseArgs out;
  const ArgDecoder decoder{front_end, buffers, &out.outs};
  for (std::size_t k = 0; k < params.size(); ++k) {
    const Json& arg = recorded[k];
    const bool named = arg.is_object() && arg.contains("value") && arg.contains("name");
    if (named && arg["name"] != params[k].name) {
      user_error("argument {} of {} is '{}', the recording calls it {}", k + 1, op.name(),
                 params[k].name, arg["name"].dump());
    }
    out.args.push_back(decoder.decode(arg_type(params[k].type), named ? arg["value"] : arg));
  }
  return out;
}

}  // namespace tensorlane::conformance
