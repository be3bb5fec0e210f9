// A library of kernels that a script has loaded. It stays loaded as long as somebody has it.
#ifndef TENSORLANE_PYTHON_KERNEL_MODULE_H_
#define TENSORLANE_PYTHON_KERNEL_MODULE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorlane/device/kernel_runner.h"

namespace tensorlane::python {

class KernelModule {
 public:
  // The same for a library that is loaded already. UserError where it cannot be loaded or has no
  // kernels.
  static std::shared_ptr<KernelModule> load(const std::string& path);
  ~KernelModule();
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;

  // The kernels that the library registers, in that order. Names are its own: another library may
  // have kernels of the same names.
  const std::vector<std::pair<std::string, KernelFunction>>& kernels() const { return kernels_; }
  // UserError with the nearest name for an unknown one.
  KernelFunction find(const std::string& name) const;

 private:
  KernelModule(std::string path, void* library);
  void* const library_;
  std::string path_;
  std::vector<std::pair<std::string, KernelFunction>> kernels_;
};

}  // namespace tensorlane::python

#endif  // TENSORLANE_PYTHON_KERNEL_MODULE_H_
