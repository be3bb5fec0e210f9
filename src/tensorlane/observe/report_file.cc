#include "tensorlane/observe/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/json/json.h"

namespace tensorlane::observe {

void append_report(const std::string& path, const Json& entry) {
  const std::string line = entry.dump() + "\n";
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  const bool written =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int reason = errno;
  if (file >= 0) close(file);
  if (!written) user_error("cannot write the report '{}': {}", path, std::strerror(reason));
}

}  // namespace tensorlane::observe
