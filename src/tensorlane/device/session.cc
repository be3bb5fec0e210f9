#include "tensorlane/device/session.h"

#include "tensorlane/base/error.h"
#include "tensorlane/base/fp_environment.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/processor_watch.h"
#include "tensorlane/ops/dispatch.h"

namespace tensorlane {
namespace {

// Another core ended the launch, or all stand still: this one is to be left.
struct CoreStopped : UserError {
  CoreStopped() : UserError(tr("the launch ended on another core")) {}
};

}  // namespace

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

template <class Held>
void Session::drain(Held held, const void* call_site) {
  catch_up();
  while (held()) {
    const bool goes_on = group->turns.wait(core, [this] {
      return backlog().can_run([this](const Backlog::Item& item) { return can_run(item); });
    });
    if (!goes_on) {
      group->note_deadlock();
      failed_at = call_site;
      throw CoreStopped();
    }
    backlog().run([this](const Backlog::Item& item) { return run_item(item); });
  }
}

void Session::issue(const Op& op, std::span<const Arg> args, const void* call_site) {
  if (group != nullptr) catch_up();
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
  command.sequence = (group != nullptr ? group->commands : commands)++;
  command.region = in_parallel_region ? open_region : -1;
  command.core = core;
  command.call_site = call_site;
  if (call_paths != nullptr) {
    const InPhase checks(phases, Phase::kChecks);
    command.calls = call_paths->find(call_site, __builtin_frame_address(0));
  }
  if (!tolerated.empty()) {
    for (Observer* observer : observers) observer->tolerated({op.name(), tolerated, call_site});
  }
  if (in_parallel_region && region != nullptr) {
    region->add(command, [this](const Command& next) { take_effect(next); });
  } else {
    take_effect(command);
  }
}

void Session::take_effect(const Command& next) {
  if (group == nullptr || backlog().empty()) return run(next);
  Backlog::Item item{{.engine = next.engine(),
                      .function = next.op->name(),
                      .call_site = next.call_site,
                      .region = next.region},
                     {}};
  item.command = next;
  if (backlog().holds(item)) {
    backlog().add(std::move(item));
  } else {
    run(next);
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
  if (region != nullptr) region->finish([this](const Command& next) { take_effect(next); });
}

std::span<const std::byte> Session::core_args() const {
  const std::size_t bytes = launch.args.size() / static_cast<std::size_t>(cores);
  return launch.args.subspan(bytes * static_cast<std::size_t>(core), bytes);
}

bool Session::can_run(const Backlog::Item& item) const {
  return item.command || item.message.kind != MessageEvent::Kind::kWait ||
         group->slots.arrived(item.message.slot, item.message.count);
}

bool Session::run_item(const Backlog::Item& item) {
  if (item.command) {
    run(*item.command);
    return true;
  }
  if (!can_run(item)) return false;
  const MessageEvent& message = item.message;
  auto& senders = group->senders[static_cast<std::size_t>(message.slot)];
  if (message.kind == MessageEvent::Kind::kSend) {
    group->slots.send(message.slot, message.count);
    senders.push_back({core, message.engine, message.call_site});
  } else if (message.kind == MessageEvent::Kind::kWait) {
    group->slots.take(message.slot);
    if (group->slots.slot(message.slot).sent == 0) senders.clear();
  }
  for (Observer* observer : observers) observer->message(message);
  return true;
}

void Session::catch_up() {
  group->turns.offer(core);
  if (group->turns.stopped()) throw CoreStopped();
  if (!backlog().empty())
    backlog().run([this](const Backlog::Item& item) { return run_item(item); });
}

// A wait that cannot end yet lets the other cores go on first; then this one goes on without the
// engine.
void Session::take_message(MessageEvent message) {
  message.region = in_parallel_region ? open_region : -1;
  if (region != nullptr) {
    const auto take = [this](const Command& next) { take_effect(next); };
    if (message.kind == MessageEvent::Kind::kJoin) {
      region->finish(take);
    } else {
      region->wait(message.engine, take);
    }
  }
  const Backlog::Item item{message, {}};
  const auto waits = [&] { return backlog().holds(item) || !can_run(item); };
  catch_up();
  if (message.kind == MessageEvent::Kind::kWait && waits()) {
    group->turns.let_others(core);
    catch_up();
  }
  constexpr std::size_t kQueue = 1024;  // what a core's queues hold at most (choice)
  drain([&] { return backlog().size() >= kQueue; }, message.call_site);
  if (waits()) {
    backlog().add(item);
  } else {
    run_item(item);
  }
}

void Session::check_message(std::int64_t slot, std::int64_t count, std::string_view what,
                            std::string_view function) const {
  if (group == nullptr) {
    user_error("{}: the {} has one core and no messages\n    rule: cores > 1 [chip]", function,
               chip.full_name);
  }
  if (slot < 0 || slot >= kMessageSlots) {
    user_error("{}: msg_id = {}; message slots are 0 to {}\n    rule: 0 <= msg_id <= {} [model]",
               function, slot, kMessageSlots - 1, kMessageSlots - 1);
  }
  if (count < 1 || count > kMostMessages) {
    user_error("{0}: {1} = {2}; a count has 7 bits\n    rule: 1 <= {1} <= {3} [model]", function,
               what, count, kMostMessages);
  }
}

void Session::send_message(Engine engine, std::int64_t slot, std::int64_t waits,
                           std::string_view function, const void* call_site) {
  check_message(slot, waits, "wait_cnt", function);
  take_message({MessageEvent::Kind::kSend, engine, static_cast<int>(slot), static_cast<int>(waits),
                function, call_site});
}

void Session::wait_message(Engine engine, std::int64_t slot, std::int64_t sends,
                           std::string_view function, const void* call_site) {
  check_message(slot, sends, "send_cnt", function);
  take_message({MessageEvent::Kind::kWait, engine, static_cast<int>(slot), static_cast<int>(sends),
                function, call_site});
}

void Session::sync_engines(std::string_view function, const void* call_site) {
  if (group == nullptr) return run_region();
  take_message({.kind = MessageEvent::Kind::kJoin, .function = function, .call_site = call_site});
}

// As the chip's own: engines send, then wait, in slots 24 and 25 by turns [the command stream of a
// published model]. Three engines of a core do; that the others wait with them is a choice.
void Session::sync_cores(std::string_view function, const void* call_site) {
  sync_engines(function, call_site);
  if (group == nullptr) return;
  constexpr Engine kEngines[] = {Engine::kBdc, Engine::kGdma, Engine::kHau};
  constexpr int kSlot = 24;
  const int slot = kSlot + (group->of_core[static_cast<std::size_t>(core)].barriers++ & 1);
  const int all = cores * static_cast<int>(std::size(kEngines));
  for (const Engine engine : kEngines)
    take_message({MessageEvent::Kind::kSend, engine, slot, all, function, call_site});
  for (const Engine engine : kEngines)
    take_message({MessageEvent::Kind::kWait, engine, slot, all, function, call_site});
  sync_engines(function, call_site);
}

void Session::finish() {
  if (group == nullptr) return run_region();
  if (group->turns.stopped()) return;
  run_region();
  drain([&] { return !backlog().empty(); }, nullptr);
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
  if (group != nullptr && !in_parallel_region) drain([&] { return !backlog().empty(); }, call_site);
  announce(SyncEvent::kPoll, -1, call_site);
  if (in_parallel_region) {
    user_error(
        "{0}poll inside a parallel region\n    rule: parallel_state == 0; call {0}parallel_end "
        "first [doc]",
        chip.api.prefix);
  }
}

void Session::hau_poll(const void* call_site) {
  if (region != nullptr)
    region->wait(Engine::kHau, [this](const Command& next) { take_effect(next); });
  if (group != nullptr) drain([&] { return backlog().has(Engine::kHau); }, call_site);
  announce(SyncEvent::kHauPoll, -1, call_site);
}

void Session::parallel_start(const void* call_site) {
  std::int64_t& begun = group != nullptr ? group->regions : regions;
  announce(SyncEvent::kParallelStart, begun, call_site);
  if (in_parallel_region) {
    user_error(
        "{}parallel_start inside a parallel region\n    rule: parallel_state == 0; regions do "
        "not nest [doc]",
        chip.api.prefix);
  }
  in_parallel_region = true;
  open_region = begun++;
}

void Session::parallel_end(const void* call_site) {
  run_region();
  announce(SyncEvent::kParallelEnd, open_region, call_site);
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
