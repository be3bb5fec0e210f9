// Who wrote a value, and from what: the observer behind `tensorlane why`.
#ifndef TENSORLANE_OBSERVE_WHY_TOOL_H_
#define TENSORLANE_OBSERVE_WHY_TOOL_H_

#include <string>

#include "tensorlane/device/device.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

// `question`: JSON (why/question.h). The device appends its answer to the report when it ends:
//
//   {"tool":"why","process":7,"device":0,"chip":"bm1684",
//    "asked":true,                   the host read the place, or somebody wrote it
//    "place":"global memory 0x105101000", "when":"...", "read":{...}, "steps":[...],   see chain.h
//    "events":812,"fingerprint":"..."}   equal in runs that do the same
//
// "error" in place of the chain where there is no such place on the device.
void answer_why(Device& device, const std::string& question, const Say& say);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_WHY_TOOL_H_
