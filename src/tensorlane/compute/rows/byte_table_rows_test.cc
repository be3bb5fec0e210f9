#include "tensorlane/compute/rows/byte_table_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "tensorlane/compute/rows/widened_rows.h"

namespace tensorlane {
namespace {

// Rows of every length and step, whose results are those of the formula itself.
TEST(ByteTableRows, LookUpWhatTheFormulaGives) {
  for (const Dtype dst :
       {Dtype::kFp8E4M3, Dtype::kFp8E5M2, Dtype::kFp16, Dtype::kBf16, Dtype::kFp32}) {
    const RowFunction formula = wide_row<float, float, float>(
        [](float a, float b) { return a * b; }, dst, {Dtype::kFp8E5M2, Dtype::kFp32});
    const std::int64_t bytes = dtype_bytes(dst);
    const float constant = 0.75F;
    Row row{};
    row.src[1] = reinterpret_cast<const std::byte*>(&constant);
    const RowFunction table = byte_table_row(formula, row, bytes);
    for (const std::int64_t count : {1, 7, 8, 9, 64, 257}) {
      for (const std::int64_t step : {1, 3}) {
        std::vector<std::byte> from(static_cast<std::size_t>(2 * count * step));
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 37);
        std::vector<std::byte> want(static_cast<std::size_t>(2 * count * step * bytes)), got = want;
        row.count = count;
        row.rows = 2;
        row.src[0] = from.data();
        row.src_step[0] = step;
        row.src_next[0] = count * step;
        row.dst_step = step * bytes;
        row.dst_next = count * step * bytes;
        row.dst = want.data();
        formula(row);
        row.dst = got.data();
        table(row);
        EXPECT_EQ(got, want) << dtype_name(dst) << " " << count << " " << step;
      }
    }
  }
}

}  // namespace
}  // namespace tensorlane
