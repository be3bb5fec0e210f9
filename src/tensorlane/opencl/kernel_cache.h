// Compiled kernels in a folder, so that the next program does not compile them again.
//
// One file per device, driver, kernel and options, named by a hash of these. A file that is cut
// short or damaged counts as absent. Files appear at once and whole, so that programs may share a
// folder.
#ifndef TENSORLANE_OPENCL_KERNEL_CACHE_H_
#define TENSORLANE_OPENCL_KERNEL_CACHE_H_

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace tensorlane::opencl {

class KernelCache {
 public:
  using Binary = std::vector<unsigned char>;

  // No folder: nothing is kept.
  KernelCache() = default;
  // Makes the folder, for this user alone. Throws UserError when it cannot be made or written to,
  // or when others may write to it.
  explicit KernelCache(std::filesystem::path folder);

  std::optional<Binary> load(std::string_view key) const;
  void store(std::string_view key, const Binary& binary) const;

 private:
  std::filesystem::path file_of(std::string_view key) const;
  std::filesystem::path folder_;
};

// $XDG_CACHE_HOME/tensorlane/opencl, else ~/.cache/tensorlane/opencl; empty when neither is known.
std::filesystem::path default_cache_folder();

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_KERNEL_CACHE_H_
