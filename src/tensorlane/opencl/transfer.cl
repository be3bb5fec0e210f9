// The kernels that move tensors between row-major buffers and packed pixels: one family for every
// layout. Where an element lies comes from `struct map`, the PixelMap of the host (pixel_map.h).
//
// Options of the build:
//   PLAIN_HALF    1: the row-major buffer holds half, 0: float
//   PACKED_HALF   1: the pixels hold half, 0: float
//   INTEGER       0: as these two say; 1: pixels and buffer hold int; 2: the pixels uint, and so does
//                 the buffer unless
//   PLAIN_BYTE    1: it holds uchar
//   PACKED_IMAGE  1: the pixels are an image, 0: a buffer with the rows of an image
//   RUN           pixels along x that one work-item moves: 1 on GPUs, many on CPUs
//
// No half arithmetic is needed: equal types are moved as bits between buffers, everything else goes
// through float. Rounding to half is to nearest even on every device, because it is done here and
// not left to write_imagef.

struct digit {
  int divisor, modulus, extent, stride, lane_step;
};

struct map {
  int width, lane_stride, lane_extent, plain_elements, echoes;
  int column_digits, row_digits;
  struct digit columns[MAX_DIGITS], rows[MAX_DIGITS];
};

#if PLAIN_BYTE
#define PLAIN uchar
#define PIXEL uint4
#define LOAD(plain, at) (uint)(plain)[at]
#define LOAD4(plain, at) convert_uint4(vload4(0, (plain) + (at)))
#define STORE(plain, at, value) (plain)[at] = convert_uchar_sat(value)
#define STORE4(plain, at, value) vstore4(convert_uchar4_sat(value), 0, (plain) + (at))
#elif INTEGER || (!PACKED_IMAGE && PLAIN_HALF == PACKED_HALF)  // bits
#if PLAIN_HALF
#define PLAIN ushort
#define PIXEL ushort4
#elif INTEGER == 1
#define PLAIN int
#define PIXEL int4
#else
#define PLAIN uint
#define PIXEL uint4
#endif
#define LOAD(plain, at) (plain)[at]
#define LOAD4(plain, at) vload4(0, (plain) + (at))
#define STORE(plain, at, value) (plain)[at] = (value)
#define STORE4(plain, at, value) vstore4(value, 0, (plain) + (at))
#elif PLAIN_HALF
#define PLAIN half
#define PIXEL float4
#define LOAD(plain, at) vload_half(at, plain)
#define LOAD4(plain, at) vload_half4(0, (plain) + (at))
#define STORE(plain, at, value) vstore_half_rte(value, at, plain)
#define STORE4(plain, at, value) vstore_half4_rte(value, 0, (plain) + (at))
#else
#define PLAIN float
#define PIXEL float4
#define LOAD(plain, at) (plain)[at]
#define LOAD4(plain, at) vload4(0, (plain) + (at))
#define STORE(plain, at, value) (plain)[at] = (value)
#define STORE4(plain, at, value) vstore4(value, 0, (plain) + (at))
#endif

#if PACKED_IMAGE
#define PACKED_FROM read_only image2d_t
#define PACKED_TO write_only image2d_t
#endif
#if PACKED_IMAGE && INTEGER == 1
#define LOAD_PIXEL(packed, x, y, at) read_imagei(packed, (int2)(x, y))
#define STORE_PIXEL(packed, x, y, at, value) write_imagei(packed, (int2)(x, y), value)
#elif PACKED_IMAGE && INTEGER == 2
#define LOAD_PIXEL(packed, x, y, at) read_imageui(packed, (int2)(x, y))
#define STORE_PIXEL(packed, x, y, at, value) write_imageui(packed, (int2)(x, y), value)
#elif PLAIN_BYTE
#define PACKED_FROM global const uint*
#define PACKED_TO global uint*
#define LOAD_PIXEL(packed, x, y, at) vload4(at, packed)
#define STORE_PIXEL(packed, x, y, at, value) vstore4(value, at, packed)
#elif PACKED_IMAGE
#define LOAD_PIXEL(packed, x, y, at) read_imagef(packed, (int2)(x, y))
#define STORE_PIXEL(packed, x, y, at, value) write_imagef(packed, (int2)(x, y), rounded(value))
#elif PLAIN_HALF == PACKED_HALF
#define PACKED_FROM global const PLAIN*
#define PACKED_TO global PLAIN*
#define LOAD_PIXEL(packed, x, y, at) vload4(at, packed)
#define STORE_PIXEL(packed, x, y, at, value) vstore4(value, at, packed)
#elif PACKED_HALF
#define PACKED_FROM global const half*
#define PACKED_TO global half*
#define LOAD_PIXEL(packed, x, y, at) vload_half4(at, packed)
#define STORE_PIXEL(packed, x, y, at, value) vstore_half4_rte(value, at, packed)
#else
#define PACKED_FROM global const float*
#define PACKED_TO global float*
#define LOAD_PIXEL(packed, x, y, at) vload4(at, packed)
#define STORE_PIXEL(packed, x, y, at, value) vstore4(value, at, packed)
#endif

#if PACKED_IMAGE && !INTEGER
// The value that the image will hold.
float4 rounded(const float4 value) {
#if PACKED_HALF && !PLAIN_HALF
  ushort bits[4];
  vstore_half4_rte(value, 0, (half*)bits);
  return vload_half4(0, (const half*)bits);
#else
  return value;
#endif
}
#endif

