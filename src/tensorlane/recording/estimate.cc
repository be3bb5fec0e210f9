#include "tensorlane/recording/estimate.h"

#include "tensorlane/recording/command_list.h"

namespace tensorlane {

Estimate estimate_recording(const std::string& path, const Chip& chip,
                            const TimingParameters& parameters) {
  return CommandList(path, chip).estimate(parameters);
}

}  // namespace tensorlane
