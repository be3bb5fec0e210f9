#include "bmlib_first.c"
