// Layout conversion against memcpy, the reorder of oneDNN and a plain loop in blocks, one thread
// each, in the same run.
//
// Absolute speeds belong to a machine, so every case times ours and its peers in turn, repetition
// by repetition, and reports beside our GB/s (bytes read plus written, median) the median of the
// ratios within a repetition:
//
//   vs_memcpy   our speed over that of memcpy of the same number of bytes, without gaps
//   vs_onednn   our speed over that of oneDNN's reorder of the same tensor
//   vs_rows     our speed over that of a call of memcpy per row, where there are rows with gaps
//   vs_lines    our speed over that of moving whole lines between the same places (line_copy.h), of
//               the ways to go the fastest: what the places themselves cost; with lines_vs_memcpy,
//               the speed of that over memcpy's
//   vs_blocked_loop   our speed over that of a loop of blocks of 32 by 32 (BlockedLoop), where the
//               conversion crosses rows and columns
//
// and apart from these two_threads, the speed of ours on two threads over that on one, both the
// fastest by the clock on the wall: it says something on a machine that has nothing else to do.
//
// In a repetition everyone runs several times in a row, the first time untimed, so that nobody
// profits from or pays for what another left in the caches. All write the same memory: where its
// pages lie decides about a tenth of the speed of small copies.
#include <benchmark/benchmark.h>
#include <tbb/global_control.h>
#include <unistd.h>
#include <dnnl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "line_copy.h"
#include "tensorlane/layout/convert.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/layout/strided_copy.h"

namespace tensorlane {
namespace {

using Tag = dnnl::memory::format_tag;
using Step = std::function<void()>;

// Memory whose pages are present, aligned to cache lines.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes)
      : data_(static_cast<std::byte*>(
            std::aligned_alloc(4096, static_cast<std::size_t>((bytes + 4095) / 4096 * 4096)))) {
    std::memset(data_, 1, static_cast<std::size_t>(bytes));
  }
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::byte* data() const { return data_; }

