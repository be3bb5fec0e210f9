// Writes the calls of kernels as recorded call sequences (recording/recording.h).
#ifndef TENSORLANE_OBSERVE_RECORDER_H_
#define TENSORLANE_OBSERVE_RECORDER_H_

#include <string>

#include "tensorlane/device/device.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

// The first launch of the first device goes to `path`, launch number n (from 1) to the same name
// with
// "-n" before the extension, those of the second device to names with ".2" there. A name that ends
// in .gz is compressed.
void record_calls(Device& device, const std::string& path, const Say& say);

// A call as a line of the format, without the line end.
std::string recorded_line(const Op& op, std::span<const Arg> args);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_RECORDER_H_
