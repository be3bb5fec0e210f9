#include "tensorlane/trail/writer_map.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "tensorlane/chip/toy_chip_test_support.h"
#include "tensorlane/layout/local.h"

namespace tensorlane::trail {
namespace {

// A strided tensor of one byte per element somewhere in `bytes` bytes.
Layout any_tensor(std::int64_t bytes) {
  const std::int64_t w = *rc::gen::inRange<std::int64_t>(1, 40), rows = *rc::gen::inRange(1, 6);
  const std::int64_t pitch = w + *rc::gen::inRange<std::int64_t>(0, bytes / 8);
  const std::int64_t all = (rows - 1) * pitch + w;
  Layout layout(Dtype::kInt8);
  layout.set_base(*rc::gen::inRange<std::int64_t>(0, bytes - all + 1));
  layout.add_dim(rows, {{rows, pitch}}).add_dim(w, {{w, 1}});
  return layout;
}

// The reference: one writer per byte.
using Plain = std::vector<Writer>;
void assign(Plain& plain, const Layout& layout, Writer writer) {
  for (const ByteRun& run : layout.byte_runs()) {
    const std::int64_t begin = run.npu * layout.npu_bytes() + run.offset;
    for (std::int64_t at = begin; at < begin + run.bytes; ++at)
      plain[static_cast<std::size_t>(at)] = writer;
  }
}

RC_GTEST_PROP(WriterMap, AgreesWithOneWriterPerByteOfALinearMemory, ()) {
  WriterMap map(toy::chip());
  Plain plain(toy::kGlobalBytes);  // several pages
  for (Writer writer = 1; writer < 12; ++writer) {
    const Layout layout = any_tensor(toy::kGlobalBytes);
    map.assign(Space::kGlobal, footprint(layout, 0), writer);
    assign(plain, layout, writer);
  }
  for (std::size_t at = 0; at < plain.size(); ++at)
    RC_ASSERT(map.at(Space::kGlobal, static_cast<std::int64_t>(at)) == plain[at]);
}

RC_GTEST_PROP(WriterMap, AgreesWithOneWriterPerByteOfLocalMemory, ()) {
  const LocalMemory& local = toy::chip().local;
  WriterMap map(toy::chip());
  Plain plain(static_cast<std::size_t>(local.npus * local.npu_bytes));
  for (Writer writer = 1; writer < 12; ++writer) {
    const Shape4 shape{*rc::gen::inRange(1, 3), *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 4),
                       *rc::gen::inRange(1, 9)};
    const std::int64_t npu = *rc::gen::inRange(0, local.npus);
    const Layout layout = local_layout(local, npu * local.npu_bytes + 16 * *rc::gen::inRange(0, 8),
                                       shape, aligned_stride(local, npu, shape, 4), Dtype::kFp32);
    map.assign(Space::kLocal, footprint(layout), writer);
    assign(plain, layout, writer);
  }
  for (std::size_t at = 0; at < plain.size(); ++at)
    RC_ASSERT(map.at(Space::kLocal, static_cast<std::int64_t>(at)) == plain[at]);
}

TEST(WriterMap, MemoriesAreApart) {
  WriterMap map(toy::chip());
  map.assign(Space::kL2, linear_footprint(8, 4), 3);
  EXPECT_EQ(map.at(Space::kL2, 8), 3U);
  EXPECT_EQ(map.at(Space::kL2, 12), kNobody);
  EXPECT_EQ(map.at(Space::kGlobal, 8), kNobody);
  EXPECT_EQ(map.at(Space::kLocal, 8), kNobody);
}

}  // namespace
}  // namespace tensorlane::trail
