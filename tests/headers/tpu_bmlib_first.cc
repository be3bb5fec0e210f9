#include "tpu_bmlib_first.c"
