// The pages of docs/diagnostics, for `tensorlane explain`. pages.cc is made by the build.
#ifndef TENSORLANE_OBSERVE_CHECK_PAGES_H_
#define TENSORLANE_OBSERVE_CHECK_PAGES_H_

#include <span>
#include <string_view>
#include <utility>

namespace tensorlane::check {

extern const std::span<const std::pair<std::string_view, std::string_view>> kPages;

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_PAGES_H_
