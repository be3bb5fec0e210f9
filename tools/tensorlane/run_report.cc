#include "run_report.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"
#include "tensorlane/io/file.h"

namespace tensorlane::cli {

RunReport::RunReport()
    : file_(memfd_create("tensorlane-report", MFD_CLOEXEC)),
      // Programs close what they inherit: they open it anew, by the name it has here.
      path_(fmt::format("/proc/{}/fd/{}", getpid(), file_)) {
  if (file_ < 0) user_error("there is no memory for a report: {}", error_number_text(errno));
}

RunReport::~RunReport() {
  close(file_);
}

RunReport::Content RunReport::read() const {
  Content content;
  const FileView view(path_);
  std::istringstream text{std::string(view.text())};
  std::set<std::pair<std::int64_t, std::int64_t>> open;  // process and device
  for (std::string line; std::getline(text, line);) {
    const std::optional<Json> entry = Json::try_parse(line);
    if (!entry || !entry->is_object()) {
      content.problems.push_back(tr("a line of the report cannot be read"));
      continue;
    }
    const std::string tool = entry->value("tool", "");
    content.tool_failed = content.tool_failed || tool == "problem";
    if (tool == "device") {
      const std::pair device{entry->value("process", 0), entry->value("device", 0)};
      if (entry->value("state", "") == "open") {
        open.insert(device);
      } else {
        open.erase(device);
      }
    }
    content.lines.push_back(*entry);
  }
  for (const auto& [process, device] : open) {
    content.problems.push_back(
        tr("device {} of process {} was lost before it had reported everything", device, process));
  }
  return content;
}

}  // namespace tensorlane::cli
