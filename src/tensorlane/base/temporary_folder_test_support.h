// A folder of its own for every test, removed at its end: tests run side by side.
// other users.
#ifndef TENSORLANE_BASE_TEMPORARY_FOLDER_TEST_SUPPORT_H_
#define TENSORLANE_BASE_TEMPORARY_FOLDER_TEST_SUPPORT_H_

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tensorlane {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tensorlane_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_TEMPORARY_FOLDER_TEST_SUPPORT_H_
