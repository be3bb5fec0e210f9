#include "tensorlane/front_ends/front_ends.h"

#include "tensorlane/base/error.h"

// Each a folder beside this one.
#define TL_FRONT_ENDS(ROW) \
  ROW(okk)                 \
  ROW(tpukernel)

namespace tensorlane {

#define TL_DECLARED(folder)    \
  namespace folder {           \
  const FrontEnd& front_end(); \
  }
TL_FRONT_ENDS(TL_DECLARED)

std::span<const FrontEnd* const> all_front_ends() {
#define TL_LISTED(folder) &folder::front_end(),
  static const FrontEnd* const all[] = {TL_FRONT_ENDS(TL_LISTED)};
  return all;
}

const FrontEnd& front_end_of(const Chip& chip) {
  for (const FrontEnd* front_end : all_front_ends()) {
    if (front_end->api.name == chip.api.name) return *front_end;
  }
  internal_error_at(__FILE__, __LINE__,
                    fmt::format("no front end speaks the {} of {}", chip.api.title, chip.name));
}

const FrontEnd* front_end_of_function(std::string_view function) {
  for (const FrontEnd* front_end : all_front_ends()) {
    if (function.starts_with(front_end->api.prefix)) return front_end;
  }
  return nullptr;
}

}  // namespace tensorlane
