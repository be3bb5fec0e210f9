// What `--precision` says: as JSON, which a device writes, and as a table, which people read.
//
//   {"tool": "precision", "device": 0,
//    "reads": [{"place": "host.c:30 in main", "elements": 64, "error": 0.001, "not_finite": 0,
//               "worst": {"address": "0x105100004", "value": 0.5, "double": 0.51,
//                         "line": "kernel.c:20 in kernel", "part": 0.9}}],
//    "lines": [{"place": "kernel.c:20 in kernel", "source": "tpu_bdc_fp_add(...);",
//               "function": "tpu_bdc_fp_add", "calls": 3, "elements": 192, "entered": 0.0003,
//               "handed_on": 0.001, "arrived": 0.0005, "amplifies": 0, "share": 0.9, "overflows":
//               0, "flushed": 0, "saturated": 0, "unknown": 0}]}
//
// Errors are relative: root mean squares over that of the values. "share" is the line's part in the
// errors of all that the host read; "amplifies": how many times what it hands on is larger than
// what arrives and enters, 0 below 4. Lines come largest first.
#ifndef TENSORLANE_OBSERVE_PRECISION_PRECISION_REPORT_H_
#define TENSORLANE_OBSERVE_PRECISION_PRECISION_REPORT_H_

#include <map>
#include <string>
#include <vector>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/precision/precision.h"

namespace tensorlane::precision {

Json precision_json(const std::vector<LineErrors>& lines,
                    const std::map<const void*, ReadErrors>& reads, int device);
std::string precision_text(const Json& report);

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_PRECISION_REPORT_H_
