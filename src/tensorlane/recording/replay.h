// Executes a recorded call sequence on the emulator, with random data.
#ifndef TENSORLANE_RECORDING_REPLAY_H_
#define TENSORLANE_RECORDING_REPLAY_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "tensorlane/device/observer.h"
#include "tensorlane/device/session.h"

namespace tensorlane {

struct Replay {
  long long calls = 0;
  long long commands = 0;
  double seconds = 0;  // host time of the execution alone
};

// Fills every byte of system memory that the sequence reads with random fp32 values in [-1, 1),
// then runs it; that of several cores command by command as they took effect. Throws UserError for
// a file that cannot be read and for illegal calls.
Replay replay_recording(const std::string& path, const Chip& chip, std::uint32_t seed,
                        ImplementationChoice choice, std::span<Observer* const> observers = {});

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_REPLAY_H_