 private:
  std::byte* data_;
};

// Rows with gaps: their number, bytes of one, and from one to the next.
struct Rows {
  std::int64_t count, bytes, to_stride, from_stride;
};

// What one case compares: our conversion, and oneDNN's where it has the same one.
struct Case {
  std::string name;
  Layout to, from;
  std::optional<dnnl::memory::desc> onednn_to = {}, onednn_from = {};
  std::optional<Rows> rows = {};
  bool lines = false;  // compare with whole lines between the same places
};

// Processor time of this thread per run of `step`: what other programs do meanwhile does not count.
double seconds_of(const Step& step, std::int64_t runs) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  step();
  const double begin = now();
  for (std::int64_t i = 0; i < runs; ++i) step();
  return (now() - begin) / static_cast<double>(runs);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double wall_seconds_of(const Step& step) {
  const auto begin = std::chrono::steady_clock::now();
  step();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What one would write: the two loops that are contiguous on one side each, in blocks of 32 by 32,
// the others outside. Nothing where one of them is missing, or the elements join to longer ones.
class BlockedLoop {
 public:
  static Step step(const Layout& to, const Layout& from, std::byte* dst, const std::byte* src) {
    const auto boxes = fold({&to, &from});
    const std::int64_t size = to.element_units();
    for (const Box& box : boxes) {
      if (box.rank < 2 || find(box, 0, size) < 0 || find(box, 1, size) < 0 ||
          find(box, 0, size) == find(box, 1, size))
        return {};
    }
    return [=] {
      for (const Box& box : boxes) {
        if (size == 1) run<std::uint8_t>(box, dst, src);
        if (size == 2) run<std::uint16_t>(box, dst, src);
        if (size == 4) run<std::uint32_t>(box, dst, src);
      }
      benchmark::ClobberMemory();
    };
  }

 private:
  static int find(const Box& box, std::size_t side, std::int64_t size) {
    for (int i = 0; i < box.rank; ++i) {
      if (box.loops[i].stride[side] == size) return i;
    }
    return -1;
  }

  template <class T>
  static void run(const Box& box, std::byte* dst, const std::byte* src) {
    constexpr std::int64_t kSide = 32;
    const int across = find(box, 0, sizeof(T)), along = find(box, 1, sizeof(T));
    const Loop a = box.loops[across], b = box.loops[along];
    std::vector<std::int64_t> at(static_cast<std::size_t>(box.rank), 0);
    std::int64_t to = box.base[0], from = box.base[1];
    for (;;) {
      for (std::int64_t i = 0; i < a.extent; i += kSide) {
        for (std::int64_t k = 0; k < b.extent; k += kSide) {
          for (std::int64_t y = k; y < std::min(k + kSide, b.extent); ++y) {
            T* const row = reinterpret_cast<T*>(dst + to + y * b.stride[0]);
            for (std::int64_t x = i; x < std::min(i + kSide, a.extent); ++x)
              row[x] = *reinterpret_cast<const T*>(src + from + x * a.stride[1] + y * b.stride[1]);
          }
        }
      }
      int d = box.rank - 1;
      for (; d >= 0; --d) {
        if (d == across || d == along) continue;
        const Loop& loop = box.loops[d];
        to += loop.stride[0];
        from += loop.stride[1];
        if (++at[static_cast<std::size_t>(d)] < loop.extent) break;
        to -= loop.extent * loop.stride[0];
        from -= loop.extent * loop.stride[1];
        at[static_cast<std::size_t>(d)] = 0;
      }
      if (d < 0) return;
    }
  }
};

// Whole lines between the places of a conversion, by the way that is the fastest here.
Step line_step(const std::shared_ptr<const bench::LineCopy>& lines, std::byte* dst,
               const std::byte* src) {
  Step fastest;
  double least = 0;
  for (int bits = 0; bits < 8; ++bits) {
    const bench::LineCopy::Way way{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    const Step step = [=] {
      lines->run(way, dst, src);
      benchmark::ClobberMemory();
    };
    const double seconds = seconds_of(step, 3);
    if (fastest && seconds >= least) continue;
    least = seconds;
    fastest = step;
  }
  return fastest;
}

void run(benchmark::State& state, const Case& test) {
  const std::int64_t bytes = test.to.size() * test.to.element_units();
  const Buffer src(std::max(test.from.bounds().end, bytes));
  const Buffer dst(std::max(test.to.bounds().end, bytes));
  const Step ours = [&] {
    for (const Box& box : fold({&test.to, &test.from})) {
      strided_copy(box, dst.data(), src.data(), test.to.element_units(), CopyThreads::kSerial);
    }
  };
  const Step ours_on_two = [&] {
    for (const Box& box : fold({&test.to, &test.from}))
      strided_copy(box, dst.data(), src.data(), test.to.element_units(), CopyThreads::kAuto);
  };
  const Step copy = [&] {
    std::memcpy(dst.data(), src.data(), static_cast<std::size_t>(bytes));
    benchmark::ClobberMemory();
  };
  Step onednn;
  if (test.onednn_to) {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    dnnl::memory to(*test.onednn_to, engine, dst.data());
    dnnl::memory from(*test.onednn_from, engine, src.data());
    const dnnl::reorder reorder(from, to);
    onednn = [=]() mutable {
      reorder.execute(stream, from, to);
      stream.wait();
    };
  }
  const Step each_row = [&] {
    for (std::int64_t i = 0; i < test.rows->count; ++i) {
      std::memcpy(dst.data() + i * test.rows->to_stride, src.data() + i * test.rows->from_stride,
                  static_cast<std::size_t>(test.rows->bytes));
    }
    benchmark::ClobberMemory();
  };
  // Ours first, then the peers, and the time of each in each repetition.
  struct Peer {
    const char* name;
    Step step;
  };
  std::vector<Peer> contenders = {{"", ours}, {"vs_memcpy", copy}};
  if (onednn) contenders.push_back({"vs_onednn", onednn});
  if (test.rows) contenders.push_back({"vs_rows", each_row});
  if (test.lines) {
    contenders.push_back(
        {"vs_lines",
         line_step(std::make_shared<bench::LineCopy>(test.to, test.from), dst.data(), src.data())});
  }
  const Step blocked = BlockedLoop::step(test.to, test.from, dst.data(), src.data());
  if (blocked) contenders.push_back({"vs_blocked_loop", blocked});
  const std::size_t count = contenders.size();
  std::vector<std::vector<double>> times(count);
  const std::int64_t runs = std::clamp<std::int64_t>((std::int64_t{8} << 20) / bytes, 1, 8);
  double one_thread = 1e9, two_threads = 1e9;  // the fastest, by the clock on the wall
  std::size_t first = 0;
  for (auto unused : state) {
    static_cast<void>(unused);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t who = (first + i) % count;
      times[who].push_back(seconds_of(contenders[who].step, runs));
    }
    ++first;
    state.SetIterationTime(times[0].back());
  }
  // At the end, since a second thread leaves half of everything in the caches of its core.
  for (std::size_t i = 0; i < times[0].size(); ++i) {
    one_thread = std::min(one_thread, wall_seconds_of(ours));
    two_threads = std::min(two_threads, wall_seconds_of(ours_on_two));
  }
  const auto median_ratio = [&](std::size_t peer) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times[0].size(); ++i)
      ratios.push_back(times[peer][i] / times[0][i]);
    return median(ratios);
  };
  state.counters["GB/s"] = 2e-9 * static_cast<double>(bytes) / median(times[0]);
  for (std::size_t i = 1; i < count; ++i) state.counters[contenders[i].name] = median_ratio(i);
  if (test.lines) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times[0].size(); ++i)
      ratios.push_back(times[1][i] / times[contenders.size() - (blocked ? 2 : 1)][i]);
    state.counters["lines_vs_memcpy"] = median(ratios);
  }
  state.counters["two_threads"] = one_thread / two_threads;
}

