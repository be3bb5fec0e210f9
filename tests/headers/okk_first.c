#include "okk.h"
// The other header second.
#include "bmlib_runtime.h"
// Both in use.
#include "headers.h"
