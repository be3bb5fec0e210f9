#include "tensorlane/compute/rows/kept_copies.h"

#include <utility>

namespace tensorlane {

bool KeptCopies::run_known(const Invocation& invocation, std::string_view dst,
                           std::string_view src) {
  const auto* const kept = dynamic_cast<const KeptCopies*>(invocation.command.known.lowering());
  const bool same = kept != nullptr && kept->dst_ == dst && kept->src_ == src &&
                    kept->memory_ == invocation.memory;
  if (same) kept->run();
  return same;
}

void KeptCopies::run_and_keep(const Invocation& invocation, std::unique_ptr<KeptCopies> copies,
                              bool only_now) {
  copies->run();
  KnownCall& call = invocation.command.known;
  if (!only_now && call.keeps_coming() && call.lowering() == nullptr) call.keep(std::move(copies));
}

}  // namespace tensorlane
