// A program without TensorLane: nothing is said and nothing happens.
#include "tensorlane_debug.h"

int main(void) {
  static float reference[64];
  tl_name(0x1000, tl_nchw("fp32", 1, 1, 8, 8), "nothing");
  tl_expect(0x1000, tl_in_layout(tl_nchw("fp32", 1, 1, 8, 8), "compact"), reference, NULL);
  tl_print(0x1000, tl_nchw("fp32", 1, 1, 8, 8));
  tl_dump(0x1000, tl_nchw("fp32", 1, 1, 8, 8), "never.npy");
  return 0;
}
