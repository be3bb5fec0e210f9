// Ends of memories and of allocations of the BM1684.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};

// The output is one element short.
// EXPECT TL-MEMORY-002 error @short_store
// RUN out=65532
void output_one_element_short(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);  // @short_store
  okk_poll();
}
KERNEL(output_one_element_short)

// The number of tiles is rounded up and the last one loaded whole.
// EXPECT TL-MEMORY-002 error @whole_tail
// RUN in=39936 out=39936 n=9984
void tail_loaded_whole(const void* args) {
  const args_t* a = args;
  const int tile = 4096;
  okk_initialize();
  for (int at = 0; at < a->n; at += tile) {
    const dim4 whole = {1, 64, 1, 64};
    const int left = a->n - at < tile ? a->n - at : tile;
    const dim4 part = {1, left / 64, 1, 64};
    okk_gdma_32bit_cpy_S2L(0, a->in + at * 4, &whole, 0, 0);  // @whole_tail
    okk_gdma_32bit_cpy_L2S(a->out + at * 4, 0, &part, 0, 0);
  }
  okk_poll();
}
KERNEL(tail_loaded_whole)

// Offsets in elements where the address counts bytes, times four twice.
// EXPECT TL-MEMORY-003 error @far_load
// RUN out=16384
void offset_scaled_twice(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 4, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in + 3 * 16384 * 4, &part, 0, 0);  // @far_load
  okk_gdma_32bit_cpy_L2S(a->out, 0, &part, 0, 0);
  okk_poll();
}
KERNEL(offset_scaled_twice)

// The strides of the rows are those of a larger picture: the last row ends behind the allocation.
// EXPECT TL-MEMORY-002 error @wide_load
// MAY TL-INIT-002 error @wide_load
void strides_of_another_picture(const void* args) {
  const args_t* a = args;
  const dim4 wide = {0, 260, 16, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, &wide);  // @wide_load
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(strides_of_another_picture)

// The tail is counted from the wrong end: it starts before the buffer.
// EXPECT TL-MEMORY-003 error @before
// RUN out=256
void starts_before_the_buffer(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 1, 1, 64};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in - 256, &part, 0, 0);  // @before
  okk_gdma_32bit_cpy_L2S(a->out, 0, &part, 0, 0);
  okk_poll();
}
KERNEL(starts_before_the_buffer)

// A row of channels more than an NPU holds.
// EXPECT TL-MEMORY-001 error @npu_end
// RUN in=70000
void past_the_npu(const void* args) {
  const args_t* a = args;
  const dim4 tall = {1, 65, 16, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(okk_local_mem_size_per_npu() - 1024, a->in, &tall, 0, 0);  // @npu_end
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(past_the_npu)

// Buffers are laid one behind the other; the last one has no room.
// EXPECT TL-MEMORY-001 error @last_buffer
void last_buffer_too_far(const void* args) {
  const args_t* a = args;
  const dim4 large = {1, 64, 256, 256};  // 262144 bytes in every NPU, two of them fill it
  okk_initialize();
  okk_gdma_32bit_set_C_local(0, (x32){.fp32 = 1.0f}, &large, 0);
  okk_bdc_add_C(262144, 0, 1.0f, &large, 0, 0);
  okk_bdc_add_C(524160, 262144, 1.0f, &kAll, 0, 0);  // @last_buffer
  okk_gdma_32bit_cpy_L2S(a->out, 524160, &kAll, 0, 0);
  okk_poll();
}
KERNEL(last_buffer_too_far)

// The table does not fit what programs may use of L2.
// EXPECT TL-MEMORY-006 warning @l2_end
// EXPECT TL-MEMORY-006 warning @l2_back
// FINDINGS 2
void past_the_end_of_l2(const void* args) {
  const args_t* a = args;
  okk_initialize();
  const system_addr_t near_end = okk_l2_sram_start_addr() + okk_l2_sram_size() - 32768;
  okk_gdma_32bit_cpy_S2S(near_end, a->in, &kAll, 0, 0);   // @l2_end
  okk_gdma_32bit_cpy_S2S(a->out, near_end, &kAll, 0, 0);  // @l2_back
  okk_poll();
}
KERNEL(past_the_end_of_l2)

// The result goes where `in` plus 1 MB points, which belongs to nobody's argument or to nobody at
// all.
// EXPECT TL-MEMORY-003 error @no_memory
// MAY TL-COVERAGE-001 error
void between_allocations(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->in + (64 << 20), 0, &kAll, 0, 0);  // @no_memory
  okk_poll();
}
KERNEL(between_allocations)

// An address kept in 32 bits.
// EXPECT TL-MEMORY-001 error @cut
void address_cut_to_32_bits(const void* args) {
  const args_t* a = args;
  const unsigned int kept = (unsigned int)a->in;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, kept, &kAll, 0, 0);  // @cut
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(address_cut_to_32_bits)

// Exactly the last bytes of an allocation, of an NPU and of L2.
// SILENT
// RUN in=65540 out=65540
void exactly_to_the_end(const void* args) {
  const args_t* a = args;
  const dim4 one = {1, 1, 1, 1};
  const system_addr_t l2 = okk_l2_sram_start_addr() + okk_l2_sram_size() - 4;
  const local_addr_t last = 63 * okk_local_mem_size_per_npu() + okk_local_mem_size_per_npu() - 4;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(okk_local_mem_size_per_npu() - 1024, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, okk_local_mem_size_per_npu() - 1024, &kAll, 0, 0);
  okk_gdma_32bit_cpy_S2L(last, a->in + 65536, &one, 0, 0);
  okk_gdma_32bit_cpy_L2S(l2, last, &one, 0, 0);
  okk_gdma_32bit_cpy_S2S(a->out + 65536, l2, &one, 0, 0);
  okk_poll();
}
KERNEL(exactly_to_the_end)

// A tensor whose aligned size leaves the NPU, whose elements do not: the gap behind the last row
// may be cut off.
// SILENT
// RUN in=6144 out=6144
void gap_behind_the_end(const void* args) {
  const args_t* a = args;
  const dim4 odd = {1, 64, 1, 24};  // 96 of 128 bytes
  okk_initialize();
  const local_addr_t end = okk_local_mem_size_per_npu() - 96;
  dim4 close;
  okk_compact_stride(&close, 0, &odd);
  okk_gdma_32bit_cpy_S2L(end, a->in, &odd, &close, 0);
  okk_bdc_add_C(end, end, 1.0f, &odd, &close, &close);
  okk_gdma_32bit_cpy_L2S(a->out, end, &odd, 0, &close);
  okk_poll();
}
KERNEL(gap_behind_the_end)

// A huge stride that nothing uses: there is one batch.
// SILENT
void stride_of_a_single_batch(const void* args) {
  const args_t* a = args;
  const dim4 huge = {1 << 24, 256, 16, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, &huge);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, &huge, 0);
  okk_poll();
}
KERNEL(stride_of_a_single_batch)

