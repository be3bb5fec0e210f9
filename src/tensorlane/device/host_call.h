// What a function without an engine gets when it is called.
#ifndef TENSORLANE_DEVICE_HOST_CALL_H_
#define TENSORLANE_DEVICE_HOST_CALL_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "tensorlane/ops/op.h"

namespace tensorlane {

struct Session;

struct HostCall {
  const Op& op;
  const Chip& chip;
  Session* session;  // null outside a launch
  std::span<const Arg> args;
  const void* call_site;

  // The argument called `param`, and a field of it ("" is the value itself).
  const Arg& arg(std::string_view param) const {
    return args[static_cast<std::size_t>(op.param(param))];
  }
  std::int64_t value(std::string_view param, std::string_view field = {}) const {
    return op.value(args, param, field);
  }
};

// The session of a function that needs one; UserError outside a launch.
Session& launched(const HostCall& call, std::string_view function);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_HOST_CALL_H_
