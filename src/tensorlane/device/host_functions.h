// What functions without an engine do, in whichever interface they stand.
#ifndef TENSORLANE_DEVICE_HOST_FUNCTIONS_H_
#define TENSORLANE_DEVICE_HOST_FUNCTIONS_H_

#include <string_view>
#include <utility>

#include "tensorlane/device/host_call.h"
#include "tensorlane/device/session.h"
#include "tensorlane/ops/texts.h"

namespace tensorlane {

// The entry of such a function.
inline OpSpec host(Doc doc, HostFunction call, Texts limits = {},
                   std::string_view group = "common") {
  return {.group = group,
          .doc = doc,
          .limits = std::move(limits),
          .numerics = Numerics::kNoData,
          .call = call};
}

inline std::int64_t nothing(const HostCall&) {
  return 0;
}

// What the session of the launch does: in_session<&Session::poll>.
template <void (Session::*kStep)(const void* call_site)>
std::int64_t in_session(const HostCall& call) {
  (launched(call, call.op.name()).*kStep)(call.call_site);
  return 0;
}
inline std::int64_t in_parallel_region(const HostCall& call) {
  return call.session != nullptr && call.session->in_parallel_region;
}

// A number of the chip, of its local memory, and where a memory begins.
template <auto kNumber>
std::int64_t of_chip(const HostCall& call) {
  return static_cast<std::int64_t>(call.chip.*kNumber);
}
template <auto kNumber>
std::int64_t of_local_memory(const HostCall& call) {
  return call.chip.local.*kNumber;
}
template <Space kSpace>
std::int64_t beginning_of(const HostCall& call) {
  return static_cast<std::int64_t>(call.chip.region(kSpace).begin);
}

// The processor's pointer to a byte, by its offset in the memory, and by its system address, the
// argument `addr`. UserError where it lies outside.
std::int64_t processor_pointer(const HostCall& call, Space space, std::int64_t offset);
template <Space kSpace>
std::int64_t processor_pointer(const HostCall& call) {
  return processor_pointer(call, kSpace, call.value("addr") - beginning_of<kSpace>(call));
}

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_HOST_FUNCTIONS_H_
