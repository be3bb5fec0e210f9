#include "tpu_first.c"
