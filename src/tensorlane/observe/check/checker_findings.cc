// What the checker says about what its detectors found.
#include <fmt/format.h>

#include <algorithm>

#include "tensorlane/observe/check/checker.h"
#include "tensorlane/observe/check/coverage.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/check/non_finite.h"

namespace tensorlane::check {
namespace {

// A refusal's text of several lines as one: "function: what; rule: ...".
std::string one_line(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!result.empty()) result += result.find(": ") == std::string::npos ? ": " : "; ";
    result += line;
  }
  return result;
}

std::int64_t total(std::span<const Range> ranges) {
  std::int64_t bytes = 0;
  for (const Range& range : ranges) bytes += range.bytes();
  return bytes;
}

std::string bytes_text(std::int64_t bytes) {
  return bytes == 1 ? "1 byte" : fmt::format("{} bytes", bytes);
}

std::string name(const Command& command) {
  return std::string(command.op->name());
}

}  // namespace

Checker::Call Checker::call_of(const Command& command, int at) {
  return {command.op, command.call_site,
          describe_operand(command.operands()[static_cast<std::size_t>(at)], command)};
}

Finding Checker::finding(std::string_view id, std::string message) const {
  Finding result;
  result.diagnostic = &find_diagnostic(id);
  result.message = std::move(message);
  result.repair = spelled(result.diagnostic->repair, chip_.api.prefix);
  result.kernel = kernel_;
  return result;
}

void Checker::refused(const Refusal& refusal) {
  const bool memory = refusal.kind == Refusal::Kind::kMemory;
  if (memory ? !checks_.memory : !checks_.args) return;
  const std::string_view id = memory                                      ? "TL-MEMORY-001"
                              : refusal.kind == Refusal::Kind::kAssertion ? "TL-ARGS-003"
                                                                          : "TL-ARGS-001";
  report_.add({id, refusal.call_site, nullptr, 0}, [&] {
    Finding result = finding(id, one_line(refusal.message));
    result.locations.push_back(
        make_location("call", std::string(refusal.function), refusal.call_site));
    return result;
  });
}

void Checker::report_memory(const Command& command, int at, const MemoryBounds::Finding& found) {
  using Problem = MemoryBounds::Problem;
  const Operand& operand = command.operands()[static_cast<std::size_t>(at)];
  const Footprint& bytes = bytes_[static_cast<std::size_t>(at)];
  const std::string_view id = found.problem == Problem::kBeyondEnd ? "TL-MEMORY-002"
                              : found.problem == Problem::kOutside ? "TL-MEMORY-003"
                              : found.problem == Problem::kFreed   ? "TL-MEMORY-004"
                                                                   : "TL-MEMORY-005";
  report_.add({id, command.call_site, nullptr, at}, [&] {
    const auto begin = static_cast<std::int64_t>(space_begin(chip_, Space::kGlobal));
    const std::string does =
        fmt::format("{} {}", name(command), operand.writes() ? "writes" : "reads");
    const Range block{begin + found.block.bytes.begin, begin + found.block.bytes.end};
    const std::string buffer = fmt::format("the allocation {:#x}..{:#x} of {}", block.begin,
                                           block.end - 1, bytes_text(block.bytes()));
    std::string message;
    std::vector<Range> concerned{bytes.bounds()};
    switch (found.problem) {
      case Problem::kBeyondEnd: {
        concerned = common(bytes, linear_footprint(found.beyond.begin, found.beyond.bytes()));
        message =
            fmt::format("{} {} past the end of {}", does, bytes_text(total(concerned)), buffer);
        break;
      }
      case Problem::kOutside:
        message = found.block.bytes.bytes() == 0
                      ? fmt::format("{} global memory, of which nothing is allocated", does)
                      : fmt::format(
                            "{} global memory outside every allocation, {} after the end of {}",
                            does, bytes_text(bytes.bounds().begin - found.block.bytes.end), buffer);
        break;
      case Problem::kFreed:
        message = fmt::format("{} {}, which was freed", does, buffer);
        break;
      case Problem::kNotGiven:
        message = fmt::format("{} {}, whose address is not among the arguments of the launch", does,
                              buffer);
        break;
    }
    Finding result = finding(id, message);
    result.locations.push_back(make_location(operand.writes() ? "writer" : "reader", name(command),
                                             command.call_site,
                                             {describe_operand(operand, command)}));
    result.regions = describe_bytes(chip_, Space::kGlobal, concerned);
    return result;
  });
}

