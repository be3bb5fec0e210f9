#include "bmlib_runtime.h"
// The other header second.
#include "okk.h"
// Both in use.
#include "headers.h"
