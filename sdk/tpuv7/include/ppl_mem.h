// SPDX-License-Identifier: Apache-2.0
//
// ppl_mem.h - hosts that PPL and TileLang write include it; nothing in it is called by those seen.

#ifndef TENSORLANE_PPL_MEM_H_
#define TENSORLANE_PPL_MEM_H_
#endif  // TENSORLANE_PPL_MEM_H_