void Checker::report_reserved(const Command& command, int at) {
  report_.add({"TL-MEMORY-006", command.call_site, nullptr, at}, [&] {
    const Operand& operand = command.operands()[static_cast<std::size_t>(at)];
    const bool l2 = operand.space == Space::kL2;
    const std::uint64_t begin = l2 ? chip_.l2_user_begin : chip_.dtcm_user_begin;
    const std::uint64_t bytes = l2 ? chip_.l2_user_bytes : chip_.dtcm_user_bytes;
    Finding result = finding("TL-MEMORY-006",
                             fmt::format("{} {} {} outside the range for programs, {:#x}..{:#x}",
                                         name(command), operand.writes() ? "writes" : "reads",
                                         space_name(operand.space), begin, begin + bytes - 1));
    result.locations.push_back(make_location(operand.writes() ? "writer" : "reader", name(command),
                                             command.call_site,
                                             {describe_operand(operand, command)}));
    const Range range = bytes_[static_cast<std::size_t>(at)].bounds();
    result.regions = describe_bytes(chip_, operand.space, {&range, 1});
    return result;
  });
}

void Checker::report_leak(const MemoryBounds::Block& block) {
  report_.add({"TL-MEMORY-007", nullptr, nullptr, static_cast<int>(block.number)}, [&] {
    Finding result =
        finding("TL-MEMORY-007", fmt::format("allocation {} of {} was never freed", block.number,
                                             bytes_text(block.bytes.bytes())));
    result.regions = describe_bytes(chip_, Space::kGlobal, {&block.bytes, 1});
    return result;
  });
}

void Checker::report_aliasing(const Command& command, int first, int second) {
  report_.add({"TL-ARGS-002", command.call_site, nullptr, first * 8 + second}, [&] {
    const Operand& a = command.operands()[static_cast<std::size_t>(first)];
    const Operand& b = command.operands()[static_cast<std::size_t>(second)];
    const std::vector<Range> shared =
        common(bytes_[static_cast<std::size_t>(first)], bytes_[static_cast<std::size_t>(second)]);
    Finding result =
        finding("TL-ARGS-002", fmt::format("{} and {} of {} overlap in {}", a.name(), b.name(),
                                           name(command), bytes_text(total(shared))));
    result.locations.push_back(
        make_location("call", name(command), command.call_site,
                      {describe_operand(a, command), describe_operand(b, command)}));
    result.regions = describe_bytes(chip_, a.space, shared);
    return result;
  });
}

void Checker::report_race(const Race& race) {
  const auto call = [&](const Access& access) -> const Command& {
    return *region_commands_[access.tag / kOperandsPerCommand];
  };
  const auto operand_of = [&](const Access& access) -> const Operand& {
    return call(access).operands()[access.tag % kOperandsPerCommand];
  };
  const bool gdma_first = race.earlier.engine == number(Engine::kGdma);
  const Access &gdma = gdma_first ? race.earlier : race.later,
               &bdc = gdma_first ? race.later : race.earlier;
  const std::string_view id = gdma.write && bdc.write ? "TL-RACE-003"
                              : gdma.write            ? "TL-RACE-001"
                                                      : "TL-RACE-002";
  const int operands = static_cast<int>(gdma.tag % kOperandsPerCommand * kOperandsPerCommand +
                                        bdc.tag % kOperandsPerCommand);
  report_.add({id, call(gdma).call_site, call(bdc).call_site, operands}, [&] {
    const std::string moves = name(call(gdma)), computes = name(call(bdc));
    const std::string message =
        id == "TL-RACE-001"
            ? fmt::format("{} reads what {} writes in the same parallel region", computes, moves)
        : id == "TL-RACE-002"
            ? fmt::format("{} reads what {} writes in the same parallel region", moves, computes)
            : fmt::format("{} and {} write the same bytes in the same parallel region", moves,
                          computes);
    Finding result = finding(id, message);
    const auto add = [&](const Access& access) {
      result.locations.push_back(make_location(
          access.write ? "writer" : "reader", name(call(access)), call(access).call_site,
          {describe_operand(operand_of(access), call(access))}));
    };
    add(id == "TL-RACE-002" ? gdma : bdc);
    add(id == "TL-RACE-002" ? bdc : gdma);
    result.regions = describe_bytes(chip_, operand_of(gdma).space, common(gdma.bytes, bdc.bytes));
    result.notes.push_back(fmt::format(
        "missing  nothing orders {0} and {1} commands between {2}parallel_start at {3} and its "
        "{2}parallel_end",
        engine_name(call(gdma).engine()), engine_name(call(bdc).engine()), chip_.api.prefix,
        place_text(region_start_)));
    return result;
  });
}

