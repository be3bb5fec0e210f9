#include "tensorlane/conformance/case_runner.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/conformance/case_args.h"
#include "tensorlane/conformance/digest.h"
#include "tensorlane/conformance/element.h"
#include "tensorlane/conformance/machine_image.h"
#include "tensorlane/device/call.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/json/json.h"

namespace tensorlane::conformance {
namespace {

constexpr std::size_t kBatch = 128;
constexpr std::uint64_t kMargin = 256;  // bytes around a case's own that are compared with it

// A returned range_t: two ints, side by side.
std::int64_t range_bits(const Json& range) {
  const auto half = [&](const char* field) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(range.at(field).get<int>()));
  };
  return static_cast<std::int64_t>(half("end") << 32U | half("start"));
}

struct Outcome {
  bool quirk = false;
  std::string why;  // empty: as recorded
};

// A case of a batch; one that others depend on runs even where it is not wanted itself.
struct WaitingCase {
  RecordedCase recorded;
  std::size_t number = 0;
  bool wanted = false;
};

class CaseRunner {
 public:
  CaseRunner(CaseReader& recording, const Chip& chip, const RunOptions& options)
      : recording_(recording),
        front_end_(front_end_of(chip)),
        options_(options),
        memory_(chip),
        image_(chip, front_end_.recorded_memory, memory_),
        session_{.chip = chip,
                 .memory = memory_,
                 .observers = {},
                 .launch = {"conformance", 0, &chip},
                 .choice = options.choice} {}

  Result run();

 private:
  void run_batch();
  Outcome run_case(const RecordedCase& recorded);
  std::string call_and_compare(const RecordedCase& recorded, const Op& op);
  void set_up(const RecordedCase& recorded);
  void place_loads(const RecordedCase& recorded);
  void accept_written();
  void accept_other_nans();
  void accept_gaps(const Operand& operand);
  void accept_expected_places(const RecordedCase& recorded);
  std::string compare_operands(const RecordedCase& recorded);
  std::string compare_operand(const RecordedCase& recorded, const RecordedOperand& operand);
  std::string compare_digests(const RecordedCase& recorded, const RecordedOperand& operand);
  std::string compare_values(const RecordedCase& recorded, const Op& op, const CaseArgs& args,
                             std::int64_t returned) const;
  std::string describe(const Place& place);
  std::string stray_text(const Place& place);
  void count(const WaitingCase& waiting, const Outcome& outcome);

  CaseReader& recording_;
  const FrontEnd& front_end_;
  const RunOptions& options_;
  DeviceMemory memory_;
  MachineImage image_;
  Session session_;
  std::vector<WaitingCase> batch_;
  std::vector<BufferRange> touched_;  // by the case that runs
  bool dirty_ = false;                // a byte outside a case's own has changed
  Result result_;
};

Result CaseRunner::run() {
  RecordedCase recorded;
  for (std::size_t number = 0; recording_.next(recorded); ++number) {
    const bool wanted = recorded.id.find(options_.filter) != std::string::npos &&
                        number % options_.parts == options_.part;
    if (wanted || recorded.in_sequence) batch_.push_back({std::move(recorded), number, wanted});
    if (batch_.size() == kBatch) run_batch();
  }
  run_batch();
  return std::move(result_);
}

void CaseRunner::run_batch() {
  const bool in_parallel_region = session_.in_parallel_region;
  const std::int64_t regions = session_.regions;
  std::vector<Outcome> outcomes;
  dirty_ = false;
  for (const WaitingCase& waiting : batch_) {
    outcomes.push_back(run_case(waiting.recorded));
    if (dirty_) break;
  }
  if (dirty_ || image_.sweep()) {
    image_.restore_all();
    session_.in_parallel_region = in_parallel_region;
    session_.regions = regions;
    outcomes.clear();
    for (const WaitingCase& waiting : batch_) {
      outcomes.push_back(run_case(waiting.recorded));
      if (const auto place = image_.sweep()) {
        if (outcomes.back().why.empty()) outcomes.back().why = stray_text(*place);
        image_.restore_all();
      }
    }
  }
  for (std::size_t k = 0; k < batch_.size(); ++k) count(batch_[k], outcomes[k]);
  batch_.clear();
  if (options_.progress) options_.progress();
}

