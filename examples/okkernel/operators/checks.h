// One function per operator: makes data, launches the kernel, compares every element with a
// reference computed on the host in double precision.
#ifndef EXAMPLES_OKKERNEL_OPERATORS_CHECKS_H_
#define EXAMPLES_OKKERNEL_OPERATORS_CHECKS_H_

#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "../common/host.h"

struct Result {
  bool passed = false;
  std::string text;           // elements compared, or the first difference
  double milliseconds = 0.0;  // of the launch
};

// Relative tolerance of everything that sums or divides.
constexpr double kTolerance = 1e-4;

using Parameters = std::vector<int>;  // in the order of cases.h
using Floats = std::vector<float>;

Result check_conv2d(example::Device& device, const Parameters& p);
Result check_depthwise(example::Device& device, const Parameters& p);
Result check_matmul(example::Device& device, const Parameters& p);
Result check_avgpool(example::Device& device, const Parameters& p);
Result check_softmax(example::Device& device, const Parameters& p);
Result check_reducesum(example::Device& device, const Parameters& p);
Result check_rgb2bgr(example::Device& device, const Parameters& p);
Result check_transpose(example::Device& device, const Parameters& p);

// Launches kernels on zeros and checks nothing: for timing with `tensorlane run --dry-run`.
extern bool only_launch;
struct Launched {
  double milliseconds;
};

inline Floats random_floats(std::size_t count, float low, float high, unsigned seed = 1) {
  return only_launch ? Floats(count) : example::random_floats(count, low, high, seed);
}

// Argument blocks start with the parameters, all int.
template <typename Args>
void set_parameters(Args* args, const Parameters& parameters) {
  std::memcpy(args, parameters.data(), parameters.size() * sizeof(int));
}

// Runs body(i) for i in [0, count) on all processors.
inline void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (only_launch) return;
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t)
    workers.emplace_back([=, &body] {
      for (std::size_t i = t; i < count; i += threads) body(i);
    });
  for (std::thread& worker : workers) worker.join();
}

// Launches a kernel and measures it on the host's clock. Throws that as Launched if nothing else is
// wanted.
template <typename Args>
double launch_milliseconds(example::Device& device, const char* kernel, const Args& args) {
  const auto start = std::chrono::steady_clock::now();
  device.launch(kernel, args);
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
  if (only_launch) throw Launched{passed.count()};
  return passed.count();
}

// Compares with want(i) for every element i.
template <typename Want>
Result compare(const Floats& got, double milliseconds, double tolerance, Want want) {
  Result result;
  result.milliseconds = milliseconds;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double expected = want(i);
    if (example::matches(got[i], expected, tolerance)) continue;
    char text[160];
    std::snprintf(text, sizeof text, "first difference at element %zu of %zu: got %.9g, want %.9g",
                  i, got.size(), static_cast<double>(got[i]), expected);
    result.text = text;
    return result;
  }
  result.passed = true;
  result.text = std::to_string(got.size()) + " elements";
  return result;
}

#endif  // EXAMPLES_OKKERNEL_OPERATORS_CHECKS_H_
