#include "tensorlane/compute/rows/command_views.h"

namespace tensorlane {

LocalView local_view(const Invocation& invocation, std::string_view param) {
  const Operand* operand = invocation.command.find(param);
  if (operand == nullptr) return {};
  const Layout& layout = operand->layout;
  const LocalMemory& local = invocation.command.chip->local;
  LocalView view;
  view.memory = invocation.base(*operand);
  view.npus = local.npus;
  view.npu_bytes = local.npu_bytes;
  view.offset = layout.base();
  view.start_npu = static_cast<int>(operand->address / static_cast<std::uint64_t>(local.npu_bytes));
  view.element_bytes =
      static_cast<int>(layout.element_units()) * (operand->spec->storage == Storage::k2IC ? 2 : 1);
  const auto stride = [&](int dim) {
    return layout.digits(dim).back().stride / view.element_bytes;
  };
  view.n = stride(0);
  view.c = stride(1);
  view.h = layout.rank() == 4 ? stride(2) : 0;
  view.w = layout.rank() == 4 ? stride(3) : 1;
  return view;
}

}  // namespace tensorlane