// Repetitions of a case, an odd number: fewer where one takes longer.
std::int64_t repetitions(const Case& test) {
  const std::int64_t bytes = test.to.size() * test.to.element_units();
  return std::clamp<std::int64_t>((std::int64_t{512} << 20) / bytes, 5, 31) | 1;
}

dnnl::memory::data_type onednn_type(Dtype dtype) {
  return dtype_bytes(dtype) == 1   ? dnnl::memory::data_type::s8
         : dtype_bytes(dtype) == 2 ? dnnl::memory::data_type::bf16
                                   : dnnl::memory::data_type::f32;
}

dnnl::memory::desc describe(const Shape4& shape, Dtype dtype, Tag tag) {
  return {{shape.n, shape.c, shape.h, shape.w}, onednn_type(dtype), tag};
}

Layout nchw(const Shape4& shape, Dtype dtype) {
  return system_layout(0, shape, continuous_stride(shape), dtype);
}
Layout nhwc(const Shape4& s, Dtype dtype) {
  return system_layout(0, s, {s.c * s.h * s.w, 1, s.w * s.c, s.c}, dtype);
}
// Channels in blocks of `block`, as oneDNN's nChw4c, nChw16c.
Layout blocked(const Shape4& s, std::int64_t block, Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t unit = layout.element_units(), row = s.w * block * unit;
  layout.add_dim(s.n, {{1, s.c * s.h * s.w * unit}});
  layout.add_dim(s.c, {{block, unit}, {1, s.h * row}});
  layout.add_dim(s.h, {{1, row}}).add_dim(s.w, {{1, block * unit}});
  return layout;
}
Layout matrix(std::int64_t rows, std::int64_t cols, std::int64_t row_stride,
              std::int64_t col_stride, Dtype dtype) {
  return system_layout(0, {1, 1, rows, cols}, {0, 0, row_stride, col_stride}, dtype);
}
// IN_OUT_CHANNEL image of a tensor: pixel ((c / 4) * W + w, n * H + h), lane c % 4.
Layout image(const Shape4& s, Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t pixel = 4 * layout.element_units(), row = ceil_div(s.c, 4) * s.w * pixel;
  layout.add_dim(s.n, {{1, s.h * row}});
  layout.add_dim(s.c, {{4, layout.element_units()}, {1, s.w * pixel}});
  layout.add_dim(s.h, {{1, row}}).add_dim(s.w, {{1, pixel}});
  return layout;
}

// CONV2D_FILTER image of filters (o, i, h, w): pixel (i, o / 4 * H * W + h * W + w), lane o % 4.
Layout filter_image(const Shape4& s, Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t pixel = 4 * layout.element_units(), row = s.c * pixel;
  layout.add_dim(s.n, {{4, layout.element_units()}, {1, s.h * s.w * row}});
  layout.add_dim(s.c, {{1, pixel}});
  layout.add_dim(s.h, {{1, s.w * row}}).add_dim(s.w, {{1, row}});
  return layout;
}

