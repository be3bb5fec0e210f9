#include "products.h"

#include <cblas.h>
#include <omp.h>

#include <cstring>
#include <dnnl.hpp>
#include <memory>
#include <unordered_map>
#include <vector>

#include "../openblas_core.h"

namespace tensorlane::bench {
namespace {

using dnnl::memory;

// oneDNN 2.6 has no fp16 on processors, and 16-bit integers nowhere.
memory::data_type peer_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt8:
      return memory::data_type::s8;
    case Dtype::kUint8:
      return memory::data_type::u8;
    case Dtype::kFp16:
    case Dtype::kBf16:
      return memory::data_type::bf16;
    case Dtype::kFp32:
      return memory::data_type::f32;
    default:
      return memory::data_type::s32;
  }
}

memory::desc any(memory::dims dims, memory::data_type type) {
  return {std::move(dims), type, memory::format_tag::any};
}

// A primitive with its operands.
class Primitive {
 public:
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::primitive primitive;

  void add(int argument, const memory::desc& desc) {
    memory operand(desc, engine);
    std::memset(operand.get_data_handle(), 0x11, desc.get_size());
    operands_[argument] = operand;
  }
  void run() {
    primitive.execute(stream_, operands_);
    stream_.wait();
  }

 private:
  dnnl::stream stream_{engine};
  std::unordered_map<int, memory> operands_;
};

// What `prepare` makes of a primitive; a peer without work where oneDNN has no such primitive for
// this processor.
template <class Prepare>
Peer one_dnn(const std::string& what, const Prepare& prepare) {
  const auto part = std::make_shared<Primitive>();
  try {
    prepare(*part);
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) throw;
    return {"oneDNN has no such " + what + " on this processor", nullptr};
  }
  return {"oneDNN: " + what, [part] { part->run(); }};
}

memory::dims dims_of(const Operand& operand) {
  const Layout& layout = operand.layout;
  return {layout.extent(0), layout.extent(1), layout.extent(2), layout.extent(3)};
}

// The kernel of the calls, whose windows step by 1.
memory::dims kernel_of(const Command& command) {
  for (const Param& param : command.op->params()) {
    if (param.name == "kernel") return {command.value("kernel", "h"), command.value("kernel", "w")};
  }
  return {command.arg("kernel_h").value(), command.arg("kernel_w").value()};
}

}  // namespace

void one_thread(char** argv) {
  omp_set_num_threads(1);  // oneDNN
  openblas_set_num_threads(1);
  restart_with_better_blas(argv);
}

Peer convolution_peer(const Command& command, bool depthwise) {
  const Operand &input = *command.find("input_addr"), &output = command.operands()[0];
  const memory::dims in = dims_of(input), out = dims_of(output), kernel = kernel_of(command);
  const memory::dims weight = depthwise ? memory::dims{in[1], 1, 1, kernel[0], kernel[1]}
                                        : memory::dims{out[1], in[1], kernel[0], kernel[1]};
  const memory::data_type type = peer_type(input.layout.dtype());
  const bool integer = type == memory::data_type::s8 || type == memory::data_type::u8;
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, any(in, type),
      any(weight, integer ? memory::data_type::s8 : type),
      any(out, peer_type(output.layout.dtype())), {1, 1}, {1, 1}, {1, 1});
  return one_dnn(depthwise ? "depthwise convolution" : "convolution", [&](Primitive& part) {
    const dnnl::convolution_forward::primitive_desc chosen(desc, part.engine);
    part.primitive = dnnl::convolution_forward(chosen);
    part.add(DNNL_ARG_SRC, chosen.src_desc());
    part.add(DNNL_ARG_WEIGHTS, chosen.weights_desc());
    part.add(DNNL_ARG_DST, chosen.dst_desc());
  });
}

Peer pool_peer(const Command& command) {
  const Operand &input = *command.find("input_addr"), &output = command.operands()[0];
  const bool maximum = command.op->name().find("max") != std::string_view::npos;
  const memory::data_type type = peer_type(input.layout.dtype());
  const memory::dims in = dims_of(input);
  memory::dims out = dims_of(output);
  out[2] = in[2];
  out[3] = in[3];
  const dnnl::pooling_forward::desc desc(
      dnnl::prop_kind::forward_inference,
      maximum ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_include_padding,
      memory::desc(in, type, memory::format_tag::nchw), any(out, type), {1, 1}, kernel_of(command),
      {1, 1}, {1, 1});
  return one_dnn("pooling", [&](Primitive& part) {
    const dnnl::pooling_forward::primitive_desc chosen(desc, part.engine);
    part.primitive = dnnl::pooling_forward(chosen);
    part.add(DNNL_ARG_SRC, chosen.src_desc());
    part.add(DNNL_ARG_DST, chosen.dst_desc());
  });
}

Peer matrix_peer(const Command& command) {
  const Operand& output = command.operands()[0];
  const std::int64_t rows = command.arg("left_rows").value();
  const std::int64_t inner = command.arg("left_cols").value();
  const std::int64_t columns = output.layout.size() / rows;
  const Operand* const left = command.find("left_addr");
  const Operand* const right = command.find("right_addr");
  const Operand& source = left != nullptr ? *left : *right;
  const Dtype type = source.layout.dtype();
  const bool bytes = type == Dtype::kInt8 || type == Dtype::kUint8;
  if (!bytes && type != Dtype::kFp16 && type != Dtype::kBf16) {
    const auto a = std::make_shared<std::vector<float>>(rows * inner, 0.5F);
    const auto b = std::make_shared<std::vector<float>>(inner * columns, 0.25F);
    const auto c = std::make_shared<std::vector<float>>(rows * columns);
    return {"OpenBLAS: sgemm", [=] {
              cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(rows),
                          static_cast<int>(columns), static_cast<int>(inner), 1.0F, a->data(),
                          static_cast<int>(inner), b->data(), static_cast<int>(columns), 0.0F,
                          c->data(), static_cast<int>(columns));
            }};
  }
  const memory::data_type result =
      bytes ? memory::data_type::s32 : peer_type(output.layout.dtype());
  const dnnl::matmul::desc desc(
      any({rows, inner}, peer_type(type)),
      any({inner, columns}, bytes ? memory::data_type::s8 : peer_type(type)),
      any({rows, columns}, result));
  return one_dnn("matrix product", [&](Primitive& part) {
    const dnnl::matmul::primitive_desc chosen(desc, part.engine);
    part.primitive = dnnl::matmul(chosen);
    part.add(DNNL_ARG_SRC, chosen.src_desc());
    part.add(DNNL_ARG_WEIGHTS, chosen.weights_desc());
    part.add(DNNL_ARG_DST, chosen.dst_desc());
  });
}

}  // namespace tensorlane::bench
