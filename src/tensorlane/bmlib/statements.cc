// tensorlane_debug.h: what programs say of their tensors.
#include <algorithm>
#include <cstdio>

#include "tensorlane/base/language.h"
#include "tensorlane/bmlib/devices.h"
#include "tensorlane/bmlib/linked_front_ends.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/running_kernel.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/statistics.h"
#include "tensorlane/io/tensor_file.h"
#include "tensorlane/layout/named.h"
#include "tensorlane_debug.h"

namespace tensorlane::bmlib {
namespace {

// The device that a statement is about: the kernel's, that of the descriptor, or the first that
// the address is allocated on.
Device& device_of(const tl_statement& said) {
  if (const RunningKernel* const run = running_kernel()) return device(run->session.launch.device);
  for (int id = 0; id < kDevices; ++id) {
    if (said.device == device_mark(id)) return device(id);
  }
  for (int id = 0; id < kDevices; ++id) {
    if (Device* const made = made_device(id); made && made->find_allocation(said.address))
      return *made;
  }
  user_error("{:#x} is inside no allocation of a device", said.address);
}

// The tensor as an operand: its memory and where its elements lie in it.
Operand operand_of(const tl_statement& said, const OperandSpec& spec, const Chip& chip) {
  const bool local = said.address < chip.local_bytes();
  const std::optional<Chip::Place> place =
      local ? Chip::Place{Space::kLocal, said.address, chip.local_bytes() - said.address}
            : chip.find(said.address);
  if (!place) user_error("{:#x} is not inside a memory of the device", said.address);
  const bool in_npus = place->space == Space::kLocal;
  const auto at = static_cast<std::int64_t>(place->offset);
  const tl_tensor& tensor = said.tensor;
  LayoutSpec wanted{.system = front_end().layouts,
                    .layout = std::string(tensor.layout != nullptr ? std::string_view(tensor.layout)
                                          : in_npus                ? layout_names::kAligned
                                                                   : layout_names::kContinuous),
                    .dtype = parse_dtype(tensor.dtype == nullptr ? "" : tensor.dtype),
                    .shape = {tensor.n, tensor.c, tensor.h, tensor.w},
                    .start_npu = in_npus ? at / chip.local.npu_bytes : 0,
                    .offset = in_npus ? at % chip.local.npu_bytes : at,
                    .memory = chip.local,
                    .owner = chip.name};
  const NamedLayout made = make_layout(wanted);
  if (made.is_local() != in_npus) {
    const std::string_view memory = translated(space_name(place->space));
    if (made.is_local())
      user_error("layout '{}' is for local memory, and {:#x} is {}", wanted.layout, said.address,
                 memory);
    user_error("layout '{}' is not for local memory, and {:#x} is {}", wanted.layout, said.address,
               memory);
  }
  if (in_npus) {
    check_fits(made);
  } else if (made.layout.bounds().end > at + static_cast<std::int64_t>(place->bytes_left)) {
    user_error("the tensor at {:#x} ends beyond {}", said.address,
               translated(space_name(place->space)));
  }
  return {.spec = &spec, .space = place->space, .address = said.address, .layout = made.layout};
}

void print(const Operand& operand, const std::byte* memory, const void* call_site) {
  constexpr std::int64_t kShown = 8;
  const inspect::OperandElements elements(operand, memory);
  std::string text = fmt::format(
      "tensorlane: {}:\n  {}\n ",
      tr("{} {} at {:#x}, {}", shape_text(elements.shape()), dtype_name(elements.dtype()),
         operand.address, find_source_location(call_site).text()),
      statistics_text(inspect::statistics(elements.tensor())));
  const std::int64_t shown = std::min(kShown, elements.size());
  for (std::int64_t i = 0; i < shown; ++i) text += " " + elements.text(elements.index(i));
  text += elements.size() > shown ? " ...\n" : "\n";
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

void state(const tl_statement& said, const void* call_site) {
  Device& device = device_of(said);
  OperandSpec spec;
  const Operand operand = operand_of(said, spec, device.chip());
  const bool in_kernel = running_kernel() != nullptr;
  const std::string_view text = said.text == nullptr ? "" : said.text;
  const std::byte* const memory = device.memory().base(operand.space);
  if (!in_kernel) device.drain();
  switch (said.kind) {
    case TL_STATE_PRINT:
      return print(operand, memory, call_site);
    case TL_STATE_DUMP:
      return write_tensor(std::string(text), inspect::OperandElements(operand, memory).tensor());
    case TL_STATE_NAME:
      return device.state({.kind = Statement::Kind::kName,
                           .space = operand.space,
                           .layout = operand.layout,
                           .text = text,
                           .call_site = call_site,
                           .in_kernel = in_kernel});
    case TL_STATE_EXPECT: {
      if (said.reference == nullptr) user_error("the reference is NULL");
      const Shape shape{said.tensor.n, said.tensor.c, said.tensor.h, said.tensor.w};
      const Dtype dtype = operand.layout.dtype();
      return device.state({.kind = Statement::Kind::kExpect,
                           .space = operand.space,
                           .layout = operand.layout,
                           .text = text,
                           .reference = {static_cast<const std::byte*>(said.reference),
                                         tensor_bytes(dtype, shape, tr("the tensor"))},
                           .reference_dtype = dtype,
                           .call_site = call_site,
                           .in_kernel = in_kernel});
    }
    default:
      user_error("{} is no kind of statement", said.kind);
  }
}

constexpr const char* kFunctions[] = {"tl_name", "tl_expect", "tl_print", "tl_dump"};

}  // namespace
}  // namespace tensorlane::bmlib

using namespace tensorlane;
using namespace tensorlane::bmlib;

extern "C" void tensorlane_state(const tl_statement* said) {
  const void* const call_site = __builtin_return_address(0);
  enter_library();
  try {
    state(*said, call_site);
  } catch (const std::exception& error) {
    report(said->kind < std::size(kFunctions) ? kFunctions[said->kind] : "tensorlane_state",
           fmt::format("{} ({})", error.what(), find_source_location(call_site).text()));
  }
  leave_library();
}
