#include "tensorlane/observe/why_tool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/device/argument_struct.h"
#include "tensorlane/device/running_kernel.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/check/finding_json.h"
#include "tensorlane/observe/report_file.h"
#include "tensorlane/observe/why/past.h"
#include "tensorlane/observe/why/question.h"
#include "tensorlane/observe/why/suspects.h"

namespace tensorlane::observe {
namespace {

using trail::Writer;

// The moment that is asked about: before the event of that number.
struct Moment {
  Writer before;
  std::string text;
};

// A read of the host that covers the place.
struct Read {
  std::uint64_t number;
  std::int64_t offset, bytes;  // of the place in what is read
  HostCaller caller;
  Writer before;
};

// "1x64x4x8"
std::string extents_text(const Layout& layout) {
  std::string text;
  for (int dim = 0; dim < layout.rank(); ++dim)
    text += fmt::format("{}{}", dim == 0 ? "" : "x", layout.extent(dim));
  return text;
}

class WhyTool : public why::Past {
 public:
  WhyTool(Device& device, why::Question question, int number, Say say)
      : Past(device.chip(), device.memory(), question.memory_bytes),
        question_(std::move(question)),
        number_(number),
        say_(std::move(say)) {
    for (const why::Question::Open& open : question_.open) stop_ = std::max(stop_, open.event);
    if (question_.name.empty()) {
      try {
        place_ = inspect::place_on(chip_, inspect::parse_place(question_.place, "place"), "place");
      } catch (const UserError& error) {
        error_ = error.what();
      }
    }
  }
  ~WhyTool() override {
    try {
      append_report(answer());
    } catch (const std::exception& error) {
      report_problem(error.what(), say_);
    }
  }
  WhyTool(const WhyTool&) = delete;
  WhyTool& operator=(const WhyTool&) = delete;

  void launch_begin(const Launch& launch) override {
    // Of several cores the first one's.
    args_ = launch.args.first(launch.args.size() / static_cast<std::size_t>(launch.cores));
    named_ = question_.name.empty() || of_read();
    kernel_ = launch.kernel;
    launch_ = launch.number;
    Past::launch_begin(launch);
  }
  void launch_end(const Launch& launch, Outcome outcome) override {
    find_name();
    if (question_.launch == launch.number)
      moment_ = {history_.next(), tr("at the end of launch {}", launch.number)};
    launches_ = launch.number + 1;
    args_ = {};
    Past::launch_end(launch, outcome);
  }
  void command_begin(const Command& command) override {
    find_name();
    Past::command_begin(command);
  }
  void sync(SyncEvent, std::int64_t, const void*) override { find_name(); }

  void host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                   const HostCaller& caller) override {
    const auto begin = static_cast<std::int64_t>(offset);
    if (access == HostAccess::kRead && bytes > 0)
      note_read({begin, begin + static_cast<std::int64_t>(bytes)}, caller);
    Past::host_access(access, offset, bytes, caller);
  }
  void stated(const Statement& statement) override;

 private:
  // Whether the tensor is what the host reads at the moment that is asked about.
  bool of_read() const { return question_.name.starts_with("read:"); }
  void find_name();
  void set_place(const std::string& found_in, std::uint64_t address);
  std::string beyond_tensor(const std::string& found_in, std::int64_t number, std::uint64_t address,
                            const inspect::Place& place) const;
  void note_read(trail::Range bytes, const HostCaller& caller);
  // A run that only goes on where another one stopped is answered when it comes there.
  void before_event() override {
    if (stop_ != 0 && history_.next() > stop_ && !steps_) steps_ = answer_open();
  }
  Json answer_open();
  Json answer();
  std::optional<Moment> moment() const;
  std::vector<why::Target> targets() const;
  std::string missing(bool has_moment) const;

  const why::Question question_;
  const int number_;
  const Say say_;
  Writer stop_ = 0;  // the event to be answered at; 0: the end
  std::optional<Json> steps_;

