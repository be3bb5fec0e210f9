#include "tensorlane/device/host_functions.h"

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"

namespace tensorlane {

std::int64_t processor_pointer(const HostCall& call, Space space, std::int64_t offset) {
  const std::string_view function = call.op.name();
  Session& session = launched(call, function);
  if (offset < 0) user_error("{}: address is below {}", function, translated(space_name(space)));
  return reinterpret_cast<std::int64_t>(
      session.pointer(space, static_cast<std::uint64_t>(offset), function, call.call_site));
}

}  // namespace tensorlane
