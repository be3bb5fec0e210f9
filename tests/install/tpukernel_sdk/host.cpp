// Runs the kernels by every kind of launch and compares with plain loops.
// host          the kernels are in the program; launched by name
// host MODULE   they are in a module, loaded as a file and from memory
// host MODULE KERNEL   launches this one as well, with addresses only
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bmlib_runtime.h"
#include "kernels.h"

namespace {

bm_handle_t handle;
tpu_kernel_module_t module;
int launches, failures;

bool run(const char* name, args_t args) {
  if (module == nullptr)
    return tpu_kernel_launch_sync(handle, name, &args, sizeof args) == BM_SUCCESS;
  const tpu_kernel_function_t function = tpu_kernel_get_function(handle, module, name);
  if (function < 0) return false;
  if (++launches % 2 == 0)
    return tpu_kernel_launch(handle, function, &args, sizeof args) == BM_SUCCESS;
  const bm_status_t status = tpu_kernel_launch_async(handle, function, &args, sizeof args);
  std::memset(&args, 0xEE, sizeof args);  // the launch has its own copy
  return status == BM_SUCCESS && tpu_kernel_sync(handle) == BM_SUCCESS;
}

template <class T>
struct Buffer {
  bm_device_mem_t memory;
  std::size_t count;
  explicit Buffer(std::vector<T> data) : count(data.size()) {
    bm_malloc_device_byte(handle, &memory, static_cast<unsigned>(count * sizeof(T)));
    bm_memcpy_s2d(handle, memory, data.data());
  }
  explicit Buffer(std::size_t elements) : count(elements) {
    bm_malloc_device_byte(handle, &memory, static_cast<unsigned>(count * sizeof(T)));
  }
  ~Buffer() { bm_free_device(handle, memory); }
  unsigned long long address() const { return bm_mem_get_device_addr(memory); }
  std::vector<T> read() const {
    std::vector<T> data(count);
    bm_memcpy_d2s(handle, data.data(), memory);
    return data;
  }
};

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("fail: %s\n", what);
  ++failures;
}

std::vector<float> numbers(std::size_t count) {
  std::vector<float> list(count);
  for (std::size_t i = 0; i < count; ++i) list[i] = static_cast<float>(i * 37 % 101) - 50.F;
  return list;
}

void broadcast() {
  const int n = 2, c = 64, h = 3, w = 5;
  const std::vector<float> from = numbers(n * h);
  Buffer<float> input(from), output(static_cast<std::size_t>(n) * c * h * w);
  bool same = run("broadcast", {output.address(), input.address(), 0, n, c, h, w});
  const std::vector<float> got = output.read();
  for (int i = 0; i < n * c * h * w; ++i)
    same = same && got[i] == from[i / (c * h * w) * h + i / w % h];
  expect(same, "broadcast");
}

void sigmoid() {
  const int n = 1003;
  std::vector<float> from = numbers(n);
  for (float& x : from) x /= 8;
  Buffer<float> input(from), output(static_cast<std::size_t>(n));
  bool close = run("sigmoid", {output.address(), input.address(), 0, n, 0, 0, 0});
  const std::vector<float> got = output.read();
  for (int i = 0; i < n; ++i)
    close = close && std::fabs(got[i] - 1 / (1 + std::exp(-from[i]))) < 1e-6F;
  expect(close, "sigmoid");
}

void norm() {
  Buffer<float> input(std::vector<float>(64, 2.F));
  Buffer<std::uint16_t> output(1);
  expect(run("norm", {output.address(), input.address(), 0, 0, 0, 0, 64}) &&
             output.read()[0] == 0x4c00,  // 16
         "norm");
}

void nonzero() {
  std::vector<int> from(2 * 3 * 4 * 5);
  int count = 0, sum = 0;
  for (std::size_t i = 0; i < from.size(); i += 7) {
    from[i] = 1;
    ++count;
    sum += static_cast<int>(i);
  }
  Buffer<int> input(from), positions(from.size()), output(16);
  const bool done =
      run("nonzero", {output.address(), input.address(), positions.address(), 2, 3, 4, 5});
  int got[2] = {0, 0};
  bm_memcpy_d2s_partial(handle, got, output.memory, sizeof got);
  expect(done && got[0] == count && got[1] == sum, "nonzero");
}

void largest() {
  Buffer<float> input(std::vector<float>{3, 9, -1, 9, 4}), values(3);
  Buffer<int> positions(3);
  const bool done =
      run("largest", {values.address(), input.address(), positions.address(), 5, 0, 0, 3});
  expect(done && values.read() == std::vector<float>({9, 9, 4}) &&
             positions.read() == std::vector<int>({1, 3, 4}),
         "largest");
}

void enlarge() {
  const int n = 2, c = 70, h = 3, w = 4;
  const std::vector<float> from = numbers(static_cast<std::size_t>(n) * c * h * w);
  Buffer<float> input(from), output(from.size() * 9);
  bool same = run("enlarge", {output.address(), input.address(), 0, n, c, h, w});
  const std::vector<float> got = output.read();
  for (int i = 0; i < n * c * 3 * h * 3 * w; ++i) {
    const int x = i % (3 * w), y = i / (3 * w) % (3 * h), plane = i / (9 * h * w);
    same = same && got[i] == from[(plane * h + y / 3) * w + x / 3];
  }
  expect(same, "enlarge");
}

void all() {
  broadcast();
  sigmoid();
  norm();
  nonzero();
  largest();
  enlarge();
}

}  // namespace

int main(int argc, char** argv) {
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
  if (argc > 1) {
    module = tpu_kernel_load_module_file(handle, argv[1]);
    expect(module != nullptr, "tpu_kernel_load_module_file");
    if (module != nullptr) all();
    if (module != nullptr && argc > 2) {
      Buffer<int> memory(16);
      expect(run(argv[2], {memory.address(), memory.address(), 0, 0, 0, 0, 0}), argv[2]);
    }
    if (module != nullptr) tpu_kernel_unload_module(handle, module);
    std::ifstream file(argv[1], std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    module = tpu_kernel_load_module(handle, bytes.data(), bytes.size());
    expect(module != nullptr, "tpu_kernel_load_module");
    if (module != nullptr) all();
    if (module != nullptr) tpu_kernel_unload_module(handle, module);
  } else {
    all();
  }
  bm_dev_free(handle);
  std::puts(failures == 0 ? "pass" : "failed");
  return failures == 0 ? 0 : 1;
}