Outcome CaseRunner::run_case(const RecordedCase& recorded) {
  const Op* const op = front_end_.ops().find(recorded.call.function);
  if (op == nullptr)
    return {false, tr("not implemented: the list of device functions has no such entry")};
  touched_.clear();
  for (const auto* operands : {&recorded.loads, &recorded.expects}) {
    for (const RecordedOperand& operand : *operands)
      touched_.insert(touched_.end(), operand.ranges.begin(), operand.ranges.end());
  }
  for (const BufferRange& range : touched_) {
    if (image_.equal_around(range, kMargin)) continue;
    dirty_ = true;  // an earlier case of the batch did it
    return {};
  }
  Outcome outcome{recorded.vendor_quirk, {}};
  try {
    outcome.why = call_and_compare(recorded, *op);
    if (recorded.refused && outcome.why.empty()) outcome.why = tr("the call is not refused");
  } catch (const UserError& error) {
    if (!recorded.refused) outcome.why = error.what();
  } catch (const std::exception& error) {
    outcome.why = error.what();
  }
  for (const BufferRange& range : touched_) image_.restore(range);
  if (!outcome.why.empty() && image_.sweep()) dirty_ = true;
  return outcome;
}

std::string CaseRunner::call_and_compare(const RecordedCase& recorded, const Op& op) {
  const CaseArgs args = decode_args(front_end_, op, recorded.call.args, image_.system_buffers());
  set_up(recorded);
  place_loads(recorded);
  const std::uint64_t commands = session_.commands;
  const std::int64_t returned = call_in_session(&session_, op, args.args, nullptr, session_.chip);
  if (!session_.in_parallel_region) session_.poll(nullptr);
  if (!recorded.vendor_quirk) {
    std::string why = compare_operands(recorded);
    if (!why.empty()) return why;
  } else if (session_.commands != commands) {
    accept_written();
    if (!recorded.exception.empty()) accept_expected_places(recorded);
  }
  for (const BufferRange& range : touched_) {
    if (const auto place = image_.difference_around(range, kMargin)) return stray_text(*place);
  }
  return recorded.vendor_quirk ? std::string() : compare_values(recorded, op, args, returned);
}

void CaseRunner::set_up(const RecordedCase& recorded) {
  for (const CaseCall& call : recorded.setup) {
    const Op* const op = front_end_.ops().find(call.function);
    if (op == nullptr) user_error("{} of the setup is not implemented", call.function);
    const std::uint64_t commands = session_.commands;
    const CaseArgs args = decode_args(front_end_, *op, call.args, image_.system_buffers());
    call_in_session(&session_, *op, args.args, nullptr, session_.chip);
    session_.poll(nullptr);
    if (session_.commands != commands) accept_written();
  }
}

void CaseRunner::place_loads(const RecordedCase& recorded) {
  for (const RecordedOperand& operand : recorded.loads) {
    for (const BufferRange& range : operand.ranges) {
      const auto bytes = recording_.bytes(range);
      std::ranges::copy(bytes, image_.actual(range).begin());
      std::ranges::copy(bytes, image_.expected(range).begin());
    }
  }
}

// What the last command wrote into its operands, by their layouts, is taken as right.
void CaseRunner::accept_written() {
  if (session_.latest == nullptr) return;
  for (const Operand& operand : session_.latest->operands()) {
    if (!operand.writes()) continue;
    const auto npu_bytes = static_cast<std::uint64_t>(session_.chip.local.npu_bytes);
    for (const ByteRun& run : operand.layout.byte_runs()) {
      const auto offset =
          static_cast<std::uint64_t>(run.npu) * npu_bytes + static_cast<std::uint64_t>(run.offset);
      const auto range =
          image_.range_of(operand.space, offset, static_cast<std::uint64_t>(run.bytes));
      if (!range) continue;  // the sweep will find it
      std::ranges::copy(image_.actual(*range), image_.expected(*range).begin());
      touched_.push_back(*range);
    }
  }
}

// Where any NaN does, one that a result was and still is counts too: a recording may hold nothing
// but the bytes that changed.
void CaseRunner::accept_other_nans() {
  if (session_.latest == nullptr) return;
  for (const Operand& operand : session_.latest->operands()) {
    const Dtype dtype = operand.layout.dtype();
    if (!operand.writes() || !dtype_info(dtype).is_float) continue;
    const auto step = static_cast<std::size_t>(dtype_bytes(dtype));
    const auto npu_bytes = static_cast<std::uint64_t>(session_.chip.local.npu_bytes);
    for (const ByteRun& run : operand.layout.byte_runs()) {
      const auto offset =
          static_cast<std::uint64_t>(run.npu) * npu_bytes + static_cast<std::uint64_t>(run.offset);
      const auto range =
          image_.range_of(operand.space, offset, static_cast<std::uint64_t>(run.bytes));
      if (!range) continue;
      const std::span<std::byte> actual = image_.actual(*range), expected = image_.expected(*range);
      for (std::size_t at = 0; at + step <= actual.size(); at += step) {
        if (both_nan(dtype, actual.subspan(at, step), expected.subspan(at, step)))
          std::ranges::copy(actual.subspan(at, step), expected.subspan(at, step).begin());
      }
    }
  }
}

