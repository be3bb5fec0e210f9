// Values that differ from what somebody expects: a reference file of the user, or tl_expect.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/device/argument_struct.h"
#include "tensorlane/device/running_kernel.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/strided_copy.h"
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kExpectDiagnostics[] = {
    {"TL-EXPECT-001", kError, msg("values differ from the reference, or nobody reads them"),
     msg("follow the first one back: tensorlane why; where all are nearly right, --precision")},
};

class ExpectCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void launch_begin() override { named_ = false; }
  [[gnu::hot]] void command(const trail::CheckedCommand&) override { find_names(); }
  [[gnu::hot]] void sync(SyncEvent, const void*) override { find_names(); }
  void host_read(const HostRead& read) override;
  void stated(const Statement& statement) override;
  void device_end() override;

 private:
  void find_names();
  void meet(Expectation& expectation, std::int64_t offset, const HostRead& read);
  bool is_read(const Expectation& expectation, const HostRead& read, std::int64_t& offset);
  std::vector<double> values_at(std::int64_t offset, Dtype dtype, std::size_t count) const;

  bool named_ = false;                          // in this launch
  std::map<std::string, std::int64_t> places_;  // where tensors with names are, in global memory
  std::string kernel_;                          // that the fields are of
  std::vector<std::string> fields_;             // of the latest struct of arguments
  std::string mismatch_;                        // of a struct that is not the one the host passes
  std::uint64_t reads_ = 0;                     // of the host
  std::map<const Expectation*, std::uint64_t> seen_;  // how often the host has read it
};

// The kernel's variables are known while it runs, so its first call of the device finds them.
void ExpectCheck::find_names() {
  if (named_ || facts().expectations == nullptr || running_kernel() == nullptr) return;
  named_ = true;
  const std::span<const std::byte> args = facts().scene.arguments;
  const std::vector<ArgumentStruct> structs =
      argument_structs(running_kernel()->function, facts().scene.launch->kernel);
  const auto fits = std::ranges::find(structs, args.size(), &ArgumentStruct::bytes);
  if (fits == structs.end()) {
    if (mismatch_.empty()) mismatch_ = argument_mismatch(structs, args.size());
    return;
  }
  kernel_ = facts().scene.launch->kernel;
  fields_.clear();
  const Region& global = chip().region(Space::kGlobal);
  for (const ArgumentStruct::Field& field : fits->fields) {
    if (!field.may_be_address()) continue;
    std::uint64_t address = 0;
    std::memcpy(&address, args.data() + field.offset, sizeof address);
    if (address < global.begin || address - global.begin >= global.bytes) continue;
    fields_.push_back(field.name);
    places_[field.name] = static_cast<std::int64_t>(address - global.begin);
  }
}

bool ExpectCheck::is_read(const Expectation& expectation, const HostRead& read,
                          std::int64_t& offset) {
  const OutputName& output = expectation.output;
  if (output.read) {
    offset = read.bytes.begin;
    return *output.read == reads_;
  }
  if (output.name.empty()) {
    offset = read.bytes.begin;
    return read.bytes.bytes() == expectation.bytes();
  }
  const auto found = places_.find(output.name);
  if (found == places_.end()) return false;
  offset = found->second;
  return read.bytes.begin < offset + expectation.bytes() && offset < read.bytes.end;
}

void ExpectCheck::host_read(const HostRead& read) {
  if (facts().expectations == nullptr || facts().memory == nullptr) return;
  for (Expectation& expectation : facts().expectations->list) {
    std::int64_t offset = 0;
    if (!is_read(expectation, read, offset)) continue;
    if (seen_[&expectation]++ == expectation.output.time) meet(expectation, offset, read);
  }
  ++reads_;
}

std::vector<double> ExpectCheck::values_at(std::int64_t offset, Dtype dtype,
                                           std::size_t count) const {
  const std::byte* const memory = facts().memory->base(Space::kGlobal) + offset;
  const std::size_t bytes = (count * static_cast<std::size_t>(dtype_bits(dtype)) + 7) / 8;
  return compare::elements_of(dtype, {memory, bytes}, count);
}

// What differs, in the lines of a finding.
void describe_differences(Finding& finding, const std::string& what,
                          const compare::Comparison& comparison) {
  finding.message =
      tr("{}: {} of {} elements differ", what, comparison.differing, comparison.elements);
  finding.notes = compare::comparison_lines(comparison);
}

// Elements that differ and such that agree, spread over the tensor and beside the first that
// differs: what they have in common and what not says where it comes from. Elements of half a byte
// have no address of their own.
std::vector<std::size_t> samples_of(const std::vector<double>& values,
                                    const Expectation& expectation, std::size_t first) {
  constexpr std::size_t kOfEach = 7;
  if (dtype_bits(expectation.dtype) < 8) return {};
  std::vector<std::size_t> of[2];
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool agrees = compare::agree(values[k], expectation.values[k], expectation.tolerance);
    if (k != first) of[agrees ? 1 : 0].push_back(k);
  }
  std::vector<std::size_t> samples;
  for (const std::vector<std::size_t>& all : of) {
    const std::size_t count = std::min(kOfEach, all.size());
    for (std::size_t k = 0; k < count; ++k) samples.push_back(all[k * all.size() / count]);
    // The nearest one, before or behind.
    const auto after = std::ranges::lower_bound(all, first);
    if (after != all.end()) samples.push_back(*after);
    if (after != all.begin()) samples.push_back(*std::prev(after));
  }
  std::ranges::sort(samples);
  samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
  return samples;
}

