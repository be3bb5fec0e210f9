#include "tensorlane/device/detached_command.h"

#include <algorithm>
#include <array>

#include "tensorlane/device/session.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/layout/strided_copy.h"

namespace tensorlane {
namespace {

// The same elements one after the other from `base` on.
Layout dense_layout(const Layout& layout, std::int64_t base) {
  Layout result(layout.dtype());
  result.set_base(base);
  std::int64_t step = layout.size() * layout.element_units();
  for (int dim = 0; dim < layout.rank(); ++dim) {
    step /= layout.extent(dim);
    result.add_dim(layout.extent(dim), {{1, step}});
  }
  return result;
}

}  // namespace

DetachedCommand::DetachedCommand(const Command& command, const DeviceMemory* memory)
    : command_(command) {
  std::int64_t bytes = 0;
  for (int k = 0; k < command_.operand_count(); ++k) {
    Operand& own = command_.operand_storage[static_cast<std::size_t>(k)];
    own.layout = dense_layout(own.layout, bytes);
    own.space = Space::kGlobal;
    bytes += align_up(own.layout.size() * own.layout.element_units(), 64);
  }
  memory_.resize(static_cast<std::size_t>(bytes));
  for (int k = 0; k < command_.operand_count(); ++k) {
    const Operand& real = command.operand_storage[static_cast<std::size_t>(k)];
    if (!real.spec->decides) continue;
    for (const Box& box : fold({&operand(k).layout, &real.layout}))
      strided_copy(box, memory_.data(), memory->base(real.space), real.layout.element_units());
  }
}

std::span<std::byte> DetachedCommand::bytes(int k) {
  const Layout& layout = operand(k).layout;
  return std::span(memory_).subspan(
      static_cast<std::size_t>(layout.base()),
      static_cast<std::size_t>(layout.size() * layout.element_units()));
}

void DetachedCommand::run(std::byte filling) {
  for (int k = 0; k < command_.operand_count(); ++k) {
    if (operand(k).writes()) std::ranges::fill(bytes(k), filling);
  }
  std::array<std::byte*, kSpaces> memory{};
  memory.fill(memory_.data());
  execute({command_, memory}, ImplementationChoice::kFastest);
}

}  // namespace tensorlane
