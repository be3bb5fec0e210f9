#include "kernel_launch.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <span>

#include "bmlib_runtime.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/device/argument_struct.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane::cli {
namespace {

using Field = ArgumentStruct::Field;

constexpr const char* kWord = "--launch-kernel";  // no verb: for run_emulated() alone

// Functions of the library that emulates, which this program is not linked with.
class Library {
 public:
  Library() : handle_(dlopen("libbmlib.so", RTLD_NOW | RTLD_GLOBAL)) {
    if (handle_ == nullptr) user_error("libbmlib.so cannot be loaded: {}", dlerror());
  }
  template <class Function>
  Function* find(const char* name) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr) user_error("libbmlib.so has no {}", name);
    return reinterpret_cast<Function*>(found);
  }

 private:
  void* handle_;
};
#define OF_LIBRARY(library, function) (library).find<decltype(function)>(#function)

// Memory of the device for as many elements as "fp16:64x1024" says, or "fp16:64,1024".
std::size_t bytes_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  std::size_t elements = 1;
  for (std::size_t at = colon + 1; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("x,", at), text.size());
    std::size_t extent = 0;
    const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, extent);
    if (error != std::errc() || rest != text.data() + end || extent == 0 || extent > (1u << 30) ||
        elements * extent > (std::size_t{1} << 40))
      user_error("\"{}\" is no device memory; wanted is DTYPE:SHAPE, like fp16:64x1024", text);
    elements *= extent;
    at = end + 1;
  }
  const auto bits = static_cast<std::size_t>(dtype_bits(parse_dtype(text.substr(0, colon))));
  return (elements * bits + 7) / 8;
}

// Whether all of the text is a number of this type.
template <class Number>
bool is_number(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end;
}

void store_number(const Field& field, const std::string& text, std::byte* to) {
  if (field.kind == Field::Kind::kFloat && (field.bytes == 4 || field.bytes == 8)) {
    double number = 0;
    if (!is_number(text, number)) user_error("{} = {}: a number is wanted", field.name, text);
    const auto narrow = static_cast<float>(number);
    std::memcpy(to, field.bytes == 4 ? static_cast<const void*>(&narrow) : &number, field.bytes);
    return;
  }
  if (field.kind == Field::Kind::kOther || field.kind == Field::Kind::kFloat)
    user_error("{}: a field of this type cannot be given here", field.name);
  std::int64_t number = 0;
  std::uint64_t large = 0;
  const bool is_large = !is_number(text, number) && is_number(text, large);
  const int bits = static_cast<int>(8 * field.bytes);
  const bool fits = is_large ? bits == 64
                             : is_number(text, number) &&
                                   (bits == 64 || (number >= -(std::int64_t{1} << (bits - 1)) &&
                                                   number < (std::int64_t{1} << bits)));
  if (!fits) user_error("{} = {}: a whole number of {} bits is wanted", field.name, text, bits);
  if (is_large) number = std::bit_cast<std::int64_t>(large);
  std::memcpy(to, &number, field.bytes);  // as chips and hosts have it: the least byte first
}

std::vector<std::string> elements_of(const std::string& list) {
  std::vector<std::string> elements(1);
  for (const char letter : list) {
    if (letter == ',')
      elements.emplace_back();
    else
      elements.back() += letter;
  }
  return elements;
}

// Allocates what is wanted of the device and puts all together.
class Packer {
 public:
  Packer(const Library& library, bm_handle_t handle, const ArgumentStruct& structure)
      : library_(library), handle_(handle), structure_(structure), block_(structure.bytes) {}

  std::span<std::byte> pack(const KernelLaunch& launch) {
    std::vector<std::string_view> names;
    for (const Field& field : structure_.fields) names.push_back(field.name);
    std::vector<std::string> missing;
    for (const Field& field : structure_.fields) missing.push_back(field.name);
    for (const auto& [name, value] : launch.arguments) {
      const auto field = std::ranges::find(structure_.fields, name, &Field::name);
      if (field == structure_.fields.end())
        user_error("{} ({}) has no field '{}'{}", structure_.name, structure_.place, name,
                   did_you_mean(name, names));
      store(*field, value);
      std::erase(missing, name);
    }
    const bool unions = std::ranges::any_of(structure_.fields, &Field::in_union);
    if (!missing.empty() && !unions)
      user_error("'{}' takes {} ({}), of which these are not given: {}", launch.kernel,
                 structure_.name, structure_.place, fmt::format("{}", fmt::join(missing, ", ")));
    return block_;
  }