// The whole of local memory, 32 MB, in one command.
// SILENT
// RUN in=0
void all_of_local_memory(const void* args) {
  const args_t* a = args;
  const dim4 everything = {1, 64, 512, 256};
  okk_initialize();
  okk_gdma_32bit_set_C_local(0, (x32){.fp32 = 2.0f}, &everything, 0);
  okk_gdma_32bit_cpy_L2S(a->out, okk_local_mem_size_per_npu() - 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(all_of_local_memory)

// Full tiles, a partial tail and a tail of nothing, which is left out.
static void in_tiles(const args_t* a, int n) {
  for (int at = 0; at < n; at += 4096) {
    const int left = n - at < 4096 ? n - at : 4096, rows = left / 64, rest = left % 64;
    const dim4 part = {1, rows, 1, 64}, last = {1, 1, 1, rest};
    if (rows) {
      okk_gdma_32bit_cpy_S2L(0, a->in + at * 4, &part, 0, 0);
      okk_bdc_add_C(256, 0, 1.0f, &part, 0, 0);
      okk_gdma_32bit_cpy_L2S(a->out + at * 4, 256, &part, 0, 0);
    }
    if (rest) {
      okk_gdma_32bit_cpy_S2L(1024, a->in + (at + rows * 64) * 4, &last, 0, 0);
      okk_bdc_add_C(2048, 1024, 1.0f, &last, 0, 0);
      okk_gdma_32bit_cpy_L2S(a->out + (at + rows * 64) * 4, 2048, &last, 0, 0);
    }
  }
}

// SILENT
// RUN in=40012 out=40012 n=10003
void tiles_and_a_tail(const void* args) {
  okk_initialize();
  in_tiles(args, ((const args_t*)args)->n);
  okk_poll();
}
KERNEL(tiles_and_a_tail)

// SILENT
// RUN in=16384 out=16384 n=4096
void tiles_without_a_tail(const void* args) {
  okk_initialize();
  in_tiles(args, ((const args_t*)args)->n);
  okk_poll();
}
KERNEL(tiles_without_a_tail)

// SILENT
// RUN in=4 out=4 n=1
void tail_of_one(const void* args) {
  okk_initialize();
  in_tiles(args, ((const args_t*)args)->n);
  okk_poll();
}
KERNEL(tail_of_one)

// Input and output are one buffer: updated in place, tile by tile.
// SILENT
// RUN in=0 fill=1
void one_buffer_in_place(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 4, 16};
  okk_initialize();
  for (int i = 0; i < 4; ++i) {
    okk_gdma_32bit_cpy_S2L(0, a->out + i * 16384, &part, 0, 0);
    okk_bdc_add_C(0, 0, (float)i, &part, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->out + i * 16384, 0, &part, 0, 0);
  }
  okk_poll();
}
KERNEL(one_buffer_in_place)
