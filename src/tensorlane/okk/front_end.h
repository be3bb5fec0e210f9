// OKKernel as a front end; free of okk.h, see device/front_end.h.
#ifndef TENSORLANE_OKK_FRONT_END_H_
#define TENSORLANE_OKK_FRONT_END_H_

#include "tensorlane/device/front_end.h"

namespace tensorlane::okk {

const FrontEnd& front_end();

}  // namespace tensorlane::okk

#endif  // TENSORLANE_OKK_FRONT_END_H_
