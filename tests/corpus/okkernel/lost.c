// Data of the BM1684 that is lost: buffers that lie over each other, holes in results.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};

// Sizes were added up without the gaps: the end of the first tensor is written over before it is
// used.
// EXPECT TL-LINT-001 warning @over_end @use_of_first
// RUN in=57600 out=115200
void buffers_too_close(const void* args) {
  const args_t* a = args;
  const dim4 odd = {1, 64, 15, 15};  // 900 bytes in 1024
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &odd, 0, 0);
  okk_gdma_32bit_cpy_S2L(768, a->in, &odd, 0, 0);  // @over_end
  okk_bdc_add_C(4096, 0, 1.0f, &odd, 0, 0);        // @use_of_first
  okk_bdc_add_C(8192, 768, 1.0f, &odd, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &odd, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out + 57600, 8192, &odd, 0, 0);
  okk_poll();
}
KERNEL(buffers_too_close)

// They meet exactly: the first ends where the second begins, without the gap of the last row.
// SILENT
// RUN in=57600 out=115200
void buffers_that_meet(const void* args) {
  const args_t* a = args;
  const dim4 odd = {1, 64, 15, 15};
  dim4 dense;
  okk_initialize();
  okk_compact_stride(&dense, 0, &odd);
  okk_gdma_32bit_cpy_S2L(0, a->in, &odd, &dense, 0);
  okk_gdma_32bit_cpy_S2L(900, a->in, &odd, &dense, 0);
  okk_bdc_add_C(4096, 0, 1.0f, &odd, &dense, &dense);
  okk_bdc_add_C(8192, 900, 1.0f, &odd, &dense, &dense);
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &odd, 0, &dense);
  okk_gdma_32bit_cpy_L2S(a->out + 57600, 8192, &odd, 0, &dense);
  okk_poll();
}
KERNEL(buffers_that_meet)

// A buffer that is used again, by a larger tensor, once the first is done with.
// SILENT
// RUN out=81920
void buffer_used_again(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 4, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &part, 0, 0);
  okk_bdc_add_C(4096, 0, 1.0f, &part, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out + 65536, 4096, &part, 0, 0);
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_add_C(4096, 0, 2.0f, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &kAll, 0, 0);
  okk_poll();
}
KERNEL(buffer_used_again)

// The last, smaller part is loaded to one address and computed from another, where full parts lay.
// EXPECT TL-LINT-006 warning @beside_add @beside_load
// RUN in=57344 out=57344
void tail_beside_its_place(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 4, 16}, tail = {1, 64, 2, 16};
  okk_initialize();
  for (int i = 0; i < 3; ++i) {
    okk_gdma_32bit_cpy_S2L(0, a->in + i * 16384, &part, 0, 0);
    okk_bdc_add_C(4096, 0, 1.0f, &part, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->out + i * 16384, 4096, &part, 0, 0);
  }
  okk_gdma_32bit_cpy_S2L(0, a->in + 49152, &tail, 0, 0);  // @beside_load
  okk_bdc_add_C(4096, 64, 1.0f, &tail, 0, 0);             // @beside_add
  okk_gdma_32bit_cpy_L2S(a->out + 49152, 4096, &tail, 0, 0);
  okk_poll();
}
KERNEL(tail_beside_its_place)

// Sliding windows: each step computes from rows of the one before on purpose.
// SILENT
// RUN out=57344
void sliding_rows(const void* args) {
  const args_t* a = args;
  const dim4 three = {1, 64, 14, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  dim4 of_all;
  okk_128_byte_aligned_stride_for_32bit(&of_all, 0, &kAll);
  okk_bdc_add(4096, 0, 64, &three, &of_all, &of_all, &of_all);
  okk_bdc_add(4096, 4096, 128, &three, &of_all, &of_all, &of_all);
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &three, 0, &of_all);
  okk_poll();
}
KERNEL(sliding_rows)

// The last tile is never stored.
// EXPECT TL-COVERAGE-001 error
void last_tile_missing(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 4, 16};
  okk_initialize();
  for (int i = 0; i < 3; ++i)
    okk_gdma_32bit_cpy_S2S(a->out + i * 16384, a->in + i * 16384, &part, 0, 0);
  okk_poll();
}
KERNEL(last_tile_missing)

// Rows are stored with the stride of a picture that is one column wider: holes between them.
// EXPECT TL-COVERAGE-001 error
// RUN out=69632
void holes_between_rows(const void* args) {
  const args_t* a = args;
  const dim4 wider = {0, 272, 17, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, &wider, 0);
  okk_poll();
}
KERNEL(holes_between_rows)

// The same, and the column is filled after it.
// SILENT
// RUN out=69632
void column_filled_later(const void* args) {
  const args_t* a = args;
  const dim4 wider = {0, 272, 17, 1}, column = {1, 64, 16, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, &wider, 0);
  okk_gdma_32bit_set_C_system(a->out + 64, (x32){.fp32 = 0}, &column, &wider);
  okk_poll();
}
KERNEL(column_filled_later)

// The host reads as much as was written and leaves the rest alone.
// SILENT
// RUN out=65536 read=16384
void host_reads_what_is_there(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 4, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2S(a->out, a->in, &part, 0, 0);
  okk_poll();
}
KERNEL(host_reads_what_is_there)

// The host has set the buffer to zero, the kernel writes a corner.
// SILENT
// RUN fill=1
void corner_of_a_filled_buffer(const void* args) {
  const args_t* a = args;
  const dim4 corner = {1, 3, 3, 3}, of_all = {0, 256, 16, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2S(a->out, a->in, &corner, &of_all, &of_all);
  okk_poll();
}
KERNEL(corner_of_a_filled_buffer)

// Tiles overlap where the size is no multiple: the last one is moved up and writes some rows again.
// SILENT
// RUN in=57600 out=57600
void last_tile_moved_up(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 60, 4, 15}, of_all = {0, 240, 15, 1};
  okk_initialize();
  for (int i = 0; i < 16; i += 4) {
    const int at = i < 12 ? i : 12;
    okk_gdma_32bit_cpy_S2L(0, a->in + at * 60, &rows, 0, &of_all);
    okk_bdc_add_C(0, 0, 1.0f, &rows, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->out + at * 60, 0, &rows, &of_all, 0);
  }
  okk_poll();
}
KERNEL(last_tile_moved_up)

// Sixteen launches, each of which writes its sixteenth.
// SILENT
// RUN launches=16
void a_sixteenth_each(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 1, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(a->launch * 64, a->in + a->launch * 4096, &part, 0, 0);
  okk_bdc_add_C(a->launch * 128, a->launch * 64, 1.0f, &part, &(dim4){0, 16, 16, 1}, 0);
  okk_gdma_32bit_cpy_L2S(a->out + a->launch * 4096, a->launch * 128, &part, 0,
                         &(dim4){0, 16, 16, 1});
  okk_poll();
}
KERNEL(a_sixteenth_each)
