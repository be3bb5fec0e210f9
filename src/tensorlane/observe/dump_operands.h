// Writes operands of chosen commands to .npy files, in logical order.
//
//   softmax.c:57=out.npy            the first result of the commands of this line
//   softmax.c:57:src0_addr=a.npy    this operand: inputs before the command, results after it
//   softmax.c:57=tile-{n}.npy       a file for each command, numbered from 0
//
// Without {n} a file holds what the last of the commands had. bf16 and fp8 are written as their
// bits, raw types as inspect/value.h reads them; see io/npy.h.
#ifndef TENSORLANE_OBSERVE_DUMP_OPERANDS_H_
#define TENSORLANE_OBSERVE_DUMP_OPERANDS_H_

#include <string>
#include <vector>

#include "tensorlane/device/device.h"
#include "tensorlane/observe/command_choice.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

// One --dump as a person writes it. Throws UserError for another form.
struct DumpText {
  std::string choice;
  std::string operand;  // empty: the first result
  std::string path;
};
DumpText parse_dump(const std::string& text);

class DumpOperands : public Observer {
 public:
  DumpOperands(const std::vector<DumpText>& dumps, const DeviceMemory& memory, Say say);
  ~DumpOperands() override;
  DumpOperands(const DumpOperands&) = delete;
  DumpOperands& operator=(const DumpOperands&) = delete;

  void launch_begin(const Launch& launch) override;
  void command_begin(const Command& command) override;
  void command_end(const Command& command) override;

 private:
  struct Dump {
    DumpText text;
    CommandChoice choice;
    const Operand* operand = nullptr;  // of the command in hand
    int core = 0;                      // that gave it
    std::string problem = {};          // what went wrong first; said at the end
  };
  void write(Dump& dump) const;

  std::vector<Dump> dumps_;
  const DeviceMemory& memory_;
  const Say say_;
};

// TENSORLANE_DUMP: dumps, one a line.
void dump_operands(Device& device, const std::string& value, const Say& say);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_DUMP_OPERANDS_H_