std::string megabytes(std::int64_t bytes) {
  return std::to_string((bytes + (1 << 19)) >> 20) + "MB";
}

class Suite {
 public:
  std::vector<Case> cases;

  void add(const std::string& name, const Layout& to, const Layout& from) {
    cases.push_back({name + "/" + megabytes(to.size() * to.element_units()), to, from});
  }
  void add(const std::string& name, const Shape4& shape, Dtype dtype, const Layout& to, Tag to_tag,
           const Layout& from, Tag from_tag) {
    add(name, to, from);
    cases.back().onednn_to = describe(shape, dtype, to_tag);
    cases.back().onednn_from = describe(shape, dtype, from_tag);
  }
  void add(const std::string& name, const Layout& to, const Layout& from, const Rows& rows) {
    add(name, to, from);
    cases.back().rows = rows;
  }
  // Both ways between a layout and NCHW.
  void both_ways(const std::string& name, const Layout& layout, const Layout& plain) {
    add("nchw->" + name, layout, plain);
    add(name + "->nchw", plain, layout);
  }
};

void add_peers_of_onednn(Suite& suite) {
  for (const Dtype dtype : {Dtype::kFp32, Dtype::kInt8}) {
    const std::int64_t images = 4 / dtype_bytes(dtype);
    for (const Shape4& s : {Shape4{images, 256, 32, 32}, Shape4{2 * images, 256, 56, 56},
                            Shape4{4 * images, 256, 128, 128}}) {
      const std::string type(dtype_name(dtype));
      const Layout plain = nchw(s, dtype);
      suite.add(type + "/nchw->nhwc", s, dtype, nhwc(s, dtype), Tag::nhwc, plain, Tag::nchw);
      suite.add(type + "/nhwc->nchw", s, dtype, plain, Tag::nchw, nhwc(s, dtype), Tag::nhwc);
      const auto block = [&](std::int64_t size, Tag tag) {
        const std::string name = "nChw" + std::to_string(size) + "c";
        const Layout layout = blocked(s, size, dtype);
        suite.add(type + "/nchw->" + name, s, dtype, layout, tag, plain, Tag::nchw);
        suite.add(type + "/" + name + "->nchw", s, dtype, plain, Tag::nchw, layout, tag);
      };
      block(4, Tag::nChw4c);
      block(16, Tag::nChw16c);
    }
  }
  for (const std::int64_t side : {512, 1000, 1024, 2048, 4096}) {
    for (const Dtype dtype : {Dtype::kFp32, Dtype::kInt8}) {
      const Shape4 s{1, 1, side, side};
      suite.add(std::string(dtype_name(dtype)) + "/transpose " + std::to_string(side), s, dtype,
                matrix(side, side, side, 1, dtype), Tag::abcd, matrix(side, side, 1, side, dtype),
                Tag::abdc);
    }
  }
}

void add_filters(Suite& suite) {
  for (const Shape4& s : {Shape4{64, 512, 3, 3}, Shape4{912, 512, 3, 3}}) {
    for (const Dtype dtype : {Dtype::kFp16, Dtype::kFp32}) {
      const std::string type(dtype_name(dtype));
      suite.add(type + "/oihw->filter image", filter_image(s, dtype), nchw(s, dtype));
      suite.add(type + "/filter image->oihw", nchw(s, dtype), filter_image(s, dtype));
      suite.add(type + "/oihw->ohwi", nhwc(s, dtype), nchw(s, dtype));
      suite.add(type + "/ohwi->oihw", nchw(s, dtype), nhwc(s, dtype));
    }
  }
}

