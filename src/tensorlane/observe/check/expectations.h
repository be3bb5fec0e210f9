// What the host should read: references from files, and which of its reads each is for.
//
// TENSORLANE_EXPECT holds a list in JSON, which `tensorlane run --expect` writes:
//
//   [{"reference": "/home/me/ref.npy", "name": "ref.npy", "output": "output_addr",
//     "tolerance": "1e-3"}, ...]
//
// An output is named
//
//   output_addr     the tensor whose address a field of the kernel's struct of arguments holds, by
//                   the kernel's debug information; or one that tl_name called so
//   read:3          what the host's fourth read copies
//   (empty)         the first read of as many bytes as the reference has
//
// and may end in "#2", the third time that the host reads it, and ":bf16", the type of its elements
// where the file cannot say it.
#ifndef TENSORLANE_OBSERVE_CHECK_EXPECTATIONS_H_
#define TENSORLANE_OBSERVE_CHECK_EXPECTATIONS_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/compare/compare.h"
#include "tensorlane/io/tensor.h"

namespace tensorlane::check {

struct OutputName {
  std::string text;                   // as it was written
  std::string name;                   // empty for read:N and where no name was given
  std::optional<std::uint64_t> read;  // of read:N
  std::uint64_t time = 0;             // of #K
  std::optional<Dtype> dtype;
};
// Throws UserError for a text of another form.
OutputName parse_output_name(std::string_view text);

// A reference and the output that should hold it.
struct Expectation {
  OutputName output;
  std::string file;  // as the user calls it
  tensorlane::Shape shape;
  Dtype dtype = Dtype::kFp32;  // of the output's elements
  std::vector<double> values;
  compare::Tolerance tolerance;
  std::atomic<bool> met = false;  // the host has read it, on whichever device

  std::int64_t bytes() const;
};

// An expectation that the host has read.
struct MetExpectation {
  std::string text;  // "output against ref.npy: all 64 elements agree"
  bool holds = false;
  std::uint64_t read = 0;                // of the host, on this device
  std::optional<std::uint64_t> address;  // of the first element that differs
  std::optional<double> expected;        // there
  // Some others, wrong ones and right ones.
  struct Sample {
    std::uint64_t address;
    double expected;
    bool wrong;
  };
  std::vector<Sample> samples = {};
  Dtype dtype = Dtype::kFp32;  // of all of them
};

// Those of a process, which its devices share.
struct Expectations {
  std::deque<Expectation> list;
  // Hears of each when it is read; null where nobody listens.
  std::function<void(const MetExpectation& met, int device)> met;
};

// Reads the references. Throws UserError where the text, a file or a tolerance is wrong.
void add_expectations(std::string_view json, Expectations& expectations);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_EXPECTATIONS_H_
