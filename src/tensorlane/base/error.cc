#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"

namespace tensorlane {

void internal_error_at(const char* file, int line, const std::string& what) {
  throw InternalError(tr(
      "internal error at {}:{}: {} does not hold; this is a defect of TensorLane, please report it",
      file, line, what));
}

}  // namespace tensorlane
