// The systems and their layouts by name.
#include <fmt/ranges.h>

#include <cctype>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/base/words.h"
#include "tensorlane/layout/named.h"
#include "tensorlane/layout/named_internal.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {
namespace {

using namespace named_internal;

// The entries of layouts that are written out.
constexpr LayoutInfo written_out(System system) {
  LayoutInfo info{system,
                  "written",
                  "",
                  Axes(),
                  msg("written out: extents and strides of each axis"),
                  msg("element = sum over all digits of digit * stride"),
                  msg("the text of the layout"),
                  build_written};
  info.written = true;
  return info;
}
constexpr LayoutInfo kWritten[] = {written_out(System::kBm1684), written_out(System::kBm1684x),
                                   written_out(System::kMace)};

constexpr std::string_view kSystems[] = {"bm1684", "bm1684x", "mace"};

std::string fold_name(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    folded +=
        c == '_' || c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return folded;
}

}  // namespace

std::string_view system_name(System system) {
  return kSystems[static_cast<std::size_t>(system)];
}

std::span<const LayoutInfo> layouts_of(System system) {
  switch (system) {
    case System::kBm1684:
      return bm1684_layouts();
    case System::kBm1684x:
      return bm1684x_layouts();
    case System::kMace:
      return mace_layouts();
  }
  return {};
}

const LayoutInfo& find_layout(System system, std::string_view name) {
  const std::string folded = fold_name(name);
  std::vector<std::string_view> names;
  for (const LayoutInfo& info : layouts_of(system)) {
    bool found = fold_name(info.name) == folded;
    for_each_word(info.aliases,
                  [&](std::string_view alias) { found = found || fold_name(alias) == folded; });
    if (found) return info;
    names.push_back(info.name);
  }
  if (is_notation(name)) return kWritten[static_cast<std::size_t>(system)];
  for (const System other : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(other)) {
      if (fold_name(info.name) == folded) {
        user_error("{} has no layout '{}' ({} has); known are {}", system_name(system), name,
                   system_name(other), fmt::join(names, ", "));
      }
    }
  }
  user_error("{} has no layout '{}'{}", system_name(system), name, did_you_mean(name, names));
}

Axes layout_axes(System system, std::string_view name) {
  const LayoutInfo& info = find_layout(system, name);
  return info.written ? notation_axes(name) : info.axes;
}

}  // namespace tensorlane
