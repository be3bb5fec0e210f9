// The diagnostics: one line each. Every one has a page, docs/diagnostics/<id>.md.
#include <algorithm>
#include <cctype>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/observe/check/finding.h"
#include "tensorlane/observe/check/pages.h"

namespace tensorlane::check {
namespace {

using enum FindingClass;
using enum Severity;

constexpr Diagnostic kDiagnostics[] = {
    {"TL-ARGS-001", kArgs, kError, "a call breaks a documented limit",
     "keep the argument in the range the rule names"},
    {"TL-ARGS-002", kArgs, kError, "operands of one command overlap",
     "give the result memory of its own, or exactly the address and strides of the source where "
     "the "
     "function works in place"},
    {"TL-ARGS-003", kArgs, kError, "an assertion of the kernel failed",
     "call the kernel with arguments it is made for, or lift the restriction"},
    {"TL-MEMORY-001", kMemory, kError, "a tensor does not fit its memory",
     "split the tensor or move it down; $local_mem_size_per_npu() bytes is what an NPU has"},
    {"TL-MEMORY-002", kMemory, kError, "a tensor reaches past the end of its allocation",
     "allocate the bytes the kernel touches, or correct the shape or address"},
    {"TL-MEMORY-003", kMemory, kError, "a tensor lies in no allocation",
     "pass the address of an allocation; addresses are bytes, not elements"},
    {"TL-MEMORY-004", kMemory, kError, "a tensor lies in memory that was freed",
     "free the memory after the last launch that uses it"},
    {"TL-MEMORY-005", kMemory, kError, "a kernel writes to memory it was not given",
     "pass the buffer's address in the launch arguments, or correct the address"},
    {"TL-MEMORY-006", kMemory, kWarning,
     "a tensor leaves the part of L2 or DTCM that programs may use",
     "stay in the $l2_sram_size() bytes of L2 for programs, or in the DTCM range; the rest "
     "holds tables and the firmware's data"},
    {"TL-MEMORY-007", kMemory, kAdvice, "device memory was never freed",
     "free it with bm_free_device"},
    {"TL-INIT-001", kInit, kError, "a result depends on local memory nobody wrote",
     "load or compute these bytes before the read; compare shape and strides of the two commands"},
    {"TL-INIT-002", kInit, kError, "a result depends on global memory nobody wrote",
     "copy the input to the device before the launch, or correct address and shape"},
    {"TL-INIT-003", kInit, kError, "a result depends on what a command left in its work memory",
     "read the result operand; what stays in work memory is unspecified"},
    {"TL-INIT-004", kInit, kWarning, "a command makes a NaN or infinity from finite sources",
     "look at the sources of this command: a division by zero, a logarithm or root of a negative "
     "number, an exponential or sum that overflows"},
    {"TL-RACE-001", kRace, kError,
     "a BDC command reads what a GDMA command writes at the same time",
     "end the parallel region between the two commands, or let the copy fill another buffer"},
    {"TL-RACE-002", kRace, kError,
     "a GDMA command reads what a BDC command writes at the same time",
     "end the parallel region between the two commands, or copy out the result of the step before"},
    {"TL-RACE-003", kRace, kError, "a GDMA and a BDC command write the same bytes at the same time",
     "give each its own buffer, or end the parallel region between the two commands"},
    {"TL-SYNC-001", kSync, kError, "a parallel region starts inside a parallel region",
     "end the first region before the second starts; regions do not nest"},
    {"TL-SYNC-002", kSync, kError, "a parallel region ends that never started",
     "add the $parallel_start, or remove the $parallel_end"},
    {"TL-SYNC-003", kSync, kError, "$poll inside a parallel region",
     "call $parallel_end before $poll"},
    {"TL-SYNC-004", kSync, kError, "the kernel returns inside a parallel region",
     "call $parallel_end, then $poll, on every way out"},
    {"TL-SYNC-005", kSync, kError, "the kernel returns while commands are in flight",
     "call $poll before every return"},
    {"TL-SYNC-006", kSync, kWarning, "the processor looks at memory that commands in flight write",
     "call $poll before the pointer is taken"},
    {"TL-SYNC-007", kSync, kError, "$initialize inside a parallel region",
     "call it once, before the first command"},
    {"TL-SYNC-008", kSync, kAdvice, "a command comes before $initialize",
     "call $initialize first; the documentation asks for it"},
    {"TL-COVERAGE-001", kCoverage, kError, "the host reads bytes nobody wrote",
     "let the kernel write the whole result; look at the last, partial tile first"},
    {"TL-COVERAGE-002", kCoverage, kAdvice, "the host reads back its own bytes from a result",
     "nothing, if the kernel is meant to change only a part of the buffer"},
    {"TL-LINT-001", kLint, kAdvice, "a tensor is partly overwritten before its last read",
     "check the sizes in the plan of local memory: the two tensors overlap"},
    {"TL-LINT-002", kLint, kAdvice, "a result is never read",
     "leave the command out, or read the buffer it writes"},
    {"TL-LINT-003", kLint, kAdvice, "two commands could run at the same time",
     "put them between $parallel_start and $parallel_end"},
    {"TL-LINT-004", kLint, kAdvice, "a preferred condition is missed", "it only costs time"},
    {"TL-LINT-005", kLint, kAdvice, "a layout wastes much of the local memory it reserves",
     "use the compact layout, or move a larger dimension into the channels"},
    {"TL-LINT-006", kLint, kAdvice, "a tensor is read beside where it was written",
     "use the same address and strides for the write and the read"},
    {"TL-LINT-007", kLint, kAdvice, "a part of an input is never read",
     "nothing, if the kernel needs only a part; else look at the address and at the last tile"},
};

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

}  // namespace

std::string_view class_name(FindingClass finding_class) {
  constexpr std::string_view kNames[] = {"args", "memory",   "init", "race",
                                         "sync", "coverage", "lint"};
  return kNames[static_cast<std::size_t>(finding_class)];
}

std::string_view severity_name(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "advice"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string spelled(std::string_view text, std::string_view prefix) {
  std::string result;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find('$'), text.size());
    result += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    const std::size_t end =
        std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_()", 1), text.size());
    const std::string_view name = text.substr(1, end - 1);
    if (prefix.empty()) {
      for (const Chip* chip : all_chips()) {
        if (chip != all_chips().front()) result += " or ";
        result += fmt::format("{}{}", chip->api.prefix, name);
      }
    } else {
      result += fmt::format("{}{}", prefix, name);
    }
    text.remove_prefix(end);
  }
  return result;
}

std::span<const Diagnostic> diagnostics() {
  return kDiagnostics;
}

const Diagnostic& find_diagnostic(std::string_view id) {
  const std::string wanted = upper(id);
  std::vector<std::string_view> ids;
  for (const Diagnostic& diagnostic : kDiagnostics) {
    if (diagnostic.id == wanted) return diagnostic;
    ids.push_back(diagnostic.id);
  }
  user_error("no diagnostic is called '{}'{}", id, did_you_mean(wanted, ids));
}

std::string_view diagnostic_page(const Diagnostic& diagnostic) {
  for (const auto& [id, text] : kPages) {
    if (id == diagnostic.id) return text;
  }
  internal_error_at(__FILE__, __LINE__, fmt::format("no page for {}", diagnostic.id));
}

}  // namespace tensorlane::check
