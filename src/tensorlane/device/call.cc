#include "tensorlane/device/call.h"

#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/host_call.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/running_kernel.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/device/tail_calls.h"
#include "tensorlane/ops/entry_text.h"

namespace tensorlane {
namespace {

// A call that cannot be carried out: the observers hear of it, then the launch ends.
template <class Error>
[[noreturn]] void refuse(Session* session, const Op& op, const Error& error, const void* call_site,
                         std::string_view repair = {}) {
  if (session != nullptr)
    session->refuse({Refusal::Kind::kLimit, op.name(), error.what(), call_site, repair});
  throw error;
}

[[noreturn]] void refuse_absent(Session* session, const Op& op, const void* call_site,
                                const Chip& chip) {
  const OpSpec& spec = op.spec();
  const std::string reason = entry_text(spec.absence_reason);
  // All chips of several cores are later ones.
  if (spec.absence == Absence::kLaterChip && chip.cores > 1)
    refuse(
        session, op,
        UserError(tr("{} is not emulated on the {}\n    rule: it belongs to chips with {}; public "
                     "sources name it and do not say what it does [chip]",
                     op.name(), chip.full_name, reason)),
        call_site,
        tr("use functions that `tensorlane ops --chip {}` lists as implemented; for this one a "
           "board is needed",
           chip.name));
  const std::string text = spec.absence == Absence::kLaterChip
                               ? tr("{} does not exist on the {}\n    rule: it needs {} [doc]",
                                    op.name(), chip.full_name, reason)
                               : tr("{} is not implemented\n    rule: {} [doc]", op.name(), reason);
  refuse(
      session, op, UserError(text), call_site,
      tr("use functions of this chip: `tensorlane ops` lists them; those of a later one need its "
         "board"));
}

[[noreturn]] void refuse_missing(Session* session, const Op& op, const void* call_site,
                                 const Chip& chip) {
  refuse(session, op,
         UserError(tr("{} does not exist on the {}\n    rule: its table of constants leaves "
                      "the function out [chip]",
                      op.name(), chip.full_name)),
         call_site);
}

// A process that holds kernels of several interfaces launched one on the wrong device.
[[noreturn]] void refuse_foreign(Session* session, const Op& op, const void* call_site,
                                 const FrontEnd& front_end) {
  refuse(session, op,
         UserError(tr(
             "{} is called on the {}\n    rule: its kernels are written in {}; choose a chip of {} "
             "with TENSORLANE_CHIP or `tensorlane run --chip` [chip]",
             op.name(), session->chip.full_name, session->chip.api.title, front_end.api.title)),
         call_site, tr("run it on a chip of the interface that the kernel is written in"));
}

[[noreturn]] void refuse_outside(std::string_view function, const Chip& chip) {
  user_error(
      "{} is called outside a launch\n    rule: kernels run on the device; launch them with {} "
      "[doc]",
      function, chip.api.launch);
}

std::int64_t call_host_function(Session* session, const Op& op, std::span<const Arg> args,
                                const void* call_site, const Chip& chip) {
  const Environment environment{args, &chip, session != nullptr && session->in_parallel_region};
  std::vector<Violation> violations;
  for (const Limit& limit : op.limits()) {
    if (auto violation = limit.check(environment)) violations.push_back(std::move(*violation));
  }
  if (!violations.empty())
    refuse(session, op, IllegalCall(op.name(), std::move(violations)), call_site);
  return op.spec().call({op, chip, session, args, call_site});
}

}  // namespace

const void* call_of_kernel(const void* call_site, std::string_view function) {
  if (const RunningKernel* const run = running_kernel(); run != nullptr && !run->place.empty())
    return run->place.front();
  static const Module library = module_of(reinterpret_cast<const void*>(call_in_session));
  if (!library.contains(call_site)) return call_site;
  const RunningKernel* const run = running_kernel();
  if (run == nullptr || run->module.contains(call_site)) return call_site;
  return tail_call_site(run->function, function);
}

Session& launched(const HostCall& call, std::string_view function) {
  if (call.session == nullptr) refuse_outside(function, call.chip);
  return *call.session;
}

std::int64_t call_in_session(Session* session, const Op& op, std::span<const Arg> args,
                             const void* call_site, const Chip& chip) {
  const Chip& here = session != nullptr ? session->chip : chip;
  if (op.spec().absence != Absence::kNone) refuse_absent(session, op, call_site, here);
  if (!here.has_function(op.name())) refuse_missing(session, op, call_site, here);
  if (op.engine() == Engine::kNone) return call_host_function(session, op, args, call_site, here);
  if (session == nullptr) refuse_outside(op.name(), here);
  session->issue(op, args, call_site);
  return op.spec().call == nullptr ? 0 : op.spec().call({op, here, session, args, call_site});
}

std::int64_t call_from_kernel(const Op& op, std::span<const Arg> args, const void* call_site,
                              const FrontEnd& front_end) {
  call_site = call_of_kernel(call_site, op.name());
  Session* const session = current_session();
  std::int64_t result = 0;
  bool ends = false;
  enter_library();
  try {
    const InPhase library(session == nullptr ? nullptr : session->phases, Phase::kSetUp);
    if (session == nullptr) {
      result = call_in_session(nullptr, op, args, call_site, chosen_chip(front_end));
    } else {
      if (session->chip.api.name != front_end.api.name)
        refuse_foreign(session, op, call_site, front_end);
      result = call_in_session(session, op, args, call_site, session->chip);
    }
  } catch (const std::exception& error) {
    if (session == nullptr) {
      front_end.report(fmt::format("tensorlane: {}:\n  {}\n",
                                   tr("error at {}", find_source_location(call_site).text()),
                                   error.what()));
    } else {
      set_failure(error.what(), session->failed_at != nullptr ? session->failed_at : call_site);
      ends = true;
    }
  }
  if (ends) end_kernel();
  leave_library();
  return result;
}

void assertion_failed(std::string_view macro, std::string message, const void* call_site,
                      const FrontEnd& front_end) {
  enter_library();
  Session* const session = current_session();
  if (session == nullptr) {
    front_end.report(fmt::format("tensorlane: {}\n", tr("outside a launch: {}", message)));
    leave_library();
    return;
  }
  // In a library that says where its calls come from: there.
  if (const RunningKernel* const run = running_kernel(); run != nullptr && !run->place.empty())
    call_site = run->place.front();
  session->refuse({Refusal::Kind::kAssertion, macro, message, call_site});
  set_failure(std::move(message), call_site);
  end_kernel();
}

std::string assertion_text(std::string_view macro, const char* condition, const char* file,
                           int line, const char* function) {
  return tr("{}({}) failed at {}:{} in {}", macro, condition, file, line, function);
}

}  // namespace tensorlane