void add_layouts_of_the_chips(Suite& suite) {
  for (const Shape4& s :
       {Shape4{8, 64, 28, 64}, Shape4{8, 256, 56, 56}, Shape4{16, 256, 128, 128}}) {
    const auto memory = [&](std::int64_t bytes) {
      return LocalMemory{64, std::max<std::int64_t>(524288, align_up(bytes / 16, 4096)), 128};
    };
    const std::int64_t elements = s.n * s.c * s.h * s.w;
    const Shape4 four = packed_shape(s, Dtype::kInt8), two = packed_shape(s, Dtype::kInt16);
    const LocalMemory m = memory(elements);
    suite.both_ways("4N", packed_layout(m, 0, s, aligned_stride(m, 0, four, 4), Dtype::kInt8),
                    nchw(s, Dtype::kInt8));
    suite.both_ways("2N", packed_layout(m, 0, s, aligned_stride(m, 0, two, 4), Dtype::kInt16),
                    nchw(s, Dtype::kInt16));
    if (s.n == 16) continue;
    suite.both_ways("aligned", local_layout(m, 0, s, aligned_stride(m, 0, s, 4), Dtype::kFp32),
                    nchw(s, Dtype::kFp32));
    for (const Dtype dtype : {Dtype::kFp16, Dtype::kFp32}) {
      const std::string type(dtype_name(dtype));
      suite.add(type + "/nhwc->image", image(s, dtype), nhwc(s, dtype));
      suite.add(type + "/nchw->image", image(s, dtype), nchw(s, dtype));
      suite.add(type + "/image->nchw", nchw(s, dtype), image(s, dtype));
    }
  }
}

// MACE's images from and to row-major tensors of 16 MB, as `tensorlane opencl bench` has them.
void add_images_of_mace(Suite& suite) {
  const std::pair<const char*, std::vector<std::int64_t>> kImages[] = {
      {"IN_OUT_CHANNEL", {1, 256, 256, 64}},   {"IN_OUT_HEIGHT", {1, 256, 256, 64}},
      {"IN_OUT_WIDTH", {1, 256, 256, 64}},     {"CONV2D_FILTER", {908, 512, 3, 3}},
      {"DW_CONV2D_FILTER", {1, 4096, 32, 32}}, {"ARGUMENT", {65536}},
      {"WEIGHT_HEIGHT", {908, 512, 3, 3}},     {"WEIGHT_WIDTH", {908, 512, 3, 3}},
      {"WEIGHT_HEIGHT@v0.6.3", {2048, 2048}},  {"WEIGHT_WIDTH@v0.6.3", {2048, 2048}}};
  for (const auto& [name, shape] : kImages) {
    const NamedLayout packed =
        make_layout({.system = System::kMace, .layout = name, .shape = shape});
    const Layout pixels = memory_layout(packed), plain = row_major_layout(shape, Dtype::kFp32);
    for (const bool pack : {true, false}) {
      suite.add(std::string("mace/") + (pack ? "pack " : "unpack ") + name, pack ? pixels : plain,
                pack ? plain : pixels);
      suite.cases.back().lines = true;
    }
  }
}

// Rows with gaps, as the aligned layout of BM1684 has them: to the next multiple of 128 bytes.
void add_rows(Suite& suite) {
  for (const std::int64_t bytes : {1 << 20, 8 << 20, 64 << 20}) {
    for (const std::int64_t row : {16, 36, 64, 100, 196, 784, 4000}) {
      const std::int64_t rows = bytes / row, stride = align_up(row, 128);
      const Layout dense = matrix(rows, row, row, 1, Dtype::kInt8);
      const Layout gaps = matrix(rows, row, stride, 1, Dtype::kInt8);
      suite.add("rows of " + std::to_string(row) + " spread", gaps, dense,
                Rows{rows, row, stride, row});
      suite.add("rows of " + std::to_string(row) + " packed", dense, gaps,
                Rows{rows, row, row, stride});
    }
  }
}

}  // namespace
}  // namespace tensorlane

int main(int argc, char** argv) {
  // oneDNN takes its threads from OpenMP, which reads the environment before main.
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
  }
  const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  tensorlane::Suite suite;
  tensorlane::add_peers_of_onednn(suite);
  tensorlane::add_filters(suite);
  tensorlane::add_layouts_of_the_chips(suite);
  tensorlane::add_images_of_mace(suite);
  tensorlane::add_rows(suite);
  for (const tensorlane::Case& test : suite.cases) {
    benchmark::RegisterBenchmark(test.name.c_str(),
                                 [&test](benchmark::State& state) { tensorlane::run(state, test); })
        ->UseManualTime()
        ->Iterations(tensorlane::repetitions(test))
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
