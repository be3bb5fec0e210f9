#include "tensorlane/device/session.h"

#include "tensorlane/base/error.h"
#include "tensorlane/base/fp_environment.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/processor_watch.h"
#include "tensorlane/ops/dispatch.h"

namespace tensorlane {

void execute(const Invocation& invocation, ImplementationChoice choice) {
  if (choice == ImplementationChoice::kNone) return;
  const ChipFloatScope chip_float;
  const std::vector<Implementation>& list = invocation.command.op->spec().implementations;
  TL_INTERNAL_CHECK(!list.empty());
  const bool fastest = choice == ImplementationChoice::kFastest;
  if (fastest ? run_first(list, invocation) : run_reference(list, invocation)) return;
  internal_error_at(
      __FILE__, __LINE__,
      fmt::format("the reference implementation of {} declined", invocation.command.op->name()));
}

void Session::issue(const Op& op, std::span<const Arg> args, const void* call_site) {
  RepeatedCalls& known = known_calls != nullptr ? *known_calls : calls_of_launch;
  Command* decoded = nullptr;
  latest = nullptr;
  std::vector<Violation> tolerated;
  try {
    const InPhase decoding(phases, Phase::kDecode);
    decoded = &known.decode(op, args, chip, in_parallel_region, limit_policy, call_site, tolerated);
  } catch (const IllegalCall& error) {
    refuse({error.about_memory() ? Refusal::Kind::kMemory : Refusal::Kind::kLimit, op.name(),
            error.what(), call_site, error.repair()});
    throw;
  }
  latest = decoded;
  Command& command = *decoded;
  command.sequence = commands;
  command.region = in_parallel_region ? regions - 1 : -1;
  command.call_site = call_site;
  if (call_paths != nullptr) {
    const InPhase checks(phases, Phase::kChecks);
    command.calls = call_paths->find(call_site, __builtin_frame_address(0));
  }
  if (!tolerated.empty()) {
    for (Observer* observer : observers) observer->tolerated({op.name(), tolerated, call_site});
  }
  ++commands;
  if (in_parallel_region && region != nullptr) {
    region->add(command, [this](const Command& next) { run(next); });
  } else {
    run(command);
  }
}

void Session::run(const Command& next) {
  if (watch != nullptr) {
    const InPhase checks(phases, Phase::kChecks);
    watch->command(next);
  }
  for (Observer* observer : observers) observer->command_begin(next);
  try {
    const InPhase working(phases,
                          next.engine() == Engine::kGdma ? Phase::kCopies : Phase::kArithmetic);
    execute({next, memory.bases()}, choice);
  } catch (const UserError&) {
    failed_at = next.call_site;
    throw;
  }
  pass_unless_parked();
  for (Observer* observer : observers) observer->command_end(next);
}

void Session::run_region() {
  if (region != nullptr) region->finish([this](const Command& next) { run(next); });
}

void Session::refuse(const Refusal& refusal) {
  for (Observer* observer : observers) observer->refused(refusal);
}

void Session::announce(SyncEvent event, std::int64_t region, const void* call_site) {
  for (Observer* observer : observers) observer->sync(event, region, call_site);
}

void Session::initialize(const void* call_site) {
  run_region();
  announce(SyncEvent::kInitialize, -1, call_site);
  in_parallel_region = false;
}

void Session::poll(const void* call_site) {
  announce(SyncEvent::kPoll, -1, call_site);
  if (in_parallel_region) {
    user_error(
        "{0}poll inside a parallel region\n    rule: parallel_state == 0; call {0}parallel_end "
        "first [doc]",
        chip.api.prefix);
  }
}

void Session::hau_poll(const void* call_site) {
  if (region != nullptr) region->wait(Engine::kHau, [this](const Command& next) { run(next); });
  announce(SyncEvent::kHauPoll, -1, call_site);
}

void Session::parallel_start(const void* call_site) {
  announce(SyncEvent::kParallelStart, regions, call_site);
  if (in_parallel_region) {
    user_error(
        "{}parallel_start inside a parallel region\n    rule: parallel_state == 0; regions do "
        "not nest [doc]",
        chip.api.prefix);
  }
  in_parallel_region = true;
  ++regions;
}

void Session::parallel_end(const void* call_site) {
  run_region();
  announce(SyncEvent::kParallelEnd, regions - 1, call_site);
  if (!in_parallel_region) {
    user_error("{0}parallel_end without {0}parallel_start\n    rule: parallel_state == 1 [doc]",
               chip.api.prefix);
  }
  in_parallel_region = false;
}

void Session::check_inside(Space space, std::uint64_t offset, std::string_view function) const {
  if (offset < memory.bytes(space)) return;
  user_error("{}: address is outside {} ({} bytes)", function, translated(space_name(space)),
             memory.bytes(space));
}

std::byte* Session::pointer(Space space, std::uint64_t offset, std::string_view function,
                            const void* call_site) {
  check_inside(space, offset, function);
  for (Observer* observer : observers) observer->pointer_taken(space, offset, call_site);
  if (watch == nullptr) return memory.base(space) + offset;
  if (std::byte* const view = watch->pointer(space, offset)) return view;
  const ProcessorAccess unseen{ProcessorAccess::Kind::kUnseen, space, offset,
                               memory.bytes(space) - offset, call_site};
  for (Observer* observer : observers) observer->processor_access(unseen);
  return memory.base(space) + offset;
}

const std::byte* Session::read(Space space, std::uint64_t offset, std::uint64_t bytes,
                               std::string_view function, const void* call_site) {
  check_inside(space, offset, function);
  for (Observer* observer : observers) {
    if (launch.accesses_seen) {
      observer->processor_access({ProcessorAccess::Kind::kRead, space, offset, bytes, call_site});
    } else {
      observer->pointer_taken(space, offset, call_site);
    }
  }
  return memory.base(space) + offset;
}

}  // namespace tensorlane
