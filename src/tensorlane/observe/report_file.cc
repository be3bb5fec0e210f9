#include "tensorlane/observe/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tensorlane/base/error.h"
#include "tensorlane/base/system_text.h"
#include "tensorlane/json/json.h"

namespace tensorlane::observe {

std::string report_path() {
  const char* const path = std::getenv("TENSORLANE_REPORT");
  return path == nullptr ? "" : path;
}

void append_report(const Json& entry) {
  const std::string path = report_path();
  const std::string line = entry.dump() + "\n";
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  std::string_view left = line;
  while (file >= 0 && !left.empty()) {
    const ssize_t written = write(file, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  const int reason = errno;
  if (file >= 0) close(file);
  if (!left.empty())
    user_error("cannot write the report '{}': {}", path, error_number_text(reason));
}

void report_problem(const std::string& message, const Say& say) noexcept {
  try {
    say("tensorlane: " + message + "\n");
    if (!report_path().empty()) append_report({{"tool", "problem"}, {"message", message}});
  } catch (const std::exception&) {  // said above, and the device's last line will be missing too
  }
}

}  // namespace tensorlane::observe
