// The net: every implementation of every function beside its reference, on generated calls.
//
// Each call has a number; seed, function and number make it again. A difference is shrunk to a
// smallest case and told as the call one can paste.
#ifndef TENSORLANE_DIFFERENTIAL_NET_H_
#define TENSORLANE_DIFFERENTIAL_NET_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/differential/call_generator.h"
#include "tensorlane/differential/trial.h"

namespace tensorlane::differential {

struct NetOptions {
  std::uint64_t seed = 1;
  std::int64_t calls = 100;  // of each function
  std::int64_t first = 0;    // number of the first
  int ways = 2;              // in which each implementation computes each call
  // Of each function besides, to look for what none of the calls had: forms that an implementation
  // says it takes, and any of these with other types. Those that have it are computed as well.
  std::int64_t sought = 0;
  bool stops = true;   // at the first difference of a function
  bool tells = false;  // of every call
};

// Calls by what OperandForms speaks of.
struct FormCounts {
  std::array<std::int64_t, kAlongForms> results{}, sources{};
  std::array<std::int64_t, kOverlaps> overlaps{};

  void add(const FormCounts& other);
  // Whether `other` has a call of a form that these have none of.
  bool lacks(const FormCounts& other) const;
};

struct ImplementationFigures {
  std::string_view name;
  std::int64_t offered = 0, taken = 0;
  std::set<std::uint64_t> forms = {};  // of the calls it took
  // Of those offered: types, and how each operand lies along rows and over others.
  std::set<std::uint64_t> combinations = {};
  // Of those it took, by how results and sources lie along rows and how operands overlap; and of
  // those that its statement of forms admits, whether it took them or not.
  FormCounts took = {}, admitted = {};

  // The forms that were admitted `enough` times or more and never taken, in words.
  std::vector<std::string> never_taken(std::int64_t enough) const;
  std::map<std::string, std::int64_t> features = {};  // of these
};

struct FunctionFigures {
  const Op* op = nullptr;
  std::int64_t calls = 0, refused = 0, none = 0;  // none: no call came out
  std::int64_t comparisons = 0;
  double seconds = 0;
  std::vector<ImplementationFigures> implementations;  // all but the reference
  std::vector<std::string> differences;                // each a text of several lines
};

class Net {
 public:
  explicit Net(const FrontEnd& front_end) : front_end_(front_end), trial_(front_end.chip) {}

  FunctionFigures run(const Op& op, const NetOptions& options);

 private:
  struct Run;
  const FrontEnd& front_end_;
  Trial trial_;
};

// The functions whose entries have more than one implementation.
std::vector<const Op*> functions_with_a_choice(const FrontEnd& front_end);

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_NET_H_
