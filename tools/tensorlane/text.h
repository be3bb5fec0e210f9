// Quantities as people read them.
#ifndef TENSORLANE_TOOLS_TEXT_H_
#define TENSORLANE_TOOLS_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tensorlane::cli {

// "0 B", "1.5 KiB", "32 MiB".
std::string bytes_text(std::uint64_t bytes);
// "15 us", "2.5 ms", "1.25 s".
std::string seconds_text(double seconds);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_TEXT_H_