void ExpectCheck::meet(Expectation& expectation, std::int64_t offset, const HostRead& read) {
  expectation.met = true;
  const std::string name =
      expectation.output.text.empty() ? fmt::format("read:{}", reads_) : expectation.output.text;
  const std::string what = tr("{} against {}", name, expectation.file);
  const Report::Key key{"TL-EXPECT-001", read.caller.call_site, &expectation, 0,
                        facts().missing.cause(read.block.number)};
  const std::int64_t room = read.block.bytes.end - offset;
  if (room < expectation.bytes()) {
    sink().add(key, [&](Finding& finding) {
      finding.message = tr("{}: the reference is {} {}, {}, and the allocation has {}", what,
                           shape_text(expectation.shape), dtype_name(expectation.dtype),
                           bytes_text(expectation.bytes()), bytes_text(room));
      finding.repair =
          tr("give the shape that the output has; its type, where the file cannot hold "
             "it, is said behind the name: --output NAME:bf16");
    });
    return;
  }
  const std::vector<double> values =
      values_at(offset, expectation.dtype, expectation.values.size());
  const compare::Comparison comparison =
      compare::compare(values, expectation.values, expectation.shape, expectation.tolerance);
  MetExpectation met{what + ": " + compare::comparison_lines(comparison).front(),
                     comparison.differing == 0,
                     reads_,
                     std::nullopt,
                     std::nullopt,
                     {},
                     expectation.dtype};
  const std::int64_t bits = dtype_bits(expectation.dtype);
  if (!met.holds) {
    met.address = chip().region(Space::kGlobal).begin +
                  static_cast<std::uint64_t>(offset + comparison.first.at * bits / 8);
    met.expected = expectation.values[static_cast<std::size_t>(comparison.first.at)];
    for (const std::size_t at :
         samples_of(values, expectation, static_cast<std::size_t>(comparison.first.at)))
      met.samples.push_back(
          {chip().region(Space::kGlobal).begin +
               static_cast<std::uint64_t>(offset + static_cast<std::int64_t>(at) * bits / 8),
           expectation.values[at],
           !compare::agree(values[at], expectation.values[at], expectation.tolerance)});
  }
  if (facts().expectations->met) {
    const auto& launch = facts().scene.launch;
    facts().expectations->met(met, launch ? launch->device : 0);
  }
  if (met.holds) return;
  sink().add(key, [&](Finding& finding) { describe_differences(finding, what, comparison); });
}

void ExpectCheck::stated(const Statement& statement) {
  if (statement.kind == Statement::Kind::kName) {
    if (statement.space == Space::kGlobal)
      places_[std::string(statement.text)] = statement.layout.base();
    return;
  }
  if (statement.kind != Statement::Kind::kExpect || facts().memory == nullptr) return;
  tensorlane::Shape shape;
  for (int dim = 0; dim < statement.layout.rank(); ++dim)
    shape.push_back(statement.layout.extent(dim));
  const auto count = static_cast<std::size_t>(statement.layout.size());
  const std::vector<double> want =
      compare::elements_of(statement.reference_dtype, statement.reference, count);
  const double largest = compare::largest_magnitude(want);
  const Dtype dtype = statement.layout.dtype();
  const compare::Tolerance tolerance =
      statement.text.empty() ? compare::default_tolerance(dtype, largest)
                             : compare::parse_tolerance(statement.text, dtype, largest);
  OperandSpec spec;
  Operand operand{.spec = &spec, .space = statement.space, .layout = statement.layout};
  const Tensor got =
      inspect::OperandElements(operand, facts().memory->base(statement.space)).tensor();
  const compare::Comparison comparison =
      compare::compare(compare::elements_of(dtype, got.data, count), want, shape, tolerance);
  if (comparison.differing == 0) return;
  sink().add({"TL-EXPECT-001", statement.call_site, nullptr, 1}, [&](Finding& finding) {
    describe_differences(finding, "tl_expect", comparison);
    finding.locations.push_back(make_location("call", "tl_expect", statement.call_site));
  });
}

void ExpectCheck::device_end() {
  if (facts().expectations == nullptr) return;
  int number = 0;
  for (Expectation& expectation : facts().expectations->list) {
    ++number;
    if (expectation.met.exchange(true)) continue;
    sink().add({"TL-EXPECT-001", nullptr, &expectation, number}, [&](Finding& finding) {
      const OutputName& output = expectation.output;
      finding.kernel.clear();
      finding.repair =
          tr("name the field of the kernel's arguments that holds the address, or read:N");
      finding.message =
          tr("{} was never read, so that {} was compared with nothing",
             output.text.empty() ? tr("{} at once", bytes_text(expectation.bytes())) : output.text,
             expectation.file);
      finding.notes.push_back(labelled("reads", tr("{} by the host", reads_)));
      if (output.name.empty() || places_.contains(output.name)) return;
      const std::vector<std::string_view> names(fields_.begin(), fields_.end());
      finding.notes.push_back(
          kernel_.empty() && !mismatch_.empty()
              ? labelled("names", tr("the struct of the kernel is another than that of the host: "
                                     "{}; give both the same struct",
                                     mismatch_))
          : kernel_.empty()
              ? labelled("names", tr("no kernel with debug information ran: compile it with -g, or "
                                     "name the output read:N"))
              : labelled("names", tr("of addresses in the arguments of '{}': {}{}", kernel_,
                                     fmt::join(names, ", "), did_you_mean(output.name, names))));
    });
  }
}

}  // namespace

CheckParts expect_check() {
  return parts_of<ExpectCheck>(kExpectDiagnostics);
}

}  // namespace tensorlane::check
