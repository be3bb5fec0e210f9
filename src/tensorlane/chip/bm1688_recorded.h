// Which functions the model of the BM1688 was recorded on.
#ifndef TENSORLANE_CHIP_BM1688_RECORDED_H_
#define TENSORLANE_CHIP_BM1688_RECORDED_H_

#include <string_view>

namespace tensorlane {

// Their names, a space between each and the next. A test holds it to the recordings.
std::string_view bm1688_recorded_functions();

}  // namespace tensorlane

#endif  // TENSORLANE_CHIP_BM1688_RECORDED_H_
