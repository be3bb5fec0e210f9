// Copies, transposes, reversal, gather and scatter as documented, on random calls.
#include "tensorlane/tpukernel/documented_test_support.h"

namespace tensorlane::tpukernel::documented {
namespace {

TEST_F(Documented, CopiesAndTransposes) {
  for (int round = 0; round < 2 * kRounds; ++round) {
    next_round();
    const data_type_t type = any(kIntegers);
    const PlacedTensor dst = loose(0, type);
    const dim4 shapes[] = {shape_,
                           {shape_.c, shape_.n, shape_.h, shape_.w},
                           {shape_.n, shape_.w, shape_.h, shape_.c},
                           {shape_.n, 1, shape_.h, shape_.w}};
    const int kind = random(0, 3);
    if (kind == 3) {  // one row of NPUs
      shape_.c = std::min(shape_.c, kNpus - start_);
    }
    const PlacedTensor src = system(1, type, shapes[kind]);
    each(shape_, [&](Index at) {
      const Index from[] = {
          at, {at.c, at.n, at.h, at.w}, {at.n, at.w, at.h, at.c}, {at.n, 0, at.h, at.w}};
      expect(dst, at, bits(src, from[kind]));
    });
    const char* const names[] = {"tpu_gdma_cpy_S2L", "tpu_gdma_cpy_nc_trans_S2L",
                                 "tpu_gdma_cpy_cw_trans_S2L", "tpu_gdma_channel_bcast_S2L"};
    call(names[kind], {encode(dst.at()), encode(src.address), encode(shape()), encode(dst.given()),
                       encode(src.given()), encode(type)});
  }
}

TEST_F(Documented, CopiesBack) {
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const data_type_t type = any(kIntegers);
    const PlacedTensor src = loose(0, type), stored = system(1, type, shape_);
    each(shape_, [&](Index at) { expect(stored, at, bits(src, at)); });
    call("tpu_gdma_cpy_L2S", {encode(stored.address), encode(src.at()), encode(shape()),
                              encode(stored.given()), encode(src.given()), encode(type)});
  }
}

// What lies there and what comes, added and so on in wide numbers whose low bits stay.
TEST_F(Documented, ReducingCopies) {
  for (int round = 0; round < 2 * kRounds; ++round) {
    next_round();
    const data_type_t type = any(kIntegers);
    const bool from_local = random(0, 1) == 1;
    const PlacedTensor dst = system(0, type, shape_);
    const PlacedTensor src = from_local ? loose(1, type) : system(1, type, shape_);
    const int reads = random(0, 1), how = random(0, 4);
    const auto number = [&](std::uint32_t value) {
      const int unused = 64 - 8 * bytes_of(type);
      const auto high = static_cast<std::uint64_t>(value) << static_cast<unsigned>(unused);
      return is_signed(type) ? static_cast<std::int64_t>(high) >> unused
                             : static_cast<std::int64_t>(high >> static_cast<unsigned>(unused));
    };
    each(shape_, [&](Index at) {
      const std::int64_t there = number(bits(dst, at)), moved = number(bits(src, at));
      const std::int64_t results[] = {moved,
                                      static_cast<std::int64_t>(static_cast<std::uint64_t>(there) *
                                                                static_cast<std::uint64_t>(moved)),
                                      std::max(there, moved), std::min(there, moved),
                                      there + moved};
      expect(dst, at, static_cast<std::uint32_t>(results[reads == 0 ? 0 : how]));
    });
    const char* const names[] = {"tpu_gdma_cpy_reduce_S2L2", "tpu_gdma_cpy_reduce_L12L2",
                                 "tpu_sdma_cpy_reduce_L22L2"};
    call(names[from_local ? 1 : 2 * random(0, 1)],
         {encode(dst.address), encode(src.address), encode(shape()), encode(dst.given()),
          encode(src.given()), encode(type), encode(reads), encode(how)});
  }
}

TEST_F(Documented, Reversal) {
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const data_type_t type = any(kIntegers);
    const bool to_local = random(0, 1) == 1, from_local = random(0, 1) == 1;
    const PlacedTensor dst = to_local ? loose(0, type) : system(0, type, shape_);
    const PlacedTensor src = from_local ? loose(1, type) : system(1, type, shape_);
    const int axis = random(0, 3);
    each(shape_, [&](Index at) {
      Index from = at;
      int* const along[] = {&from.n, &from.c, &from.h, &from.w};
      const int extents[] = {shape_.n, shape_.c, shape_.h, shape_.w};
      *along[axis] = extents[axis] - 1 - *along[axis];
      expect(dst, at, bits(src, from));
    });
    const char* const names[] = {"tpu_gdma_reverse_S2S", "tpu_gdma_reverse_S2L",
                                 "tpu_gdma_reverse_L2S", "tpu_gdma_reverse_L2L"};
    call(names[2 * from_local + to_local],
         {encode(dst.address), encode(src.address), encode(shape()), encode(dst.given()),
          encode(src.given()), encode(axis), encode(type)});
  }
}

