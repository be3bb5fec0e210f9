// What contest kernels include beside okk.h.
#include "bm_atomic.h"
#include "bmlib_runtime.h"
// The other header second.
#include "okk.h"
// Both in use.
#include "headers.h"
