// Rows: of every width, on pages of their own, in copies of every size.
#include "tensorlane/layout/strided_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/layout/strided_copy_test_support.h"

namespace tensorlane {
namespace {

using strided_copy_test::check;
using targets_test::on_every_target;

TEST(StridedCopy, EveryRowWidth) {
  on_every_target([&] {
    for (std::int64_t bytes = 1; bytes <= 10000; bytes += 1 + bytes / 300 * 37) {
      Box box;
      box.rank = 2;
      box.loops[0] = {3, {7 * (bytes + 3), -5 * (bytes + 5)}};
      box.loops[1] = {5, {bytes + 3, bytes + 5}};
      ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << bytes << " bytes";
    }
  });
}

// Too large to be near: short rows from and to pages of their own, lines inside and outside.
TEST(StridedCopy, ShortRowsFromPageToPage) {
  constexpr std::int64_t kPage = 4096, kPages = 64;
  on_every_target([&] {
    for (const std::int64_t bytes :
         {16, 17, 31, 32, 33, 47, 49, 63, 64, 65, 98, 127, 128, 129, 196}) {
      const std::int64_t rows = (128 << 10) / kPages / bytes + 1;
      const std::int64_t line = (bytes + 63) / 64 * 64;
      Box box;
      box.rank = 2;
      box.loops[0] = {rows, {kPages * bytes, line}};
      box.loops[1] = {kPages, {bytes, std::max(kPage, rows * line)}};
      ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << "from pages, " << bytes << " bytes";
      for (int i = 0; i < 2; ++i) std::swap(box.loops[i].stride[0], box.loops[i].stride[1]);
      ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << "to pages, " << bytes << " bytes";
    }
  });
}

// As many rows as make a copy near, cached, neither, or far: each has its own way of moving them.
TEST(StridedCopy, RowsOfCopiesOfEverySize) {
  on_every_target([&] {
    for (const std::int64_t size : {100 << 10, 400 << 10, 600 << 10, 4200 << 10}) {
      for (const std::int64_t bytes : {33, 65, 66, 100, 126, 127, 128, 129, 200, 255, 256, 257}) {
        if (size > (1 << 20) && bytes % 25 != 0) continue;
        Box box;
        box.rank = 1;
        box.loops[0] = {size / bytes + 1, {bytes + 7, bytes + 3}};
        ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << size << " bytes in rows of " << bytes;
      }
    }
  });
}

// Near: a few short rows to, or from, each of several pages.
TEST(StridedCopy, ShortRowsToPagesInTurns) {
  constexpr std::int64_t kPage = 4096, kPages = 9;
  on_every_target([&] {
    for (std::int64_t bytes = 1; bytes <= 130; ++bytes) {
      for (const std::int64_t rows : {2, 3, 4, 7}) {
        Box box;
        box.rank = 2;
        box.loops[0] = {rows, {bytes + rows, kPages * bytes}};
        box.loops[1] = {kPages, {kPage, bytes}};
        ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << "to pages, " << rows << " of " << bytes;
        for (int i = 0; i < 2; ++i) std::swap(box.loops[i].stride[0], box.loops[i].stride[1]);
        ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << "from pages, " << rows << " of " << bytes;
      }
    }
  });
}

}  // namespace
}  // namespace tensorlane
