// What an interface of kernels is to everything above the device: one value per interface.
//
// OKKernel and TPUKernel differ in their functions, their C types, their names, in how their calls
// were recorded on the vendor's models and in the layouts their documents speak of. All of that
// stands in one FrontEnd each (okk/front_end.cc, tpukernel/front_end.cc). Chips are not part of it:
// a chip says in its table which interface its kernels are written in, and any chip of an interface
// runs them.
//
// The public headers of two interfaces share names and cannot meet in one source file; a FrontEnd
// is free of them. A libbmlib.so holds one, the command line all (front_ends/front_ends.h).
#ifndef TENSORLANE_DEVICE_FRONT_END_H_
#define TENSORLANE_DEVICE_FRONT_END_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tensorlane/chip/chip.h"
#include "tensorlane/layout/named.h"
#include "tensorlane/ops/op.h"

namespace tensorlane {

// The memory around recorded calls, as the recorder of the vendor's model prepared it.
struct RecordedMemory {
  std::uint64_t system_buffer_bytes;  // of each of the two system buffers
  // The bytes before a call: `id` is the NPU, or the number of NPUs plus the number of the system
  // buffer; `offset` is that of the first byte.
  void (*prefill)(std::uint32_t id, std::uint64_t offset, std::span<std::byte> out);
};

struct FrontEnd {
  const KernelInterface& api;
  // Whose functions answer, and whose calls a recording holds, where nothing names another chip.
  const Chip& chip;
  std::string_view registration;  // the macro that makes a kernel launchable
  std::string_view symbols;       // how all its C functions begin, of kernels and of hosts
  System layouts;                 // those of the interface's documents
  const OpList& (*ops)();
  // How common a function is in published kernels, 1 to 3; null where nobody counted.
  int (*tier)(std::string_view function);
  // An argument whose fields follow from a number: a value of an enumeration (op_type_t,
  // data_type_t), or the kind of a variable_t and the word it holds. Plain integers come back as
  // they are.
  Arg (*argument)(std::string_view type, std::int64_t number, std::uint32_t word);
  RecordedMemory recorded_memory;
  std::string_view reference_page;  // how the page of all functions begins, Markdown
  // What a program is told where no launch is there to end. The library does not print.
  void (*report)(const std::string& text);
};

// The chip that the environment asks for (TENSORLANE_CHIP), the front end's own where it names
// none. Throws UserError for a chip whose kernels are written in another interface.
const Chip& chosen_chip(const FrontEnd& front_end);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_FRONT_END_H_