void Checker::report_hole(Mark mark, const Command* sink, int at) {
  if ((mark & kUndefinedBit) == 0) return;
  const Hole& hole = holes_[mark & ~kUndefinedBit];
  if (sink != nullptr ? !checks_.init : !(checks_.init || checks_.coverage)) return;
  const std::string_view id = hole.work                      ? "TL-INIT-003"
                              : hole.space == Space::kGlobal ? "TL-INIT-002"
                                                             : "TL-INIT-001";
  const void* const sink_site = sink == nullptr ? nullptr : sink->call_site;
  report_.add({id, hole.reader.site, sink_site, at}, [&] {
    const std::string reader(hole.reader.op->name());
    const std::string what =
        sink == nullptr ? std::string("the result the host reads") : name(*sink);
    std::string message;
    if (hole.work) {
      message = fmt::format("{} depends on what {} left in its work memory", what, reader);
    } else {
      message = fmt::format("{} depends on {} of {} that nobody wrote", what,
                            bytes_text(total(hole.bytes)), space_name(hole.space));
    }
    Finding result = finding(id, message);
    result.locations.push_back(make_location(hole.work ? "work of" : "reader", reader,
                                             hole.reader.site, {hole.reader.tensor}));
    if (sink != nullptr && sink_site != hole.reader.site) {
      const Operand& operand = sink->operands()[static_cast<std::size_t>(at)];
      result.locations.push_back(
          make_location("reaches", name(*sink), sink_site, {describe_operand(operand, *sink)}));
    }
    if (hole.neighbour) {
      result.locations.push_back(make_location("near", std::string(hole.neighbour->op->name()),
                                               hole.neighbour->site, {hole.neighbour->tensor}));
      result.notes.push_back(
          "near     is the latest write next to these bytes: probably the one that should cover "
          "them");
    } else if (hole.space == Space::kGlobal) {
      result.notes.push_back("missing  neither a copy of the host nor a command wrote these bytes");
    } else if (!hole.work) {
      result.notes.push_back("missing  no command of this launch wrote near these bytes");
    }
    result.regions = describe_bytes(chip_, hole.space, hole.bytes);
    return result;
  });
}

void Checker::report_coverage(const MemoryBounds::Block& block, const Coverage& found) {
  const auto add = [&](std::string_view id, std::span<const Range> bytes, std::string_view why) {
    if (bytes.empty()) return;
    report_.add({id, nullptr, nullptr, static_cast<int>(block.number)}, [&] {
      const auto begin =
          static_cast<std::int64_t>(space_begin(chip_, Space::kGlobal)) + block.bytes.begin;
      Finding result = finding(
          id, fmt::format("the host reads {} of the allocation {:#x} of {} that {}",
                          bytes_text(total(bytes)), begin, bytes_text(block.bytes.bytes()), why));
      result.regions = describe_bytes(chip_, Space::kGlobal, bytes);
      return result;
    });
  };
  add("TL-COVERAGE-001", found.unwritten, "neither the host nor a kernel wrote");
  add("TL-COVERAGE-002", found.stale, "it wrote itself; a kernel wrote others");
}

