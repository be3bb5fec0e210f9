// The modelled time of a recorded call sequence.
#ifndef TENSORLANE_RECORDING_ESTIMATE_H_
#define TENSORLANE_RECORDING_ESTIMATE_H_

#include <string>

#include "tensorlane/chip/timing_parameters.h"

namespace tensorlane {

struct Estimate {
  long long calls = 0;
  long long gdma_commands = 0;
  long long bdc_commands = 0;
  double kernel_us = 0;  // from the first call to the last engine being done
  double host_us = 0;    // what a host would measure around a synchronous launch
  double gdma_busy_us = 0;
  double bdc_busy_us = 0;
};

// Reads the file and runs the event model over its calls. Throws UserError for a file that cannot
// be read and for illegal calls.
Estimate estimate_recording(const std::string& path, const Chip& chip,
                            const TimingParameters& parameters);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_ESTIMATE_H_
