// SPDX-License-Identifier: Apache-2.0
//
// Another name of ppl.h, which some kernels include.

#ifndef TENSORLANE_PPL_TPU_H_
#define TENSORLANE_PPL_TPU_H_

#include "ppl.h"

#endif  // TENSORLANE_PPL_TPU_H_
