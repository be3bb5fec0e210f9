#include "tensorlane/device/core_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensorlane/base/language.h"
#include "tensorlane/device/source_location.h"

namespace tensorlane {
namespace {

// Without the folder of its file.
std::string place(const void* call_site) {
  const std::string text = find_source_location(call_site).text();
  return text.substr(text.rfind('/') + 1);
}

// "3", "0 and 2", "0, 1 and 2"
std::string numbers(const std::vector<int>& those) {
  std::string text;
  for (std::size_t k = 0; k < those.size(); ++k) {
    if (k > 0) text += k + 1 == those.size() ? tr(" and ") : ", ";
    text += std::to_string(those[k]);
  }
  return text;
}

}  // namespace

// Who could have sent to the slot: engines whose send stands behind a wait, then the cores that
// returned without one.
std::string CoreLaunch::missing_senders(int slot) const {
  std::string text;
  std::vector<int> returned, silent;
  for (std::size_t k = 0; k < of_core.size(); ++k) {
    const Core& core = of_core[k];
    bool sends = false;
    for (const Sender& sender : senders[static_cast<std::size_t>(slot)])
      sends = sends || sender.core == static_cast<int>(k);
    for (const Backlog::Item& item : core.backlog.items()) {
      if (item.command || item.message.kind != MessageEvent::Kind::kSend ||
          item.message.slot != slot)
        continue;
      sends = true;
      text += "; " + tr("core {} sends at {}, behind what it waits for itself", k,
                        place(item.message.call_site));
      break;
    }
    if (sends) continue;
    (core.done ? returned : silent).push_back(static_cast<int>(k));
  }
  if (!returned.empty()) text += "; " + tr("without a send returned: core {}", numbers(returned));
  if (!silent.empty()) text += "; " + tr("without a send so far: core {}", numbers(silent));
  return text;
}

Failure CoreLaunch::describe_deadlock() const {
  Failure failure{.kind = Failure::Kind::kDeadlock};
  failure.message = tr("no core can go on: each waits for a message that nobody sends any more");
  for (std::size_t k = 0; k < of_core.size(); ++k) {
    for (const MessageEvent* wait : of_core[k].backlog.waits()) {
      const int sent = slots.slot(wait->slot).sent;
      const std::string text =
          tr("core {}: {} waits in {} at {} for message {}: {} of {} sends came", k,
             translated(engine_name(wait->engine)), wait->function, place(wait->call_site),
             wait->slot, sent, wait->count) +
          missing_senders(wait->slot);
      failure.message += "\n    " + text;
      failure.waits.push_back({static_cast<int>(k), engine_name(wait->engine), wait->function,
                               wait->call_site, wait->slot, sent, wait->count, text});
      if (failure.call_site == nullptr) failure.call_site = wait->call_site;
    }
  }
  if (failure.call_site != nullptr) failure.calls = {failure.call_site};
  return failure;
}

}  // namespace tensorlane