  std::optional<inspect::Place> place_;
  std::string error_;
  std::uint64_t reads_ = 0, launches_ = 0;
  std::optional<Read> read_;      // the last that covers the place
  std::optional<Moment> moment_;  // where a read or a launch was named
  bool named_ = true;             // the arguments of this launch were looked through
  std::span<const std::byte> args_;
  std::string kernel_;
  std::uint64_t launch_ = 0;
  std::vector<std::string> names_;  // of the fields seen
  std::string mismatch_;            // of a struct that is not the one the host passes
};

// The kernel's variables are known while it runs, so its first call of the device finds them.
void WhyTool::find_name() {
  if (named_ || running_kernel() == nullptr) return;
  named_ = true;
  const auto structs = argument_structs(running_kernel()->function, kernel_);
  const auto fits = std::ranges::find(structs, args_.size(), &ArgumentStruct::bytes);
  if (fits == structs.end()) {
    if (mismatch_.empty()) mismatch_ = argument_mismatch(structs, args_.size());
    return;
  }
  for (const ArgumentStruct::Field& field : fits->fields) {
    if (!field.may_be_address()) continue;
    std::uint64_t address = 0;
    std::memcpy(&address, args_.data() + field.offset, sizeof address);
    const auto found = chip_.find(address);
    if (!found || found->space != Space::kGlobal) continue;
    if (std::ranges::find(names_, field.name) == names_.end()) names_.push_back(field.name);
    // Of the launch that is asked about, or the latest one before the moment.
    const bool asked = question_.launch ? *question_.launch == launch_ : !moment_;
    if (field.name == question_.name && asked) set_place(field.name, address);
  }
}

// Where element question_.element of a tensor at `address` lies, whose elements follow each other.
void WhyTool::set_place(const std::string& found_in, std::uint64_t address) {
  if (question_.element.size() > 1 && question_.shape.empty()) {
    error_ = tr("{} has no known shape: give --shape, or count elements by one number", found_in);
    return;
  }
  std::int64_t number = 0;
  for (std::size_t dim = 0; dim < question_.element.size(); ++dim) {
    const std::int64_t extent = question_.shape.empty() ? 1 : question_.shape[dim];
    number = number * extent + question_.element[dim];
  }
  const std::int64_t bits = number * dtype_bits(parse_dtype(question_.dtype));
  const auto place = chip_.find(address + static_cast<std::uint64_t>(bits / 8));
  if (!place) {
    error_ = tr("element {} of {} is in no memory", number, found_in);
    return;
  }
  const inspect::Place found{place->space, place->offset, static_cast<int>(bits % 8)};
  if (std::string outside = beyond_tensor(found_in, number, address, found); !outside.empty()) {
    error_ = std::move(outside);
    return;
  }
  if (place_ != found) read_.reset();
  place_ = found;
}

// Of an element that lies beyond the allocation that the tensor begins in. Empty where it does not.
std::string WhyTool::beyond_tensor(const std::string& found_in, std::int64_t number,
                                   std::uint64_t address, const inspect::Place& place) const {
  const auto begin = chip_.find(address);
  if (!begin || begin->space != Space::kGlobal) return {};
  const auto at = static_cast<std::int64_t>(begin->offset);
  const trail::Allocation* const allocation = allocations_.find(at, history_.next());
  if (allocation == nullptr || static_cast<std::int64_t>(place.offset) < allocation->bytes.end)
    return {};
  const std::int64_t bits = dtype_bits(parse_dtype(question_.dtype));
  const std::int64_t elements = (allocation->bytes.end - at) * 8 / bits;
  return tr(
      "element {} of {} is out of range: {} elements of {} lie between its address and the "
      "end of its allocation",
      number, found_in, elements, question_.dtype);
}

// A tensor that the program names has a layout of its own.
void WhyTool::stated(const Statement& statement) {
  if (statement.kind != Statement::Kind::kName || statement.text != question_.name || moment_)
    return;
  const Layout& layout = statement.layout;
  bool inside = static_cast<int>(question_.element.size()) == layout.rank();
  Layout::Index index{};
  for (int dim = 0; dim < layout.rank() && inside; ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    index[d] = question_.element[d];
    inside = index[d] < layout.extent(dim);
  }
  if (!inside) {
    error_ = tr("{} has {} dimensions of {}, and no element [{}]", question_.name, layout.rank(),
                extents_text(layout), fmt::join(question_.element, ","));
    return;
  }
  error_.clear();
  const std::int64_t bit = layout.address(index) * layout.unit_bits();
  place_ = {statement.space, static_cast<std::uint64_t>(bit / 8), static_cast<int>(bit % 8)};
  read_.reset();
}

void WhyTool::note_read(trail::Range bytes, const HostCaller& caller) {
  const std::uint64_t number = reads_++;
  if (question_.read == number && of_read()) {
    set_place(question_.name,
              chip_.region(Space::kGlobal).begin + static_cast<std::uint64_t>(bytes.begin));
  }
  if (question_.read == number)
    moment_ = {history_.next(), tr("when the host read it (read {})", number)};
  if (!place_ || place_->space != Space::kGlobal) return;
  const auto at = static_cast<std::int64_t>(place_->offset);
  if (at < bytes.begin || at >= bytes.end) return;
  if (!question_.read || question_.read == number)
    read_ = {number, at - bytes.begin, bytes.bytes(), caller, history_.next()};
}

std::optional<Moment> WhyTool::moment() const {
  if (question_.read || question_.launch) return moment_;
  if (!question_.at_end && read_)
    return Moment{read_->before, tr("when the host read it for the last time")};
  return Moment{history_.next(), tr("at the end of the program")};
}

// What is known of the values that should stand there.
std::vector<why::Target> WhyTool::targets() const {
  if (!question_.expected) return {};
  const Dtype dtype = parse_dtype(question_.dtype);
  std::vector<why::Target> all = {{*place_, dtype, *question_.expected, true}};
  const auto global = chip_.region(Space::kGlobal).begin;
  for (const why::Question::Sample& each : question_.samples)
    all.push_back({{Space::kGlobal, each.address - global, 0}, dtype, each.expected, each.wrong});
  return all;
}

Json WhyTool::answer_open() {
  why::Chain chain(history_, allocations_, chip_, memory_, question_.limits);
  chain.number_from(question_.next_id);
  for (const why::Question::Open& open : question_.open) {
    // Where the program went another way, it may have ended before.
    const Writer before = std::min(open.event + 1, history_.next());
    chain.ask(open.place, before, {.id = open.id, .depth = open.depth, .read_by = open.read_by});
  }
  return chain.steps();
}

// Why there is no answer: which time or tensor there is not. Empty where there is one.
std::string WhyTool::missing(bool has_moment) const {
  if (!has_moment && question_.read)
    return tr_n("the host read only {} time", "the host read only {} times",
                static_cast<std::int64_t>(reads_));
  if (!has_moment)
    return tr_n("there was only {} launch", "there were only {} launches",
                static_cast<std::int64_t>(launches_));
  if (place_) return {};
  if (names_.empty() && !mismatch_.empty()) {
    return tr(
        "the arguments of '{}' have no names, as the struct of the kernel is another than that of "
        "the host: {}; give both the same struct, or give the place by --global",
        kernel_, mismatch_);
  }
  if (names_.empty()) {
    return tr(
        "no kernel with debug information ran, so that its arguments have no names: compile "
        "it with -g, or give the place by --global");
  }
  const std::vector<std::string_view> names(names_.begin(), names_.end());
  const std::string hint = did_you_mean(question_.name, names),
                    all = fmt::format("{}", fmt::join(names, ", "));
  const std::string text =
      tr("no address in the arguments of the kernels is called {}{}", question_.name, hint);
  return hint.ends_with(all) ? text : tr("{}; there are {}", text, all);
}

Json WhyTool::answer() {
  Json line = {{"tool", "why"},
               {"process", getpid()},
               {"device", number_},
               {"chip", chip_.name},
               {"asked", false},
               {"events", history_.next() - 1},
               {"fingerprint", fmt::format("{:016x}", history_.fingerprint())}};
  const std::optional<Moment> moment = this->moment();
  if (error_.empty()) error_ = missing(moment.has_value());
  if (!error_.empty()) {
    line["error"] = error_;
    return line;
  }
  line["place"] = inspect::place_text(chip_, *place_);
  line["when"] = moment->text;
  if (read_ && read_->before == moment->before) {
    check::FindingLocation location = check::make_location("", read_->caller);
    check::complete(location);
    line["read"] = {{"number", read_->number},
                    {"offset", read_->offset},
                    {"bytes", read_->bytes},
                    {"location", check::json(location)}};
  }
  if (!steps_ && stop_ != 0) steps_ = answer_open();
  if (!steps_) steps_ = steps(*place_, moment->before, question_.limits);
  line["steps"] = *steps_;
  if (stop_ == 0) {
    line["suspects"] = why::suspects_of(*steps_, targets(), history_, allocations_, memory_, chip_,
                                        moment->before);
  }
  line["asked"] = read_.has_value() || std::ranges::any_of(*steps_, [](const Json& step) {
                    return step["kind"].text() != "nobody";
                  });
  return line;
}

}  // namespace

void answer_why(Device& device, const std::string& question, const Say& say) {
  static std::atomic<int> devices = 0;
  const int number = devices++;
  const auto json = Json::try_parse(question);
  if (!json) user_error("TENSORLANE_WHY is no JSON");
  why::Question asked = why::question_of(*json);
  if (asked.device && *asked.device != number) return;
  device.trace_calls();
  device.add_observer(std::make_unique<WhyTool>(device, std::move(asked), number, say));
}

}  // namespace tensorlane::observe
