#include "output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/system_text.h"
#include "tensorlane/io/file.h"

namespace tensorlane::cli {
namespace {

namespace fs = std::filesystem;

void print_bytes(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() ||
      std::fflush(stdout) != 0)
    user_error("cannot write to standard output: {}", error_number_text(errno));
}

}  // namespace

void write_output(const std::string& path, std::string_view text) {
  if (path.empty()) return;
  if (path == kStandardOutput) return print_bytes(text);
  write_file(path, text);
}

void check_picture_name(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  if (!ending.empty() && ending != ".svg")
    user_error("'{}': pictures are SVG; let the name end in .svg", path);
}

void check_output(const std::string& path) {
  if (path.empty() || path == kStandardOutput) return;
  const fs::path folder = fs::absolute(path).parent_path();
  std::error_code error;  // names that no file can have are no folders
  if (!fs::is_directory(folder, error))
    user_error("'{}' cannot be written: there is no folder '{}'", path, folder.string());
}

ForeignOutput::ForeignOutput(const std::string& path, std::string_view extension) {
  check_output(path);
  if (path != kStandardOutput) {
    if (!path.empty()) path_ = fs::absolute(path).string();
    return;
  }
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  std::string name = ((error ? fs::path("/tmp") : place) / "tensorlane-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    user_error("cannot make the folder '{}': {}", name, error_number_text(errno));
  folder_ = name;
  path_ = (folder_ / fmt::format("output{}", extension)).string();
}

ForeignOutput::~ForeignOutput() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void ForeignOutput::print() const {
  if (folder_.empty()) return;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
    files.push_back(entry.path());
  // "output-2.jsonl" comes before "output-10.jsonl".
  std::ranges::sort(files, [](const fs::path& a, const fs::path& b) {
    const auto length = [](const fs::path& file) { return file.native().size(); };
    return length(a) != length(b) ? length(a) < length(b) : a < b;
  });
  for (const fs::path& file : files) {
    print_bytes(FileView(file).text());
  }
}

}  // namespace tensorlane::cli