// An exception may write what it likes where the recording has results, and between the elements of
// its own.
void CaseRunner::accept_expected_places(const RecordedCase& recorded) {
  for (const RecordedOperand& operand : recorded.expects) {
    for (const BufferRange& range : operand.ranges)
      std::ranges::copy(image_.actual(range), image_.expected(range).begin());
  }
  for (const Operand& operand : session_.latest->operands()) {
    if (operand.writes()) accept_gaps(operand);
  }
}

void CaseRunner::accept_gaps(const Operand& operand) {
  const ByteRun* before = nullptr;
  const std::vector<ByteRun> runs = operand.layout.byte_runs();
  for (const ByteRun& run : runs) {
    const bool follows = before != nullptr && before->npu == run.npu;
    const std::int64_t end = follows ? before->offset + before->bytes : run.offset;
    before = &run;
    if (end >= run.offset) continue;
    const auto npu_bytes = static_cast<std::uint64_t>(session_.chip.local.npu_bytes);
    const auto offset =
        static_cast<std::uint64_t>(run.npu) * npu_bytes + static_cast<std::uint64_t>(end);
    const auto gap = static_cast<std::uint64_t>(run.offset - end);
    if (const auto range = image_.range_of(operand.space, offset, gap))
      std::ranges::copy(image_.actual(*range), image_.expected(*range).begin());
  }
}

std::string CaseRunner::compare_operands(const RecordedCase& recorded) {
  for (const RecordedOperand& operand : recorded.expects) {
    for (const BufferRange& range : operand.ranges) {
      if (!operand.must_match)
        std::ranges::copy(image_.actual(range), image_.expected(range).begin());
    }
  }
  for (const RecordedOperand& operand : recorded.expects) {
    for (const BufferRange& range : operand.ranges) {
      if (operand.must_match && operand.digest_bytes == 0)
        std::ranges::copy(recording_.bytes(range), image_.expected(range).begin());
    }
  }
  if (recorded.any_nan) accept_other_nans();
  for (const RecordedOperand& operand : recorded.expects) {
    if (!operand.must_match) continue;
    std::string why = operand.digest_bytes == 0 ? compare_operand(recorded, operand)
                                                : compare_digests(recorded, operand);
    if (!why.empty()) return why;
  }
  return {};
}

std::string CaseRunner::compare_operand(const RecordedCase& recorded,
                                        const RecordedOperand& operand) {
  const auto step = static_cast<std::size_t>(dtype_bytes(recorded.dtype));
  std::optional<Place> first;
  std::size_t bytes = 0;
  for (const BufferRange& range : operand.ranges) {
    const std::span<std::byte> actual = image_.actual(range), expected = image_.expected(range);
    if (std::memcmp(actual.data(), expected.data(), actual.size()) == 0) continue;
    if (recorded.any_nan || recorded.tolerance) {
      for (std::size_t at = 0; at + step <= actual.size(); at += step) {
        const auto element = actual.subspan(at, step), wanted = expected.subspan(at, step);
        if (acceptable(recorded, element, wanted)) std::ranges::copy(element, wanted.begin());
      }
    }
    for (std::size_t at = 0; at < actual.size(); ++at) {
      if (actual[at] == expected[at]) continue;
      if (!first) first = image_.place(range, at);
      ++bytes;
    }
  }
  if (!first) return {};
  return tr("{} is not as recorded, {} of its bytes; the first difference:\n{}", operand.param,
            bytes, describe(*first));
}

std::string CaseRunner::compare_digests(const RecordedCase& recorded,
                                        const RecordedOperand& operand) {
  const std::optional<Dtype> floats =
      recorded.any_nan ? std::optional(recorded.dtype) : std::nullopt;
  for (const BufferRange& range : operand.ranges) {
    const std::span<std::byte> actual = image_.actual(range);
    for (std::uint64_t at = 0; at < actual.size(); at += operand.digest_bytes) {
      const auto piece =
          actual.subspan(at, std::min<std::uint64_t>(operand.digest_bytes, actual.size() - at));
      if (digest(piece, floats) != recording_.digest(range, at / operand.digest_bytes)) {
        return tr(
            "{} is not as recorded: the digest of the {} bytes from {} on differs, and the "
            "recording holds no more",
            operand.param, piece.size(), image_.place(range, at).text);
      }
    }
    std::ranges::copy(actual, image_.expected(range).begin());
  }
  return {};
}

