// Writes the calls of kernels as recorded call sequences (recording.h).
#ifndef TENSORLANE_RECORDING_RECORDER_H_
#define TENSORLANE_RECORDING_RECORDER_H_

#include <string>

#include "tensorlane/device/device.h"

namespace tensorlane {

// The first launch of the device goes to `path`, launch number n (from 1) to the same name with
// "-n" before the extension. A name that ends in .gz is compressed.
void attach_recorder(Device& device, const std::string& path);
// The same with the path that the environment variable TENSORLANE_RECORD holds, if any.
void attach_recorder_of_environment(Device& device);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_RECORDER_H_