// Pixels (x, y) to (stop - 1, y), neighbours along the innermost digit of x. The first `whole` of
// them have four elements each, those up to `real` at least one, the rest none. `offset` is where
// lane 0 of the first pixel lies in the plain buffer, `left` counts the elements from there on
// along the dimension of the lanes.
struct run {
  int x, y, stop, whole, real, offset, left;
};

// Adds what the digits of one axis say about position `at`; false where there is no element.
bool add_digits(struct run* run, constant const struct digit* digits, const int count,
                const int at) {
  bool real = true;
  for (int i = 0; i < count; ++i) {
    const int value = at / digits[i].divisor % digits[i].modulus;
    run->offset += value * digits[i].stride;
    run->left -= value * digits[i].lane_step;
    real = real && value < digits[i].extent;
  }
  return real;
}

// Work-items are counted along the outer digits of x first, then along the runs of the innermost
// one, then along the rows: neighbours share what they read from the plain buffer.
struct run run_of(constant const struct map* map, const int item, const int first_row) {
  const struct digit inner = map->columns[0];
  const int outer = map->width / inner.modulus;
  const int runs = (inner.modulus + RUN - 1) / RUN;
  // Remainders by multiplication: Oclgrind stops at what the compiler makes of / beside %.
  const int run_number = item / outer, row = run_number / runs;
  const int begin = (run_number - row * runs) * RUN;
  struct run run;
  run.x = (item - run_number * outer) * inner.modulus + begin;
  run.y = first_row + row;
  const int length = min(RUN, inner.modulus - begin);
  run.stop = run.x + length;
  run.offset = 0;
  run.left = map->lane_extent;
  const int column = run.x - begin;
  bool real = add_digits(&run, map->columns + 1, map->column_digits - 1, column);
  real = add_digits(&run, map->rows, map->row_digits, run.y) && real;
  run.offset += begin * inner.stride;
  run.left -= begin * inner.lane_step;
  const int count = real ? clamp(inner.extent - begin, 0, length) : 0;
  run.real = run.x + count;
  const int full = inner.lane_step > 0 ? run.left / inner.lane_step : run.left >= 4 ? count : 0;
  run.whole = map->echoes ? run.x : run.x + clamp(full, 0, count);
  return run;
}

// dst pixels = the elements of the tensor, zero in lanes without one.
kernel void pack(global const PLAIN* plain, PACKED_TO packed, constant const struct map* map,
                 const int first_row, const int items) {
  const int item = get_global_id(0);
  if (item >= items) return;
  struct run run = run_of(map, item, first_row);
  const int step = map->columns[0].stride, lane_step = map->columns[0].lane_step;
  const int lanes = map->lane_stride;
  const int pixel = (run.y - first_row) * map->width;
  int x = run.x, offset = run.offset, left = run.left;
  if (lanes == 1) {
    for (; x < run.whole; ++x, offset += step) {
      STORE_PIXEL(packed, x, run.y, pixel + x, LOAD4(plain, offset));
    }
  } else {
    for (; x < run.whole; ++x, offset += step) {
      const PIXEL value = (PIXEL)(LOAD(plain, offset), LOAD(plain, offset + lanes),
                                  LOAD(plain, offset + 2 * lanes), LOAD(plain, offset + 3 * lanes));
      STORE_PIXEL(packed, x, run.y, pixel + x, value);
    }
  }
  left -= (x - run.x) * lane_step;
  for (; x < run.stop; ++x, offset += step, left -= lane_step) {
    PIXEL value = (PIXEL)(0);
    if (x < run.real) {
      // Repeated columns may lie past the end of the buffer.
      const int room = map->plain_elements - offset;
      if (room > 0) value.x = LOAD(plain, offset);
      if (left > 1 && room > lanes) value.y = LOAD(plain, offset + lanes);
      if (left > 2 && room > 2 * lanes) value.z = LOAD(plain, offset + 2 * lanes);
      if (left > 3 && room > 3 * lanes) value.w = LOAD(plain, offset + 3 * lanes);
    }
    STORE_PIXEL(packed, x, run.y, pixel + x, value);
  }
}

// The way back; lanes without an element are not read into the buffer.
kernel void unpack(global PLAIN* plain, PACKED_FROM packed, constant const struct map* map,
                   const int first_row, const int items) {
  const int item = get_global_id(0);
  if (item >= items) return;
  struct run run = run_of(map, item, first_row);
  const int step = map->columns[0].stride, lane_step = map->columns[0].lane_step;
  const int lanes = map->lane_stride;
  const int pixel = (run.y - first_row) * map->width;
  int x = run.x, offset = run.offset, left = run.left;
  if (lanes == 1) {
    for (; x < run.whole; ++x, offset += step) {
      STORE4(plain, offset, LOAD_PIXEL(packed, x, run.y, pixel + x));
    }
  } else {
    for (; x < run.whole; ++x, offset += step) {
      const PIXEL value = LOAD_PIXEL(packed, x, run.y, pixel + x);
      STORE(plain, offset, value.x);
      STORE(plain, offset + lanes, value.y);
      STORE(plain, offset + 2 * lanes, value.z);
      STORE(plain, offset + 3 * lanes, value.w);
    }
  }
  left -= (x - run.x) * lane_step;
  for (; x < run.real; ++x, offset += step, left -= lane_step) {
    const PIXEL value = LOAD_PIXEL(packed, x, run.y, pixel + x);
    STORE(plain, offset, value.x);
    if (left > 1) STORE(plain, offset + lanes, value.y);
    if (left > 2) STORE(plain, offset + 2 * lanes, value.z);
    if (left > 3) STORE(plain, offset + 3 * lanes, value.w);
  }
}
