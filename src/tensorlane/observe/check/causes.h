// One finding per cause.
//
// The checks find a fault wherever it shows: once per function, line and way of calls that led
// there, and by several rules. What a person has to repair is less. Two steps make it so, both of
// them functions of the set of findings alone: in which order the emulator ran things, and found
// them, changes nothing.
//
// A finding follows from another where the other explains it: an uninitialised read of what a race
// destroyed, unwritten results of a tensor that went past its allocation, the second race that a
// command has in one region. The rules are in consequences.cc. What followed from a launch that
// failed is known when it is found (missing_data.h).
//
// And a helper that is called from many places is one fault or several. Two calls that do not go
// together (a race) are wrong in the function that both of them, or their callers, stand in: who
// calls that one is of no account. What is wrong with one call alone is the helper's where all its
// callers have it, and have it alike; else it is a fault of each caller.
#ifndef TENSORLANE_OBSERVE_CHECK_CAUSES_H_
#define TENSORLANE_OBSERVE_CHECK_CAUSES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/observe/check/finding.h"

namespace tensorlane::check {

// The causes in order of appearance, each before what follows from it, which have its place in this
// list as Finding::cause; equal ones from other callers are one. Places have to be known
// (complete()). Where `found` names causes, by places in `found`, they stay.
// `places` gets where each of `found` went.
std::vector<Finding> by_cause(std::vector<Finding> found,
                              std::vector<std::size_t>* places = nullptr);

// The places of a finding where the kernel calls, as against those of the host.
std::vector<const FindingLocation*> calls_of_kernel(const Finding& finding);

// The operand that a description of a tensor is about, in whatever language: "src_addr".
std::string operand_of(std::string_view tensor);

// For each finding the one that it follows from directly, by the rules; Finding::cause where that
// is given. No finding follows from itself, nor from what follows from it.
std::vector<std::optional<std::size_t>> causes_of(const std::vector<Finding>& found);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_CAUSES_H_
