// Convolution and matrix product of fp16, bf16 and 8-bit integers against oneDNN, one thread each.
//
// Ours include what an emulated command costs: reading operands out of local memory (NPU by NPU, in
// 32IC or 64IC groups), the chip's own order and rounding of sums, and writing the result back. The
// peer gets its operands in the memory format it likes best. oneDNN 2.6 has no fp16 on the
// processor: the peer of fp16 is its bf16, which rounds each sum once instead of cutting every
// product, and with AVX2 alone it has neither. Counters as in fp32_bench.cc. For less than this
// processor has: TENSORLANE_ISA=avx2 or avx512vnni for ours, ONEDNN_MAX_CPU_ISA=AVX2 or
// AVX512_CORE_VNNI for the peer.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <cstdlib>
#include <cstring>
#include <dnnl.hpp>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "peer_timing.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/tiles/integer_tile_kinds.h"
#include "tensorlane/compute/windows/any_type_conv2d.h"

namespace {

using tensorlane::Dtype;
using tensorlane::LocalView;
using tensorlane::bench::compare;

constexpr int kNpus = 64;
constexpr std::int64_t kNpuBytes = 256 * 1024;

// The local memory of a BM1684X with operands placed one behind the other.
class NpuMemory {
 public:
  NpuMemory()
      : bytes_(static_cast<std::byte*>(std::aligned_alloc(4096, kNpus * kNpuBytes)), &std::free) {
    std::memset(bytes_.get(), 0, kNpus * kNpuBytes);
  }

  LocalView place(Dtype dtype, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    const int bytes = tensorlane::dtype_bytes(dtype);
    LocalView view{bytes_.get(), kNpus, kNpuBytes, 0, used_};
    view.w = 1;
    view.h = w;
    view.c = (h * w * bytes + 63) / 64 * 64 / bytes;
    view.n = (c + kNpus - 1) / kNpus * view.c;
    view.element_bytes = bytes;
    used_ += n * view.n * bytes;
    if (used_ > kNpuBytes) std::abort();  // the case does not fit local memory
    for (std::int64_t in = 0; in < n; ++in)
      for (std::int64_t ic = 0; ic < c; ++ic)
        for (std::int64_t i = 0; i < h * w; ++i) fill(view.address(in, ic, i / w, i % w), dtype);
    return view;
  }

 private:
  void fill(std::byte* at, Dtype dtype) {
    if (tensorlane::dtype_info(dtype).is_float) {
      tensorlane::store_float(at, dtype, value_(random_));
    } else {
      tensorlane::store_integer(at, dtype, static_cast<std::int64_t>(random_()));
    }
  }

  std::unique_ptr<std::byte, decltype(&std::free)> bytes_;
  std::int64_t used_ = 0;
  std::mt19937 random_{1};
  std::uniform_real_distribution<float> value_{-1.0F, 1.0F};
};

dnnl::memory::data_type peer_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt8:
      return dnnl::memory::data_type::s8;
    case Dtype::kUint8:
      return dnnl::memory::data_type::u8;
    case Dtype::kInt32:
      return dnnl::memory::data_type::s32;
    case Dtype::kFp16:  // see above
    case Dtype::kBf16:
      return dnnl::memory::data_type::bf16;
    default:
      return dnnl::memory::data_type::f32;
  }
}

// A primitive with its operands.
class Peer {
 public:
  void run() {
    primitive_.execute(stream_, operands_);
    stream_.wait();
  }

 protected:
  void add(int argument, const dnnl::memory::desc& desc) {
    dnnl::memory memory(desc, engine_);
    std::memset(memory.get_data_handle(), 0x11, desc.get_size());
    operands_[argument] = memory;
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> operands_;
};

struct Types {
  const char* name;
  Dtype left, right, output;
};

struct ConvCase {
  const char* name;
  int n, input_c, size, output_c, kernel, stride, pad;
};

// Runs a peer of this kind. Nothing where oneDNN has no such primitive for the processor: the row
// says so.
template <class Kind, class... Args>
std::function<void()> peer_if_any(benchmark::State& state, const Args&... args) {
  try {
    return [peer = std::make_shared<Kind>(args...)] { peer->run(); };
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) throw;
    state.SetLabel("oneDNN has none on this processor");
    return nullptr;
  }
}

class PeerConv : public Peer {
 public:
  PeerConv(const ConvCase& c, const Types& types, int output) {
    const auto any = [](dnnl::memory::dims dims, Dtype dtype) {
      return dnnl::memory::desc(dims, peer_type(dtype), dnnl::memory::format_tag::any);
    };
    const dnnl::memory::dims strides{c.stride, c.stride};
    const dnnl::memory::dims padding{c.pad, c.pad};
    const dnnl::convolution_forward::desc desc(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        any({c.n, c.input_c, c.size, c.size}, types.left),
        any({c.output_c, c.input_c, c.kernel, c.kernel}, types.right),
        any({c.n, c.output_c, output, output}, types.output), strides, padding, padding);
    const dnnl::convolution_forward::primitive_desc primitive(desc, engine_);
    primitive_ = dnnl::convolution_forward(primitive);
    add(DNNL_ARG_SRC, primitive.src_desc());
    add(DNNL_ARG_WEIGHTS, primitive.weights_desc());
    add(DNNL_ARG_DST, primitive.dst_desc());
  }
};

