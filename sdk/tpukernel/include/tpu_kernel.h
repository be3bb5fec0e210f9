// SPDX-License-Identifier: Apache-2.0
//
// tpu_kernel.h - TPUKernel, the device programming interface of the BM1684X.
//
// A kernel is a C function that takes `const void* args`, registered with
// TPUKERNEL_FUNC_REGISTER(f). It moves data with the GDMA functions, computes with the BDC
// functions and sorts with the HAU functions:
//
//   host memory <-bmlib-> global memory (DDR) <-GDMA-> local memory of 64 NPUs <-> BDC
//                                             <-HAU->
//
// The rules every function below shares:
//
//  * Shapes are {n, c, h, w} in elements. Strides are {n, c, h, w} in elements of the operand's own
//    type; stride 0 reads a source again along that dimension.
//  * A local address A lies in NPU A / 262144, the "start NPU" Q of a tensor. Channel c lives in
//  NPU
//    (Q + c) % 64, in channel row (Q + c) / 64; rows = ceil((Q + C) / 64) are reserved per batch.
//    So the C stride of a local tensor is the distance from channel c to channel c + 64.
//  * Default layouts, used where a stride is NULL or cannot be given:
//      aligned       (local)   w 1, h W, c H*W rounded up to 64 bytes, n c * rows
//      compact       (local)   w 1, h W, c H*W,                        n c * rows
//      line-aligned  (local)   w 1, h W rounded up to 64 bytes, c H*h, n c * rows
//      continuous    (system)  w 1, h W, c H*W,                        n C*H*W
//      matrix        (local)   rows x cols as the aligned tensor {rows, ceil(cols / K), 1, K} with
//      K
//                              columns per channel; the last channel may be short. A vector is a
//                              matrix of one row.
//  * Convolution weights of 16 bits keep 32 input channels of one kernel position side by side
//    (32IC), those of 8 bits 64 (64IC); output channels spread over the NPUs.
//  * "System" addresses are absolute and name global memory or L2 SRAM.
//  * Alignment: operands in the aligned layout start at multiples of 64 bytes, those with a stride
//    of their own at multiples of the element size.
//  * BDC and GDMA extents are in [1, 65535].
//  * Every call only issues a command. Commands take effect in issue order, except between
//    tpu_parallel_start and tpu_parallel_end, where GDMA and BDC run side by side.
//
// A call that breaks a rule ends the launch with a message that names the function, the parameter
// and the rule; so does a function that the BM1684X does not have. The host gets an error status
// and the device stays usable.
//
// C99, C11 and C++11 to C++20. bmlib_runtime.h may be included as well, in either order.

#ifndef TENSORLANE_TPU_KERNEL_H_
#define TENSORLANE_TPU_KERNEL_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tpu_defs.h"
#include "tpu_kernel/bdc_arithmetic.h"
#include "tpu_kernel/bdc_integer.h"
#include "tpu_kernel/bdc_matrix.h"
#include "tpu_kernel/bdc_select.h"
#include "tpu_kernel/bdc_special.h"
#include "tpu_kernel/bdc_window.h"
#include "tpu_kernel/common.h"
#include "tpu_kernel/cores.h"
#include "tpu_kernel/gdma.h"
#include "tpu_kernel/hau.h"
#include "tpu_kernel/later_bdc.h"
#include "tpu_kernel/later_bm1690.h"
#include "tpu_kernel/later_dma.h"

#endif  // TENSORLANE_TPU_KERNEL_H_
