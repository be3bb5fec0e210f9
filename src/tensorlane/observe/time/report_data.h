// What the report page knows of a launch: JSON that its script reads, and any other program may.
//
//   {"profile": {...},                          what --profile writes of the launch (timeline.h)
//    "commands": {"line":[0,1,..],              index of profile.lines of each command that is
//    drawn
//                 "issue":[..],"issued":[..],   the processor at it, microseconds from .. to
//                 "start":[..],"end":[..],      its engine at it
//                 "bytes":[..],                 moved by the GDMA
//                 "operations":[..],"operand_bytes":[..],   of the BDC; see TimedCommand
//                 "peak":[..],                  GB/s or Gop/s at most; 0 where there is none
//                 "region":[..],                parallel region, -1 outside
//                 "core":[..]},                 whose it is
//    "blocks": [[begin,end,start,end,writer,reader,core],..]   of local memory (local_map.h);
//                                               bytes, us, indices of commands, -1 for none
//    "sources": [[..],..],                      per command those that wrote what it reads; of more
//                                               than 32 the number of the others, negative, comes
//                                               last
//    "calls": ["okk_bdc_neg(0x0, ..", ..]}      of the first commands, where they were kept
#ifndef TENSORLANE_OBSERVE_TIME_REPORT_DATA_H_
#define TENSORLANE_OBSERVE_TIME_REPORT_DATA_H_

#include <cstddef>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/time/timeline.h"

namespace tensorlane::observe {

// Of the commands the first `most`.
Json chart_json(const Timeline& timeline, std::size_t most);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_REPORT_DATA_H_