void Checker::report_sync(const SyncState::Finding& found) {
  struct Text {
    SyncProblem problem;
    std::string_view id, call, message, other;
  };
  static constexpr Text kTexts[] = {
      {SyncProblem::kStartInside, "TL-SYNC-001", "$parallel_start",
       "$parallel_start inside a parallel region", "open"},
      {SyncProblem::kEndOutside, "TL-SYNC-002", "$parallel_end",
       "$parallel_end without $parallel_start", ""},
      {SyncProblem::kPollInside, "TL-SYNC-003", "$poll", "$poll inside a parallel region", "open"},
      {SyncProblem::kOpenAtReturn, "TL-SYNC-004", "", "the kernel returns inside a parallel region",
       "open"},
      {SyncProblem::kUnpolledAtReturn, "TL-SYNC-005", "",
       "the kernel returns without $poll after its last command", "last"},
      {SyncProblem::kInitializeInside, "TL-SYNC-007", "$initialize",
       "$initialize inside a parallel region", "open"},
      {SyncProblem::kNotInitialized, "TL-SYNC-008", "",
       "the first command comes before $initialize", ""},
  };
  const std::string start = spelled("$parallel_start", chip_.api.prefix);
  for (const Text& text : kTexts) {
    if (text.problem != found.problem) continue;
    report_.add({text.id, found.where, found.other, 0}, [&] {
      Finding result = finding(text.id, spelled(text.message, chip_.api.prefix));
      if (found.where != nullptr)
        result.locations.push_back(
            make_location("call", spelled(text.call, chip_.api.prefix), found.where));
      if (found.other != nullptr) {
        result.locations.push_back(
            make_location(std::string(text.other), text.other == "open" ? start : "", found.other));
      }
      if (found.problem == SyncProblem::kUnpolledAtReturn && sync_state_.only_hau_polled()) {
        result.notes.push_back(
            spelled("missing  $hau_poll waits for the HAU only", chip_.api.prefix));
      }
      return result;
    });
  }
}

void Checker::report_pointer(const WritesInFlight::Write& write, Space space,
                             const void* call_site) {
  report_.add({"TL-SYNC-006", call_site, write.site, 0}, [&] {
    Finding result = finding(
        "TL-SYNC-006", fmt::format("a pointer into {} is taken while {} may still write there",
                                   space_name(space), write.op->name()));
    result.locations.push_back(make_location("call", "", call_site));
    result.locations.push_back(make_location("writer", std::string(write.op->name()), write.site));
    result.notes.push_back(spelled(
        write.hau ? "missing  no $poll or $hau_poll between the two; data is in place only after it"
                  : "missing  no $poll between the two; data is in place only after it",
        chip_.api.prefix));
    return result;
  });
}

void Checker::report_clobber(const Command& command, int at, const LiveTensors::Problem& problem) {
  const Call& victim = writer_calls_[problem.victim - 1];
  const Call& culprit = writer_calls_[problem.culprit - 1];
  const std::string_view id = problem.beside ? "TL-LINT-006" : "TL-LINT-001";
  report_.add({id, victim.site, culprit.site, at}, [&] {
    const Footprint &a = live_.writer(problem.victim).bytes,
                    &b = live_.writer(problem.culprit).bytes,
                    &read = bytes_[static_cast<std::size_t>(at)];
    const Operand& operand = command.operands()[static_cast<std::size_t>(at)];
    const std::vector<Range> concerned = problem.beside ? common(a, read) : common(a, b);
    Finding result =
        finding(id, problem.beside
                        ? fmt::format("{} reads beside what {} wrote; the rest is from {} before",
                                      name(command), culprit.op->name(), victim.op->name())
                        : fmt::format("{} overwrites {} of what {} wrote, before {} reads it",
                                      culprit.op->name(), bytes_text(total(concerned)),
                                      victim.op->name(), name(command)));
    const auto writer = [&](std::string role, const Call& call) {
      result.locations.push_back(
          make_location(std::move(role), std::string(call.op->name()), call.site, {call.tensor}));
    };
    const auto reader = [&] {
      result.locations.push_back(make_location("reader", name(command), command.call_site,
                                               {describe_operand(operand, command)}));
    };
    if (problem.beside) reader();
    writer("writer", culprit);
    writer(problem.beside ? "before" : "victim", victim);
    if (!problem.beside) reader();
    result.regions = describe_bytes(chip_, operand.space, concerned);
    return result;
  });
}

