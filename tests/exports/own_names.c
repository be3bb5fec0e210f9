// Variables of a program that happen to have the names of objects inside libbmlib.so: both keep
// what is theirs.
#include <stdio.h>
#include <string.h>

#include "okk.h"

char okk_bdc_conv2d_spec[8] = "mine";
char okk_bdc_add_spec[8] = "mine";
char tensorlane_after[600] = "untouched";  // where a larger object of ours would reach

int main(void) {
  static const char text[600] = "untouched";
  if (okk_npu_num() != 64) return 1;
  if (strcmp(okk_bdc_conv2d_spec, "mine") != 0 || strcmp(okk_bdc_add_spec, "mine") != 0) return 2;
  return memcmp(tensorlane_after, text, sizeof text) == 0 ? 0 : 3;
}
