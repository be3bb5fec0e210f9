// Where precision goes: a shadow of every computed element in double precision, beside the exact
// results.
//
// Every arithmetic command is carried out a second time in real numbers, by its meaning
// (meaning.h), on the shadows of its sources. What its own rounding adds to the error enters at its
// source line; what the result differs from its shadow by is handed on. Each shadow keeps the two
// lines that its error is owed to most, so that for an element that the host reads the line that
// cost most is known. To first order: errors are small beside the values.
//
// A function without a real meaning, or whose results have little to do with it, starts anew from
// the exact result; that is said, once per line.
#ifndef TENSORLANE_OBSERVE_PRECISION_PRECISION_H_
#define TENSORLANE_OBSERVE_PRECISION_PRECISION_H_

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tensorlane/device/device.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/precision/meaning.h"
#include "tensorlane/observe/precision/results.h"
#include "tensorlane/trail/shadow_memory.h"

namespace tensorlane::precision {

// What a line did to its results.
struct LineErrors {
  const void* call_site = nullptr;
  std::string_view function = {};
  std::uint64_t calls = 0, elements = 0;
  // Sums of squares: of the values, of the error that entered, of the error handed on, and of what
  // the values would be off by, were they as far off as the worst source.
  double values = 0, entered = 0, handed_on = 0, arrived = 0;
  std::uint64_t overflows = 0, flushed = 0, saturated = 0;
  std::uint64_t unknown = 0;  // calls without a shadow
  double share = 0;           // of the errors of what the host reads

  // What a part of a result adds.
  void add(const LineErrors& part);
};

// What the host read, and the element that is worst.
struct ReadErrors {
  const void* call_site = nullptr;
  std::string_view function = {};
  std::uint64_t elements = 0;
  double values = 0, errors = 0;  // sums of squares
  std::uint64_t not_finite = 0;
  std::uint64_t address = 0;  // of the worst
  double got = 0, real = 0, part = 0;
  std::uint16_t line = trail::Blame::kNobody;
};

// What is carried out in double precision, where that is not everything. What is left out starts
// anew from the exact result, and is not told of; what is moved takes its shadows along.
struct Limits {
  std::function<bool(const Launch&)> launch = {};    // asked at its begin; none: every one
  std::function<bool(const Command&)> command = {};  // none: every one
  // Of each result a part of at most so many elements, its first ones in every dimension; 0: all.
  std::int64_t elements = 0;
};

class Precision : public Observer {
 public:
  // `deliver` gets the results when the device ends; see precision_report.h for their form.
  using Deliver = std::function<void(const Json&)>;
  Precision(const Chip& chip, const DeviceMemory& memory, int device, Deliver deliver,
            Limits limits = {});
  ~Precision() override;

  void launch_begin(const Launch& launch) override {
    seen_ = launch.accesses_seen;
    wanted_ = !limits_.launch || limits_.launch(launch);
  }
  void launch_end(const Launch&, Outcome) override { shadows_.select_core(0); }
  void core_selected(int core) override { shadows_.select_core(core); }
  void command_begin(const Command& command) override;
  void command_end(const Command& command) override;
  void pointer_taken(Space space, std::uint64_t offset, const void* call_site) override;
  void processor_access(const ProcessorAccess& access) override;
  bool watches(Space space, std::uint64_t offset, std::uint64_t bytes) const override;
  void host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                   const HostCaller& caller) override;
  void host_copied(const DeviceCopy& copy, const HostCaller& caller) override;
  void allocated(std::uint64_t offset, std::uint64_t bytes, const HostCaller& caller) override;

  // The results so far.
  std::vector<LineErrors> lines() const;
  const std::map<const void*, ReadErrors>& reads() const { return reads_; }
  // What an element would hold in real numbers; nothing where it holds what it should.
  std::optional<double> real_value(Space space, std::uint64_t offset, Dtype dtype) const;

 private:
  const Meaning& meaning_of(const Op& op);
  std::uint16_t line_of(const Command& command);
  bool loses_error(const Command& command) const;
  // A result after the command: what entered, what is handed on, the shadows.
  void judge(const RealResult& made, std::uint16_t line);
  // Its elements from `begin` on, as many as there is room for shadows; without a type: right ones.
  static void judge_row(const RealResult& made, std::span<const double> got, std::size_t begin,
                        std::uint16_t line, std::span<trail::Shadow> shadows, LineErrors& errors);
  bool has_little_to_do(const RealResult& made, std::span<const double> got) const;
  void write(const MovedResult& moved);
  void forget(const Operand& operand);

  const Chip& chip_;
  const DeviceMemory& memory_;
  const int device_;
  const Deliver deliver_;
  const Limits limits_;
  bool seen_ = false;   // the processor's accesses in this launch
  bool wanted_ = true;  // this launch
  trail::ShadowMemory shadows_;
  std::unordered_map<const Op*, Meaning> meanings_;
  std::vector<LineErrors> lines_;
  std::unordered_map<const void*, std::uint16_t> line_numbers_;
  std::map<const void*, ReadErrors> reads_;  // by place
  // Of the command in hand.
  bool left_out_ = false;
  Command part_;  // that is carried out, where that is not all of it
  std::optional<RealResult> made_;
  std::vector<MovedResult> moved_;
};

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_PRECISION_H_