 private:
  void store(const Field& field, const std::string& value) {
    std::byte* const to = block_.data() + field.offset;
    if (value.find(':') != std::string::npos) {
      if (!field.may_be_address())
        user_error("{} = {}: device memory needs a field of 64 bits", field.name, value);
      const std::uint64_t address = allocate(field, bytes_of(value));
      std::memcpy(to, &address, sizeof address);
      return;
    }
    const std::vector<std::string> elements =
        field.is_array ? elements_of(value) : std::vector<std::string>{value};
    if (elements.size() > field.count)
      user_error("{} = {}: it has {} elements", field.name, value, field.count);
    for (std::size_t k = 0; k < elements.size(); ++k)
      store_number(field, elements[k], to + k * field.bytes);
  }
  std::uint64_t allocate(const Field& field, std::size_t bytes) {
    bm_device_mem_t memory{};
    if (bytes > UINT32_MAX || OF_LIBRARY(library_, bm_malloc_device_byte)(
                                  handle_, &memory, static_cast<unsigned int>(bytes)) != BM_SUCCESS)
      user_error("{}: the device has no {} bytes left for it", field.name, bytes);
    return OF_LIBRARY(library_, bm_mem_get_device_addr)(memory);
  }

  const Library& library_;
  bm_handle_t handle_;
  const ArgumentStruct& structure_;
  std::vector<std::byte> block_;
};

// What the kernel takes its arguments for, by the debug information of its module.
ArgumentStruct structure_of(void* module, const KernelLaunch& launch) {
  link_map* loaded = nullptr;
  dlinfo(module, RTLD_DI_LINKMAP, &loaded);
  std::vector<ArgumentStruct> structs = argument_structs(loaded->l_ld, launch.kernel);
  if (structs.empty()) {
    if (launch.arguments.empty()) return {};
    user_error(
        "what '{}' takes its arguments for is unknown: it is no function of {}, or that was not "
        "built with -g",
        launch.kernel, launch.module);
  }
  return std::move(structs.front());
}

bool launched(const Library& library, bm_handle_t handle, const KernelLaunch& launch,
              std::span<std::byte> block) {
  const char* const kernel = launch.kernel.c_str();
  const auto bytes = static_cast<unsigned int>(block.size());
  if (launch.chip->api.name == "okkernel")
    return OF_LIBRARY(library, okkernel_launch_sync)(handle, kernel, block.data(), bytes) ==
           BM_SUCCESS;
  if (launch.cores == 1)
    return OF_LIBRARY(library, tpu_kernel_launch_sync)(handle, kernel, block.data(), bytes) ==
           BM_SUCCESS;
  std::vector<int> cores(static_cast<std::size_t>(launch.cores));
  std::iota(cores.begin(), cores.end(), 0);
  return OF_LIBRARY(library, tpu_kernel_launch_sync_multi_cores)(
             handle, kernel, block.data(), bytes, cores.data(), launch.cores) == BM_SUCCESS;
}

void run(const KernelLaunch& launch) {
  if (launch.cores > launch.chip->cores)
    user_error("'cores' is {}; the {} has {}", launch.cores, launch.chip->name, launch.chip->cores);
  const Library library;
  bm_handle_t handle = nullptr;
  // The device looks at what is loaded when it is opened.
  const std::string path = std::filesystem::absolute(launch.module).string();
  void* const module = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (module == nullptr) user_error("cannot load '{}': {}", launch.module, dlerror());
  if (OF_LIBRARY(library, bm_dev_request)(&handle, 0) != BM_SUCCESS)
    user_error("the device cannot be opened");
  const ArgumentStruct structure = structure_of(module, launch);
  Packer packer(library, handle, structure);
  const bool ran = launched(library, handle, launch, packer.pack(launch));
  OF_LIBRARY(library, bm_dev_free)(handle);
  if (!ran) user_error("'{}' did not run to its end", launch.kernel);
}

}  // namespace

std::vector<std::string> launch_words(const KernelLaunch& launch) {
  std::vector<std::string> words = {std::filesystem::read_symlink("/proc/self/exe").string(),
                                    kWord,
                                    launch.module,
                                    launch.kernel,
                                    std::string(launch.chip->name),
                                    std::to_string(launch.cores)};
  for (const auto& [name, value] : launch.arguments) {
    words.push_back(name);
    words.push_back(value);
  }
  return words;
}

bool is_launch(const std::vector<std::string>& words) {
  return words.size() >= 5 && words.front() == kWord;
}

int run_launch(const std::vector<std::string>& words) {
  set_language(language_of_environment());
  // What kernels print is none of the caller's output.
  dup2(STDERR_FILENO, STDOUT_FILENO);
  try {
    KernelLaunch launch{.module = words[1],
                        .kernel = words[2],
                        .chip = &find_chip(words[3]),
                        .cores = std::stoi(words[4])};
    for (std::size_t k = 5; k + 1 < words.size(); k += 2)
      launch.arguments.emplace_back(words[k], words[k + 1]);
    run(launch);
  } catch (const UserError& error) {
    fmt::print(stderr, "tensorlane: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace tensorlane::cli