void Checker::report_unread(Mark writer) {
  const Call& call = writer_calls_[writer - 1];
  report_.add({"TL-LINT-002", call.site, nullptr, 0}, [&] {
    Finding result =
        finding("TL-LINT-002", fmt::format("nothing reads what {} writes", call.op->name()));
    result.locations.push_back(
        make_location("writer", std::string(call.op->name()), call.site, {call.tensor}));
    return result;
  });
}

void Checker::report_overlap_advice(const Command& first, const Command& second) {
  report_.add({"TL-LINT-003", first.call_site, second.call_site, 0}, [&] {
    Finding result = finding(
        "TL-LINT-003", fmt::format("{} and {} touch different bytes and could run at the same "
                                   "time",
                                   name(first), name(second)));
    result.locations.push_back(make_location("first", name(first), first.call_site));
    result.locations.push_back(make_location("second", name(second), second.call_site));
    return result;
  });
}

void Checker::report_preference(const Command& command, const Violation& missed) {
  report_.add({"TL-LINT-004", command.call_site, nullptr, 0}, [&] {
    Finding result = finding("TL-LINT-004", fmt::format("{}: {}; preferred: {}", name(command),
                                                        missed.values, missed.rule));
    result.locations.push_back(make_location("call", name(command), command.call_site));
    return result;
  });
}

void Checker::report_waste(const Command& command, int at, std::int64_t used,
                           std::int64_t reserved) {
  report_.add({"TL-LINT-005", command.call_site, nullptr, at}, [&] {
    const Operand& operand = command.operands()[static_cast<std::size_t>(at)];
    Finding result = finding(
        "TL-LINT-005", fmt::format("{} of {} spans {} per NPU and uses {} of them", operand.name(),
                                   name(command), bytes_text(reserved), used));
    result.locations.push_back(make_location("call", name(command), command.call_site,
                                             {describe_operand(operand, command)}));
    return result;
  });
}

void Checker::report_unread_input(const MemoryBounds::Block& block, std::span<const Range> bytes) {
  report_.add({"TL-LINT-007", nullptr, nullptr, static_cast<int>(block.number)}, [&] {
    const auto begin =
        static_cast<std::int64_t>(space_begin(chip_, Space::kGlobal)) + block.bytes.begin;
    Finding result =
        finding("TL-LINT-007",
                fmt::format("no kernel reads {} of the allocation {:#x} of {} that the host "
                            "wrote",
                            bytes_text(total(bytes)), begin, bytes_text(block.bytes.bytes())));
    const auto reader = input_readers_.find(block.number);
    if (reader != input_readers_.end()) {
      result.locations.push_back(
          make_location("reader", std::string(reader->second.op->name()), reader->second.site));
      result.notes.push_back("reader   is the latest command that read from this allocation");
    }
    result.regions = describe_bytes(chip_, Space::kGlobal, bytes);
    return result;
  });
}

void Checker::report_non_finite(const Command& command, int at, const NonFinite& found) {
  report_.add({"TL-INIT-004", command.call_site, nullptr, at}, [&] {
    const Operand& result_operand = command.operands()[static_cast<std::size_t>(at)];
    Finding result =
        finding("TL-INIT-004",
                fmt::format("{} makes {} NaN or infinite from finite sources", name(command),
                            found.elements == 1 ? "1 element"
                                                : fmt::format("{} elements", found.elements)));
    std::vector<std::string> tensors{describe_operand(result_operand, command)};
    for (const Operand& operand : command.operands()) {
      if (operand.reads()) tensors.push_back(describe_operand(operand, command));
    }
    result.locations.push_back(
        make_location("origin", name(command), command.call_site, std::move(tensors)));
    result.regions = describe_bytes(chip_, result_operand.space, found.bytes);
    return result;
  });
}

}  // namespace tensorlane::check
