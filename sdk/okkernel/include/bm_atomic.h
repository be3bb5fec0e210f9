// bm_atomic.h: there so that device code written against the vendor's SDK compiles as it is.
//
// Kernels include it beside okk.h and call nothing of it: the functions it declares there are those
// okk.h is built on, and no public document defines them. Here it is okk.h alone; a call of
// anything else is an error of the compiler or the linker that names the function.
#ifndef TENSORLANE_SDK_BM_ATOMIC_H_
#define TENSORLANE_SDK_BM_ATOMIC_H_

#include "okk.h"

#endif  // TENSORLANE_SDK_BM_ATOMIC_H_
