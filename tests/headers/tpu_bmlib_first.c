#include "bmlib_runtime.h"

#include "tpu_kernel.h"

#include "tpu_headers.h"
