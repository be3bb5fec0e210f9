// Bytes that a case may leave as it likes: they are taken over from memory into the copy of what it
// should hold. What the latest command of the session wrote where comes from its operands.
#ifndef TENSORLANE_CONFORMANCE_ACCEPTED_BYTES_H_
#define TENSORLANE_CONFORMANCE_ACCEPTED_BYTES_H_

#include <vector>

#include "tensorlane/conformance/cases.h"
#include "tensorlane/conformance/machine_image.h"
#include "tensorlane/device/session.h"

namespace tensorlane::conformance {

// What the latest command wrote into its operands, by their layouts, is taken as right. The ranges
// go behind those of `touched`.
void accept_written(const Session& session, MachineImage& image, std::vector<BufferRange>& touched);

// Where any NaN does, one that a result was and still is counts too: a recording may hold nothing
// but the bytes that changed.
void accept_other_nans(const Session& session, MachineImage& image);

// An exception may write what it likes where the recording has results, and between the elements of
// its own.
void accept_expected_places(const Session& session, MachineImage& image,
                            const RecordedCase& recorded);

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_ACCEPTED_BYTES_H_
