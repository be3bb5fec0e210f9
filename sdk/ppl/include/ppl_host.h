// SPDX-License-Identifier: Apache-2.0
//
// ppl_host.h - launches kernels of a library that `tensorlane ppl build` made, from a C++ host.
//
//   tensorlane ppl build softmax.pl -o softmax.so --header softmax.h
//
//   #include "ppl_host.h"
//   #include "softmax.h"
//   ppl_host::Kernels kernels(handle, "./softmax.so");
//   for (int block = 512; block > 0; block /= 2) {      // the largest that fits
//     const softmax_arguments arguments = {address_of(output), address_of(input), rows, columns,
//                                          block};
//     const int error = kernels.launch("softmax", arguments);
//     if (error != ppl_host::kLocalAddrAssignErr) break;
//   }
//
// Over bmlib_runtime.h. A kernel is planned on the host first: what cannot be carried out ends with
// its number there, before anything runs.
//
// C++11.

#ifndef TENSORLANE_PPL_HOST_H_
#define TENSORLANE_PPL_HOST_H_

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bmlib_runtime.h"

namespace ppl_host {

// Numbers of errors, as hosts of boards have them.
enum Error {
  kOk = 0,
  kLocalAddrAssignErr = 0x11,  // the tensors alive at once exceed local memory
  kL2AddrAssignErr = 0x1a,     // the same of L2
  kShapeInferErr = 0x1b,       // shapes of operands do not go together
  kSetMemRefShapeErr = 0x1c,   // a real shape exceeds its block, a view its tensor
  kTensorConvErr = 0x1e,       // no command of the chip does this
  kLaunchFailed = -1,          // the launch ended early; standard error says why
  kNoKernel = -2,              // the library is no such file, or has no kernel of that name
};

inline unsigned long long address_of(const bm_device_mem_t& memory) {
  return bm_mem_get_device_addr(memory);
}

class Kernels {
 public:
  Kernels(bm_handle_t handle, const std::string& file)
      : handle_(handle),
        module_(tpu_kernel_load_module_file(handle, file.c_str())),
        library_(dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL)) {}
  ~Kernels() {
    if (library_ != nullptr) dlclose(library_);
    if (module_ != nullptr) tpu_kernel_free_module(handle_, module_);
  }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  // 0, or the error that a launch with these arguments ends with.
  template <class Arguments>
  int plan(const std::string& kernel, const Arguments& arguments) const {
    return ask("ppl_plan_" + kernel, &arguments, kNoKernel);
  }
  // On how many cores the kernel wants to run; 0: it does not say.
  template <class Arguments>
  int asked_cores(const std::string& kernel, const Arguments& arguments) const {
    return ask("ppl_cores_" + kernel, &arguments, 0);
  }
  // Runs it and waits for it, on `cores` cores; 1 where that is 0. 0, or an error.
  template <class Arguments>
  int launch(const std::string& kernel, const Arguments& arguments, int cores = 0) const {
    const int error = plan(kernel, arguments);
    if (error != kOk) return error;
    std::vector<int> list;
    for (int core = 0; core < std::max(cores, 1); ++core) list.push_back(core);
    const bm_status_t status =
        list.size() == 1
            ? tpu_kernel_launch_sync(handle_, kernel.c_str(), &arguments, sizeof arguments)
            : tpu_kernel_launch_sync_multi_cores(handle_, kernel.c_str(), &arguments,
                                                 sizeof arguments, list.data(),
                                                 static_cast<int>(list.size()));
    return status == BM_SUCCESS ? kOk : kLaunchFailed;
  }

 private:
  int ask(const std::string& question, const void* arguments, int otherwise) const {
    void* const function = library_ == nullptr ? nullptr : dlsym(library_, question.c_str());
    if (function == nullptr) return otherwise;
    return reinterpret_cast<int (*)(const void*)>(function)(arguments);
  }

  bm_handle_t handle_;
  tpu_kernel_module_t module_;
  void* library_;
};

}  // namespace ppl_host

#endif  // TENSORLANE_PPL_HOST_H_
