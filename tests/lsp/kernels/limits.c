// Read by the language server, never compiled: what the text says of arguments, and what it does
// not.
#include "okk.h"

#define CHANNELS 70000
#define HALF (CHANNELS / 1000)
#if defined(BIG)
#define MAYBE 70000
#endif

static const dim4 kWide = {1, 70000, 1, 1};
static const dim4 kRight = {.n = 1, .c = 64, .h = 8, .w = 8};

static int pick(int c);

void literal(void) {
  okk_bdc_neg(2, 0, &(dim4){1, 64, 8, 8}, NULL, NULL);               // LIMIT dst_addr % 4 == 0
  okk_bdc_neg(0x400, 0, &(dim4){1, 70000, 1, 1}, 0, 0);              // LIMIT 1 <= shape.c <= 4095
  okk_bdc_neg(1 << 10, 4 * (1 + 1) - 6, &(dim4){1, 2, 3, 4}, 0, 0);  // LIMIT src_addr % 4 == 0
  okk_bdc_neg(0x400, 0, &kWide, 0, 0);                               // LIMIT 1 <= shape.c <= 4095
  okk_bdc_neg(0x400, 0, NULL, 0, 0);                                 // LIMIT not_null(shape)
  okk_bdc_neg(0x400, 0, &kRight, 0, 0);
  okk_bdc_neg(0x400, 0, &(dim4){1, HALF, 1, 1}, 0, 0);
  okk_bdc_neg(0x400, 0, &(dim4){1, CHANNELS, 1, 1}, 0, 0);  // LIMIT 1 <= shape.c <= 4095
  okk_bdc_neg(0x400, 0, &(dim4){1, MAYBE, 1, 1}, 0, 0);
  // okk_bdc_neg(2, 0, &kRight, 0, 0);
}

void named(const void* args) {
  dim4 shape = {1, 70000, 1, 1};
  dim4 changed = {1, 70000, 1, 1};
  dim4 given = {1, 70000, 1, 1};
  dim4 copied = {1, 70000, 1, 1};
  int c = 70000, counted = 70000;
  changed.c = pick(64);
  okk_128_byte_aligned_stride_for_32bit(&given, 0, &shape);
  dim4* pointer = &copied;
  for (int i = 0; i < 4; ++i) counted -= 20000;
  okk_bdc_neg(0x400, 0, &shape, 0, 0);  // LIMIT 1 <= shape.c <= 4095
  okk_bdc_neg(0x400, 0, &changed, 0, 0);
  okk_bdc_neg(0x400, 0, &given, 0, 0);
  okk_bdc_neg(0x400, 0, &copied, 0, 0);
  okk_bdc_neg(0x400, 0, &(dim4){1, c, 1, 1}, 0, 0);  // LIMIT 1 <= shape.c <= 4095
  okk_bdc_neg(0x400, 0, &(dim4){1, counted, 1, 1}, 0, 0);
  okk_bdc_neg(0x400, 0, &(dim4){1, shape.c - 60000, 1, 1}, 0, 0);  // LIMIT 1 <= shape.c <= 4095
  okk_bdc_neg(0x400, 0, pointer, 0, 0);
  okk_bdc_neg(0x402, pick(2), &kRight, 0, 0);  // LIMIT dst_addr % 4 == 0
  okk_bdc_neg(pick(0), pick(2), &kRight, 0, 0);
}

static const dim4 kOther = {1, 70000, 1, 1};

void parameter(int c, dim4 kOther) {
  okk_bdc_neg(0x400, 0, &(dim4){1, c, 1, 1}, 0, 0);
  okk_bdc_neg(0x400, 0, &kOther, 0, 0);
}

void shadowed(void) {
  int c = 64;
  {
    int c = 70000;
    okk_bdc_neg(0x400, 0, &(dim4){1, c, 1, 1}, 0, 0);
  }
}
