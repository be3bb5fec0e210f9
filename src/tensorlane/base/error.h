// Errors of the library.
//
// The library never prints and never aborts: it throws. Two kinds are told apart so that a reader
// knows at once who has to act:
//
//   UserError      the caller's input is wrong. The text names the parameter, its value, what is
//                  allowed and where that rule comes from.
//   InternalError  TensorLane itself is wrong; the text asks for a report.
//
// The C interfaces (okk.h, tpu_kernel.h, bmlib_runtime.h) turn both into status codes and messages.
#ifndef TENSORLANE_BASE_ERROR_H_
#define TENSORLANE_BASE_ERROR_H_

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "tensorlane/base/language.h"

namespace tensorlane {

class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws UserError with a fmt-formatted text, in the language of the process (language.h).
template <class... Args>
[[noreturn]] void user_error(fmt::format_string<Args...> format, Args&&... args) {
  throw UserError(tr(format, std::forward<Args>(args)...));
}

[[noreturn]] void internal_error_at(const char* file, int line, const std::string& what);

}  // namespace tensorlane

// Checks a fact that only a defect of TensorLane can break.
#define TL_INTERNAL_CHECK(condition)                                                   \
  do {                                                                                 \
    if (!(condition)) ::tensorlane::internal_error_at(__FILE__, __LINE__, #condition); \
  } while (0)

#endif  // TENSORLANE_BASE_ERROR_H_
