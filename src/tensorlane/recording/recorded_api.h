// What the reader of recordings needs to know of a front end. Two front ends cannot meet in one
// source file, as their public headers share names: each fills a table of its own.
#ifndef TENSORLANE_RECORDING_RECORDED_API_H_
#define TENSORLANE_RECORDING_RECORDED_API_H_

#include <optional>
#include <span>
#include <string_view>

#include "tensorlane/chip/chip.h"
#include "tensorlane/device/session.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/op.h"

namespace tensorlane {

struct RecordedApi {
  const Op* (*find)(std::string_view function);
  std::span<const Op* const> (*all)();
  // An argument of a type that only this front end has; nothing for any other type.
  std::optional<Arg> (*decode)(std::string_view type, const Json& value);
  std::int64_t (*call)(Session& session, const Op& op, std::span<const Arg> args);
};

// The table of the front end whose kernels run on `chip`.
const RecordedApi& recorded_api(const Chip& chip);

const RecordedApi& okkernel_api();
const RecordedApi& tpukernel_api();

// A whole number of a recording. Throws UserError for any other value.
std::int64_t recorded_integer(const Json& value);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_RECORDED_API_H_
