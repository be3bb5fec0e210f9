// Message slots: how engines of any core wait for each other.
//
//   send    counts up what was sent to a slot and sets how many waits remain; never waits
//   wait    holds its engine until as many sends have come as it says, then takes one off the waits
//           that remain; with the last the slot is free again
//
// [tpu-mlir's model of the BM1690: 512 slots, counts of 7 bits; a BM1688 model agrees in the cases
// that two cores can show.] What a send to a slot does whose waits are not all through is nowhere
// said: here it counts up as well (choice), and the checker calls it an error.
#ifndef TENSORLANE_DEVICE_MESSAGE_SLOTS_H_
#define TENSORLANE_DEVICE_MESSAGE_SLOTS_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "tensorlane/ops/op.h"

namespace tensorlane {

inline constexpr int kMessageSlots = 512, kMostMessages = 127;

// One step of synchronisation of an engine, when it takes effect.
struct MessageEvent {
  enum class Kind : std::uint8_t {
    kSend,
    kWait,
    kJoin,  // engines of one core wait for each other; no slot
  };
  Kind kind = Kind::kSend;
  Engine engine = Engine::kNone;
  int slot = 0;
  int count = 0;  // of kSend the waits that shall remain, of kWait the sends that it waits for
  std::string_view function;        // that the kernel called
  const void* call_site = nullptr;  // there
  std::int64_t region = -1;         // parallel region that it stands in; -1: none
};

class MessageSlots {
 public:
  struct Slot {
    int sent = 0;       // since it was free
    int remaining = 0;  // waits
  };
  const Slot& slot(int number) const { return slots_[static_cast<std::size_t>(number)]; }

  void send(int number, int waits) {
    Slot& slot = slots_[static_cast<std::size_t>(number)];
    ++slot.sent;
    slot.remaining = waits;
  }
  bool arrived(int number, int sends) const { return slot(number).sent == sends; }
  void take(int number) {
    Slot& slot = slots_[static_cast<std::size_t>(number)];
    if (--slot.remaining <= 0) slot = {};
  }

 private:
  std::array<Slot, kMessageSlots> slots_{};
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_MESSAGE_SLOTS_H_
