// BDC: elements of static memory, on every NPU or one on each.
#include <cstring>

#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/compute/moves/moves.h"
#include "tensorlane/tpukernel/table_families.h"

TL_TPU_OPS_FILE(static_memory);

namespace tensorlane::tpukernel {
namespace {

// Elements of static memory: the same on every NPU, or one on each.
OpSpec from_static(bool distribute) {
  OperandSpec source{.param = "src_addr",
                     .role = Role::kIn,
                     .memory = MemoryKind::kStatic,
                     .shape = {"1", "1", "1", "len"},
                     .layout = DefaultLayout::kContinuous,
                     .dtype_param = "dtype"};
  const OperandSpec target =
      distribute ? shaped(out("dst_addr", "dtype"), {"1", "len", "1", "1"}, DefaultLayout::kCompact)
                 : shaped(out("dst_addr", "dtype"), {"1", "npu_num", "1", "len"});
  const auto broadcast = [](const Invocation& invocation) {
    const IndexedTensor to(invocation, "dst_addr"), from(invocation, "src_addr");
    const std::byte* const row = from.at(0, 0, 0, 0);
    const auto bytes = static_cast<std::size_t>(to.bytes() * from.extent(3));
    to.each_channel(0, [&](std::int64_t, std::byte* channel) { std::memcpy(channel, row, bytes); });
    return true;
  };
  Texts limits =
      join({any_type("dtype"), {"1 <= len", "src_addr % tpu_eu_num(DT_INT8) == 0 [observed]"}});
  if (distribute) {
    limits.emplace_back("dst_addr % dtype.bytes == 0");
    OpSpec spec =
        table_spec("Gives element i of static memory to channel i.", {target, source}, limits, {});
    spec.only_moves = true;
    spec.implementations = move_permuted("dst_addr", "src_addr", {0, 3, 1, 2});
    return spec;
  }
  limits = join({limits,
                 {"dst_addr % tpu_eu_num(DT_INT8) == 0", "1 <= npu_num <= tpu_npu_num()",
                  "start_npu(dst_addr) + npu_num <= tpu_npu_num()"}});
  return table_spec("Copies `len` elements of static memory to `npu_num` NPUs.", {target, source},
                    limits, broadcast);
}

}  // namespace

TL_TPU_OP(tpu_bdc_npu_bcast_from_static) = from_static(false);
TL_TPU_OP(tpu_bdc_npu_distribute_from_static) = from_static(true);

}  // namespace tensorlane::tpukernel
