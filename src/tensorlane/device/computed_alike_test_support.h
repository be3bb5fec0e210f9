// A command by all implementations of its entry: they must write the same.
#ifndef TENSORLANE_DEVICE_COMPUTED_ALIKE_TEST_SUPPORT_H_
#define TENSORLANE_DEVICE_COMPUTED_ALIKE_TEST_SUPPORT_H_

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

class ComputedAlike {
 public:
  explicit ComputedAlike(const Chip& chip) : fastest_(chip), reference_(chip) {}

  // Fills the sources with numbers near 1 in every type, others each time, and compares what comes
  // of them. Commands of millions of elements are left out, and those whose sources turn out to
  // make no sense.
  void expect(const Command& command);

 private:
  void fill(const Command& command);
  DeviceMemory fastest_, reference_;
  std::uint32_t state_ = 12345;  // of random numbers
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_COMPUTED_ALIKE_TEST_SUPPORT_H_
