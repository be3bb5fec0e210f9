#include "tensorlane/observe/check/sync_state.h"

#include <utility>

namespace tensorlane::check {

std::optional<SyncState::Finding> SyncState::initialize(Place where) {
  initialized_ = true;
  if (!std::exchange(open_, false)) return std::nullopt;
  return Finding{SyncProblem::kInitializeInside, where, start_};
}

std::optional<SyncState::Finding> SyncState::start(Place where) {
  if (open_) return Finding{SyncProblem::kStartInside, where, start_};
  open_ = true;
  start_ = where;
  return std::nullopt;
}

std::optional<SyncState::Finding> SyncState::end(Place where) {
  if (!std::exchange(open_, false)) return Finding{SyncProblem::kEndOutside, where, nullptr};
  return std::nullopt;
}

std::optional<SyncState::Finding> SyncState::poll(Place where) {
  if (open_) return Finding{SyncProblem::kPollInside, where, start_};
  hau_ = others_ = {};
  return std::nullopt;
}

void SyncState::hau_poll() {
  hau_ = {};
  others_.hau_polled = true;
}

std::optional<SyncState::Finding> SyncState::command(Place where, bool hau) {
  (hau ? hau_ : others_) = {true, where, false};
  if (std::exchange(initialized_, true)) return std::nullopt;
  return Finding{SyncProblem::kNotInitialized, where, nullptr};
}

std::optional<SyncState::Finding> SyncState::finish() {
  if (open_) return Finding{SyncProblem::kOpenAtReturn, nullptr, start_};
  for (const Work& work : {others_, hau_}) {
    if (work.pending) return Finding{SyncProblem::kUnpolledAtReturn, nullptr, work.last};
  }
  return std::nullopt;
}

}  // namespace tensorlane::check
