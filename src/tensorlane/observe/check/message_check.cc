// Messages between cores: sends and waits that do not fit together, and sends nobody waits for.
//
// A slot may be used again when all waits of its last use come before the new send, by messages and
// barriers and not by chance; see core_clocks.h.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/core_clocks.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kMessageDiagnostics[] = {
    {"TL-SYNC-013", kError, msg("sends and waits of a message do not fit together"),
     msg("let each wait count all sends of its message and each send all waits; use the slot again "
         "only after all of them, or take another")},
    {"TL-SYNC-014", kWarning, msg("a message is sent that nobody waits for"),
     msg("wait for it where its data is used, or leave the send out")},
};

class MessageCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void launch_begin() override {
    if (!std::exchange(used_, false)) return;  // most launches have one core and nothing to clear
    uses_ = {};
    slots_ = {};
  }
  void message(const MessageEvent& event) override;
  [[gnu::hot]] void launch_done() override;
  void launch_failed(const Failure& failure) override;

 private:
  struct Step {
    MessageEvent event;
    CoreClocks::Moment moment;
  };
  // Of one slot: the steps since it was free, and the waits before.
  struct Use {
    std::vector<Step> sends, waits, last_waits;
  };
  void send(const Step& step);
  void wait(const Step& step);
  void report(const Step& one, const Step& other, const std::string& message) const;
  static FindingLocation location(const Step& step) {
    return make_location(step.event.kind == MessageEvent::Kind::kSend ? msg("send") : msg("wait"),
                         std::string(step.event.function), step.event.call_site);
  }

  bool used_ = false;  // by this launch
  std::array<Use, kMessageSlots> uses_;
  MessageSlots slots_;
};

void MessageCheck::message(const MessageEvent& event) {
  if (event.kind == MessageEvent::Kind::kJoin || facts().clocks == nullptr) return;
  const Step step{event, facts().moment};
  used_ = true;
  if (event.kind == MessageEvent::Kind::kSend) {
    send(step);
  } else {
    wait(step);
  }
}

void MessageCheck::send(const Step& step) {
  Use& use = uses_[static_cast<std::size_t>(step.event.slot)];
  for (const std::vector<Step>* waits : {&use.last_waits, &use.waits}) {
    for (const Step& wait : *waits) {
      if (waits == &use.last_waits && facts().clocks->is_after(wait.moment)) continue;
      report(step, wait,
             tr("core {} sends message {} again, and nothing says that the wait of core {} for the "
                "one before is over",
                step.moment.core(), step.event.slot, wait.moment.core()));
      break;
    }
  }
  for (const Step& other : use.sends) {
    if (other.event.count == step.event.count) continue;
    report(step, other,
           tr("core {} sends message {} for {} waits, core {} for {}", step.moment.core(),
              step.event.slot, step.event.count, other.moment.core(), other.event.count));
    break;
  }
  use.sends.push_back(step);
  slots_.send(step.event.slot, step.event.count);
}

void MessageCheck::wait(const Step& step) {
  Use& use = uses_[static_cast<std::size_t>(step.event.slot)];
  use.waits.push_back(step);
  slots_.take(step.event.slot);
  if (slots_.slot(step.event.slot).sent > 0) return;
  use.last_waits = std::move(use.waits);
  use.waits.clear();
  use.sends.clear();
}

void MessageCheck::report(const Step& one, const Step& other, const std::string& message) const {
  sink().add({"TL-SYNC-013", one.event.call_site, other.event.call_site},
             [&](Finding& finding) {
               finding.message = message;
               finding.locations = {location(one), location(other)};
             },
             {one.moment.core(), other.moment.core()});
}

void MessageCheck::launch_done() {
  if (facts().clocks == nullptr) return;
  for (const Use& use : uses_) {
    if (use.sends.empty()) continue;
    const Step& step = *std::ranges::min_element(
        use.sends, {}, [](const Step& each) { return each.moment.core(); });
    const int waited = static_cast<int>(use.waits.size());
    sink().add(
        {"TL-SYNC-014", step.event.call_site},
        [&](Finding& finding) {
          finding.message = tr(
              "the kernel returns, and of the {} waits that message {} of core {} is for {} came",
              step.event.count, step.event.slot, step.moment.core(), waited);
          finding.locations.push_back(location(step));
        },
        {step.moment.core()});
  }
}

// More sends than a wait counts: it never ends.
void MessageCheck::launch_failed(const Failure& failure) {
  if (failure.kind != Failure::Kind::kDeadlock) return;
  for (const Failure::Wait& wait : failure.waits) {
    const Use& use = uses_[static_cast<std::size_t>(wait.slot)];
    if (wait.sent <= wait.wanted || use.sends.empty()) continue;
    const Step& latest = use.sends.back();
    sink().add({"TL-SYNC-013", latest.event.call_site, wait.call_site}, [&](Finding& finding) {
      finding.message = tr("core {} waits for {} sends of message {}, and {} came", wait.core,
                           wait.wanted, wait.slot, wait.sent);
      finding.locations = {location(latest),
                           make_location("wait", std::string(wait.function), wait.call_site)};
    });
  }
}

}  // namespace

CheckParts message_check() {
  return parts_of<MessageCheck>(kMessageDiagnostics);
}

}  // namespace tensorlane::check
