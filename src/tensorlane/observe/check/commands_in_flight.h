// What engines may still be working on: the bytes of every command since the processor last waited
// for its engine.
//
// A poll waits for all engines; the HAU can be waited for alone.
#ifndef TENSORLANE_OBSERVE_CHECK_COMMANDS_IN_FLIGHT_H_
#define TENSORLANE_OBSERVE_CHECK_COMMANDS_IN_FLIGHT_H_

#include <cstdint>
#include <vector>

#include "tensorlane/trail/footprint.h"

namespace tensorlane {
class Op;
}

namespace tensorlane::check {

class CommandsInFlight {
 public:
  // Operands that are kept; of more between two polls the oldest half is forgotten.
  static constexpr std::size_t kMost = 8192;

  struct Use {
    int memory = 0;  // which memory
    trail::Footprint bytes;
    bool writes = false;
    const Op* op = nullptr;
    const void* site = nullptr;
    bool hau = false;
  };

  void add(const Use& use);
  // The processor waited for all engines.
  void poll() { uses_.clear(); }
  // The processor waited for the HAU.
  void hau_poll();
  // The latest use that may still reach one of these bytes, one that writes them or, for an access
  // that `writes`, reads them; null when there is none.
  const Use* find(int memory, const trail::Footprint& bytes, bool writes) const;

 private:
  std::vector<Use> uses_;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_COMMANDS_IN_FLIGHT_H_
