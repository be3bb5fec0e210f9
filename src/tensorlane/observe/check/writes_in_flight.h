// What engines may still be writing: every write since the processor last waited for its engine.
//
// A poll waits for all engines; the HAU can be waited for alone. Writes of one line of the kernel
// are kept as one: the bytes from the first to the last of them, in all NPUs they touched.
#ifndef TENSORLANE_OBSERVE_CHECK_WRITES_IN_FLIGHT_H_
#define TENSORLANE_OBSERVE_CHECK_WRITES_IN_FLIGHT_H_

#include <cstdint>
#include <vector>

#include "tensorlane/observe/check/footprint.h"

namespace tensorlane {
class Op;
}

namespace tensorlane::check {

class WritesInFlight {
 public:
  struct Write {
    int memory = 0;          // which memory
    std::uint64_t npus = 0;  // a bit per NPU; bit 0 where there are none
    Range bytes{0, 0};       // offsets in each of them
    const Op* op = nullptr;
    const void* site = nullptr;
    bool hau = false;
  };

  void add(const Write& write);
  // The processor waited for all engines.
  void poll() { writes_.clear(); }
  // The processor waited for the HAU.
  void hau_poll();
  // A write that may still reach one of these bytes, the latest line first; null when there is
  // none.
  const Write* find(int memory, std::uint64_t npus, Range bytes) const;

 private:
  std::vector<Write> writes_;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_WRITES_IN_FLIGHT_H_
