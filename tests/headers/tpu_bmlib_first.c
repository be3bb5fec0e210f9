#include "bmlib_runtime.h"
#include "tpu_headers.h"
#include "tpu_kernel.h"