class PeerMatmul : public Peer {
 public:
  PeerMatmul(int rows, int inner, int cols, const Types& types) {
    const auto any = [](dnnl::memory::dims dims, Dtype dtype) {
      return dnnl::memory::desc(dims, peer_type(dtype), dnnl::memory::format_tag::any);
    };
    const dnnl::matmul::desc desc(any({rows, inner}, types.left), any({inner, cols}, types.right),
                                  any({rows, cols}, types.output));
    const dnnl::matmul::primitive_desc primitive(desc, engine_);
    primitive_ = dnnl::matmul(primitive);
    add(DNNL_ARG_SRC, primitive.src_desc());
    add(DNNL_ARG_WEIGHTS, primitive.weights_desc());
    add(DNNL_ARG_DST, primitive.dst_desc());
  }
};

void conv2d(benchmark::State& state, const ConvCase& c, const Types& types) {
  NpuMemory memory;
  tensorlane::AnyTypeConv2dArgs args;
  args.input_type = types.left;
  args.weight_type = types.right;
  args.output_type = types.output;
  args.finish = {.output = types.output, .shift = -8};
  args.n = c.n;
  args.input_c = c.input_c;
  args.output_c = c.output_c;
  args.input_h = args.input_w = c.size;
  const int output = tensorlane::window_output_extent(c.size, c.pad, c.pad, c.kernel, c.stride, 1);
  args.window = {.kernel_h = c.kernel,
                 .kernel_w = c.kernel,
                 .stride_h = c.stride,
                 .stride_w = c.stride,
                 .pad_top = c.pad,
                 .pad_left = c.pad,
                 .output_h = output,
                 .output_w = output};
  args.input = memory.place(types.left, c.n, c.input_c, c.size, c.size);
  args.weight = memory.place(types.right, 1, c.output_c, 1, args.weight_count());
  args.output = memory.place(types.output, c.n, c.output_c, output, output);
  compare(
      state, 2.0 * c.n * c.output_c * output * output * c.input_c * c.kernel * c.kernel,
      [&] { tensorlane::any_type_conv2d_simd(args); },
      peer_if_any<PeerConv>(state, c, types, output));
}

void matmul(benchmark::State& state, int rows, int inner, int cols, const Types& types) {
  NpuMemory memory;
  tensorlane::AnyTypeMatmulArgs args;
  args.rows = rows;
  args.inner = inner;
  args.cols = cols;
  args.left.type = types.left;
  args.left.view = memory.place(types.left, 1, rows, 1, inner);
  args.right.type = types.right;
  args.right.view = memory.place(types.right, 1, inner, 1, cols);
  args.output.type = types.output;
  args.output.view = memory.place(types.output, 1, rows, 1, cols);
  args.finish = {.output = types.output, .saturate = false};
  compare(
      state, 2.0 * rows * inner * cols, [&] { tensorlane::any_type_matmul_simd(args); },
      peer_if_any<PeerMatmul>(state, rows, inner, cols, types));
}

void register_all() {
  static const ConvCase convs[] = {
      {"3x3 64->64 56x56 n4", 4, 64, 56, 64, 3, 1, 1},
      {"3x3 128->128 28x28 n4", 4, 128, 28, 128, 3, 1, 1},
      {"3x3 256->256 14x14 n4", 4, 256, 14, 256, 3, 1, 1},
      {"1x1 256->64 56x56 n1", 1, 256, 56, 64, 1, 1, 0},
      {"7x7/2 3->64 224x224 n1", 1, 3, 224, 64, 7, 2, 3},
  };
  static const Types conv_types[] = {{"u8 s8 -> s8", Dtype::kUint8, Dtype::kInt8, Dtype::kInt8},
                                     {"fp16", Dtype::kFp16, Dtype::kFp16, Dtype::kFp16},
                                     {"bf16", Dtype::kBf16, Dtype::kBf16, Dtype::kBf16}};
  static const Types product_types[] = {
      {"u8 s8 -> s32", Dtype::kUint8, Dtype::kInt8, Dtype::kInt32},
      {"fp16", Dtype::kFp16, Dtype::kFp16, Dtype::kFp16},
      {"bf16", Dtype::kBf16, Dtype::kBf16, Dtype::kBf16}};
  for (const Types& types : conv_types) {
    for (const ConvCase& c : convs) {
      const std::string name = std::string("conv2d ") + types.name + " " + c.name;
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&](benchmark::State& state) { conv2d(state, c, types); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  static const int sizes[][3] = {{512, 1024, 1024}, {64, 2048, 1024}, {1, 2048, 1024}};
  for (const Types& types : product_types) {
    for (const auto& size : sizes) {
      const std::string name = std::string("matmul ") + types.name + " " + std::to_string(size[0]) +
                               "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
      benchmark::RegisterBenchmark(
          name.c_str(),
          [&](benchmark::State& state) { matmul(state, size[0], size[1], size[2], types); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  omp_set_num_threads(1);  // oneDNN
  if (!tensorlane::bench::take_target(argc, argv)) return 1;
  if (std::getenv("WITHOUT_AMX") != nullptr) tensorlane::leave_out_tiles_before("vectors");
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
