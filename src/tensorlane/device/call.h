// From a call of a device function to what happens: the part that all front ends share.
#ifndef TENSORLANE_DEVICE_CALL_H_
#define TENSORLANE_DEVICE_CALL_H_

#include <span>
#include <string>
#include <string_view>

#include "tensorlane/device/front_end.h"
#include "tensorlane/device/session.h"
#include "tensorlane/ops/op.h"

namespace tensorlane {

// Calls an entry with encoded arguments. `session` is null outside a launch; functions without an
// engine then answer for `chip`. Throws UserError where the call is illegal or the chip does not
// have the function.
std::int64_t call_in_session(Session* session, const Op& op, std::span<const Arg> args,
                             const void* call_site, const Chip& chip);

// The same for the kernel that runs on this thread. Where the call is illegal the launch ends here
// and control does not return (outside a launch: a report, and 0).
std::int64_t call_from_kernel(const Op& op, std::span<const Arg> args, const void* call_site,
                              const FrontEnd& front_end);

// Where the kernel that runs here called a function: a kernel that ends in a call jumps there, and
// what it calls returns into this library.
const void* call_of_kernel(const void* call_site, std::string_view function);

// Ends the launch because a kernel's own assertion failed. Outside a launch it reports and returns:
// the front end's function ends the process then, as assert() would. The message is taken over: who
// ends here destroys nothing.
void assertion_failed(std::string_view macro, std::string message, const void* call_site,
                      const FrontEnd& front_end);
// What is said of an assertion.
std::string assertion_text(std::string_view macro, const char* condition, const char* file,
                           int line, const char* function);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_CALL_H_