TEST_F(Documented, GatherAndScatterAlongW) {
  for (int round = 0; round < 2 * kRounds; ++round) {
    next_round();
    shape_.h = 1;
    const data_type_t type = any(kIntegers);
    const bool scatter = random(0, 1) == 1;
    const int other_w = random(1, 20);  // of the parameter
    const dim4 param_shape{shape_.n, shape_.c, 1, other_w};
    const int count = scatter ? other_w : shape_.w, limit = scatter ? shape_.w : other_w;
    const PlacedTensor output = tensor(0, type, shape_, start_),
                       param = tensor(1, type, param_shape, start_);
    // [1, count, 1, 1], compact, from NPU 0.
    const PlacedTensor index{2 * kSlot, {1, 1, 1, 1}, 1, true};
    for (int i = 0; i < count; ++i)
      set(index, {0, i, 0, 0}, static_cast<std::uint32_t>(random(0, limit - 1)));
    upload();
    for (int n = 0; n < shape_.n; ++n) {
      for (int c = 0; c < shape_.c; ++c) {
        for (int i = 0; i < count; ++i) {
          const auto at = static_cast<int>(bits(index, {0, i, 0, 0}));
          if (scatter) {
            expect(output, {n, c, 0, at}, bits(param, {n, c, 0, i}));
          } else {
            expect(output, {n, c, 0, i}, bits(param, {n, c, 0, at}));
          }
        }
      }
    }
    call(scatter ? "tpu_bdc_w_scatter" : "tpu_bdc_w_gather",
         {encode(output.at()), encode(param.at()), encode(index.at()), encode(shape()),
          encode(other_w), encode(type), encode(DT_UINT8)});
  }
}

// Rows of a parameter by indices of every channel, in the layout whose rows are aligned to 64
// bytes. An index of all ones fills the row with C, or leaves it.
TEST_F(Documented, RowsGatheredInLocalMemory) {
  const auto lines = [&](int slot, const dim4& shape, int bytes) {
    const int h = round_up(shape.w * bytes, 64) / bytes, c = shape.h * h;
    return PlacedTensor{
        static_cast<unsigned>(start_) * kNpuBytes + static_cast<unsigned>(slot) * kSlot,
        {(start_ + shape.c + kNpus - 1) / kNpus * c, c, h, 1},
        bytes,
        true};
  };
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    shape_.n = 1;
    const data_type_t type = any(kIntegers);
    const int rows = random(1, 6);
    const bool fill = random(0, 1) == 1;
    const PlacedTensor output = lines(0, shape_, bytes_of(type)),
                       param = lines(1, {1, shape_.c, rows, shape_.w}, bytes_of(type)),
                       index = tensor(2, DT_UINT8, {1, shape_.c, shape_.h, 1}, start_);
    const scalar_t constant{.u32 = 0x12345678};
    each({1, shape_.c, shape_.h, 1}, [&](Index at) {
      const int row = random(0, rows);
      set(index, at, row == rows ? 0xffU : static_cast<std::uint32_t>(row));
    });
    upload();
    each(shape_, [&](Index at) {
      const std::uint32_t row = bits(index, {0, at.c, at.h, 0});
      if (row == 0xff) {
        if (fill) expect(output, at, constant.u32);
      } else {
        expect(output, at, bits(param, {0, at.c, static_cast<int>(row), at.w}));
      }
    });
    call("tpu_bdc_batch_bcast_h_gather_exception",
         {encode(output.at()), encode(param.at()), encode(index.at()), encode(constant),
          encode(shape()), encode(rows), encode(type), encode(DT_UINT8), encode(false),
          encode(fill)});
  }
}

TEST_F(Documented, RowsGatheredByGdma) {
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    shape_.n = 1;
    const data_type_t type = any(kIntegers);
    const int rows = random(1, 9);
    const PlacedTensor output = loose(0, type),
                       param = system(1, type, {1, shape_.c, rows, shape_.w}),
                       index = system(2, DT_UINT32, {1, shape_.c, shape_.h, 1});
    const scalar_t constant{.u32 = 0x89abcdef};
    each({1, shape_.c, shape_.h, 1}, [&](Index at) {
      set(index, at, static_cast<std::uint32_t>(random(0, rows)));  // the last is too large
    });
    upload();
    each(shape_, [&](Index at) {
      const auto row = static_cast<int>(bits(index, {0, at.c, at.h, 0}));
      expect(output, at, row < rows ? bits(param, {0, at.c, row, at.w}) : constant.u32);
    });
    call("tpu_gdma_h_gather_S2L",
         {encode(output.at()), encode(param.address), encode(index.address), encode(false),
          encode(constant), encode(shape()), encode(rows), encode(output.given()),
          encode(param.given()), encode(index.given()), encode(type)});
  }
}

}  // namespace
}  // namespace tensorlane::tpukernel::documented
