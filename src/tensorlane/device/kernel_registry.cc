#include "tensorlane/device/kernel_registry.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "tensorlane/device/call_stack.h"
#include "tensorlane/device/source_location.h"

namespace tensorlane {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::pair<std::string, KernelFunction>> kernels;
  std::set<KernelFunction> with_bytes;  // those that take their arguments' bytes as well
};

// Constructors of kernels run before main, in any order: built on first use, never destroyed.
Registry& registry() {
  static Registry* const instance = new Registry;
  return *instance;
}

auto find(Registry& all, std::string_view name) {
  return std::find_if(all.kernels.begin(), all.kernels.end(),
                      [&](const auto& entry) { return entry.first == name; });
}

}  // namespace

void register_kernel(std::string_view name, KernelFunction kernel, EndProcess outside_launch,
                     Parameters parameters) {
  const auto* const address = reinterpret_cast<const void*>(kernel);
  const Module module = module_of(address);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const bool first_of_module = std::ranges::none_of(all.kernels, [&](const auto& entry) {
    return module.contains(reinterpret_cast<const void*>(entry.second));
  });
  if (first_of_module) {
    forget_places(address);
    catch_missing_functions(address, outside_launch);
  }
  const auto found = find(all, name);
  if (found != all.kernels.end()) {
    found->second = kernel;
  } else {
    all.kernels.emplace_back(name, kernel);
  }
  if (parameters == Parameters::kArgsAndBytes) {
    all.with_bytes.insert(kernel);
  } else {
    all.with_bytes.erase(kernel);
  }
}

Parameters parameters_of(KernelFunction kernel) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.with_bytes.contains(kernel) ? Parameters::kArgsAndBytes : Parameters::kArgs;
}

KernelFunction find_kernel(std::string_view name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = find(all, name);
  return found == all.kernels.end() ? nullptr : found->second;
}

void unregister_kernels(const std::function<bool(KernelFunction)>& which) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.kernels, [&](const auto& entry) { return which(entry.second); });
}

std::vector<std::string> kernel_names() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const auto& [name, kernel] : all.kernels) names.push_back(name);
  return names;
}

std::vector<std::pair<std::string, KernelFunction>> kernels_in(const Module& module) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<std::pair<std::string, KernelFunction>> found;
  for (const auto& entry : all.kernels) {
    if (module.contains(reinterpret_cast<const void*>(entry.second))) found.push_back(entry);
  }
  return found;
}

}  // namespace tensorlane
