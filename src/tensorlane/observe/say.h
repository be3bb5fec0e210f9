// How tools speak to the user of a program. They do not print: the front end gives them a function
// that does.
#ifndef TENSORLANE_OBSERVE_SAY_H_
#define TENSORLANE_OBSERVE_SAY_H_

#include <functional>
#include <string>

namespace tensorlane::observe {

// `text` is whole lines.
using Say = std::function<void(const std::string& text)>;

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_SAY_H_
