// Any bytes as a recorded call sequence: an estimate of its time that is no negative number, or a
// UserError.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "fuzz_support.h"
#include "tensorlane/recording/estimate.h"
#include "tensorlane/recording/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tensorlane;
  static const int file = memfd_create("recording", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  require(ftruncate(file, 0) == 0);
  require(pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  try {
    const Chip& chip = RecordingReader(path).chip();
    const Estimate estimate = estimate_recording(path, chip, timing_parameters(chip));
    require(estimate.kernel_us >= 0 && estimate.host_us >= 0);
  } catch (const UserError&) {
  }
  return 0;
}
