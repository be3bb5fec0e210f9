// The modelled time of a recorded call sequence.
#ifndef TENSORLANE_RECORDING_ESTIMATE_H_
#define TENSORLANE_RECORDING_ESTIMATE_H_

#include <string>

#include "tensorlane/chip/timing_parameters.h"
#include "tensorlane/ops/op.h"

namespace tensorlane {

struct EngineLoad {
  long long commands = 0;
  double busy_us = 0;
};

struct Estimate {
  long long calls = 0;
  double kernel_us = 0;  // from the first call to the last engine being done
  double host_us = 0;    // what a host would measure around a synchronous launch
  // The same at most, where launch, issue or SDMA are unknown.
  double kernel_high_us = 0, host_high_us = 0;
  EngineLoad gdma, bdc, hau, sdma;

  EngineLoad& load(Engine engine) {
    switch (engine) {
      case Engine::kGdma:
        return gdma;
      case Engine::kHau:
        return hau;
      case Engine::kSdma:
        return sdma;
      default:
        return bdc;
    }
  }
};

// Reads the file and runs the event model over its calls. Throws UserError for a file that cannot
// be read and for illegal calls.
Estimate estimate_recording(const std::string& path, const Chip& chip,
                            const TimingParameters& parameters);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_ESTIMATE_H_
