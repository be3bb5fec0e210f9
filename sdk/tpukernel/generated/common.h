// SPDX-License-Identifier: Apache-2.0
//
// common.h - what kernels that compilers emit expect under this name: the headers of C, and numbers
// with their bits.

#ifndef TENSORLANE_GENERATED_COMMON_H_
#define TENSORLANE_GENERATED_COMMON_H_

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union {
  uint16_t bits;
  struct {
    uint16_t frac : 10, exp : 5, sign : 1;
  } format;
} fp16;

typedef union {
  uint16_t bits;
  struct {
    uint16_t frac : 7, exp : 8, sign : 1;
  } format;
} bf16;

typedef union {
  float fval;
  uint32_t bits;
  struct {
    uint32_t frac : 23, exp : 8, sign : 1;
  } format;
} fp32;

// Numbers of commands, which runtimes hand from one kernel to the next. Nothing here reads them.
typedef struct cmd_id_node {
  unsigned int bd_cmd_id, gdma_cmd_id, hau_cmd_id, sdma_cmd_id;
  bool in_parallel_state;
} CMD_ID_NODE;

#endif  // TENSORLANE_GENERATED_COMMON_H_
