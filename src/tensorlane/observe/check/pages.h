// The pages of docs/diagnostics and docs/zh/diagnostics, for `tensorlane explain`, by id. pages.cc
// and chinese_pages.cc are made by the build.
#ifndef TENSORLANE_OBSERVE_CHECK_PAGES_H_
#define TENSORLANE_OBSERVE_CHECK_PAGES_H_

#include <span>
#include <string_view>
#include <utility>

namespace tensorlane::check {

using Pages = std::span<const std::pair<std::string_view, std::string_view>>;

extern const Pages kPages;
extern const Pages kChinesePages;

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_PAGES_H_
