#include "tensorlane_debug.h"

extern "C" const char* tensorlane_version() {
  return TENSORLANE_VERSION;
}