std::string CaseRunner::compare_values(const RecordedCase& recorded, const Op& op,
                                       const CaseArgs& args, std::int64_t returned) const {
  if (!recorded.returns.is_null()) {
    const std::int64_t expected = recorded.returns.is_object() ? range_bits(recorded.returns)
                                  : recorded.returns.is_boolean()
                                      ? static_cast<std::int64_t>(recorded.returns.get<bool>())
                                  : recorded.returns.is_string()
                                      ? std::stoll(recorded.returns.get<std::string>(), nullptr, 16)
                                      : recorded.returns.get<std::int64_t>();
    if (returned != expected) {
      return tr("returned {0} (0x{0:x}), recorded {1} (0x{1:x})", returned, expected);
    }
  }
  if (recorded.outs.is_null()) return {};
  for (const auto& [name, fields] : recorded.outs.items()) {
    const Param& param = op.params()[static_cast<std::size_t>(op.param(name))];
    const Arg& arg = args.args[static_cast<std::size_t>(op.param(name))];
    for (const auto& [field, value] : fields.items()) {
      const int index = field_index(arg_type(param.type), field);
      TL_INTERNAL_CHECK(index >= 0);
      const int actual = static_cast<const int*>(arg.pointer)[index];
      if (actual != value.get<int>()) {
        return tr("{}->{} is {}, recorded {}", name, field, actual, value.get<int>());
      }
    }
  }
  return {};
}

// The element at a place, or the byte where it belongs to none, as it is and as it should be.
std::string CaseRunner::describe(const Place& place) {
  const auto values = [&](std::uint64_t offset, Dtype dtype) {
    const auto range =
        image_.range_of(place.space, offset, static_cast<std::uint64_t>(dtype_bytes(dtype)));
    if (!range) return std::string();
    return tr("\n    expected {}\n    got      {}", element_text(dtype, image_.expected(*range)),
              element_text(dtype, image_.actual(*range)));
  };
  const std::span<const Operand> operands =
      session_.latest == nullptr ? std::span<const Operand>() : session_.latest->operands();
  for (const Operand& operand : operands) {
    if (!operand.writes() || operand.space != place.space) continue;
    const Layout& layout = operand.layout;
    const auto index = layout.element_at(static_cast<std::int64_t>(place.offset));
    if (!index) continue;
    const std::span<const std::int64_t> indices(index->data(),
                                                static_cast<std::size_t>(layout.rank()));
    std::int64_t number = 0;
    for (int dim = 0; dim < layout.rank(); ++dim)
      number = number * layout.extent(dim) + indices[static_cast<std::size_t>(dim)];
    const auto address = static_cast<std::uint64_t>(layout.address(indices));
    const auto range = image_.range_of(place.space, address, 1);
    return tr("  {}, element {} ({}) of {}{}", range ? image_.place(*range, 0).text : place.text,
              number, fmt::join(indices, ", "), operand.name(), values(address, layout.dtype()));
  }
  return tr("  {}, in no element of the result{}", place.text, values(place.offset, Dtype::kX8));
}

std::string CaseRunner::stray_text(const Place& place) {
  return tr("a byte outside the recorded results changed:\n{}", describe(place));
}

void CaseRunner::count(const WaitingCase& waiting, const Outcome& outcome) {
  if (!waiting.wanted) return;
  const RecordedCase& recorded = waiting.recorded;
  const std::string& name = recorded.call.function;
  CaseResult one{.number = waiting.number,
                 .id = recorded.id,
                 .function = name,
                 .quirk = outcome.quirk,
                 .call = {},
                 .why = outcome.why,
                 .exception = recorded.exception};
  if (!one.why.empty()) one.call = call_text(name, recorded.call.args, session_.chip);
  add_case(result_, one);
  if (options_.each) options_.each(one);
}

}  // namespace

void add_case(Result& result, const CaseResult& one) {
  auto found = std::ranges::find(result.functions, one.function, &FunctionResult::name);
  if (found == result.functions.end())
    found = result.functions.insert(found, FunctionResult{one.function, {}});
  for (Counts* counts : {&found->counts, &result.total})
    ++(!one.why.empty() ? counts->failed : one.quirk ? counts->quirk : counts->passed);
  if (!one.exception.empty()) result.exceptions.push_back(one.id + ": " + one.exception);
  if (!one.why.empty()) result.failures.push_back({one.id, one.function, one.call, one.why});
}

Result run_cases(CaseReader& recording, const Chip& chip, const RunOptions& options) {
  return CaseRunner(recording, chip, options).run();
}

const FrontEnd& recorded_front_end(const std::string& folder) {
  RecordedCase first;
  if (CaseReader(folder).next(first)) {
    if (const FrontEnd* const found = front_end_of_function(first.call.function)) return *found;
  }
  user_error("'{}' calls no functions that TensorLane knows", folder);
}

}  // namespace tensorlane::conformance
