// The memories in which a call is computed twice: as the reference does, and in another way.
//
// Only bytes that a call may touch are filled and compared, those of its operands and some around
// them in every NPU they lie in and its neighbours; the rest stays zero, which stray() looks at
// now and then.
#ifndef TENSORLANE_DIFFERENTIAL_CALL_MEMORY_H_
#define TENSORLANE_DIFFERENTIAL_CALL_MEMORY_H_

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/differential/call_data.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::differential {

class CallMemory {
 public:
  explicit CallMemory(const Chip& chip) : chip_(chip), trial_(chip), reference_(chip) {}

  // Takes the bytes around the operands of a command in hand, zeroing those of the one before.
  // False where they are too many.
  bool take(const Command& command);
  // Gives them contents, the same in both memories.
  void fill(const Command& command, const CallData& data);
  // Brings the memory of trials back to what fill() made, or to zero.
  void restore_trial();

  DeviceMemory& trial() { return trial_; }
  DeviceMemory& reference() { return reference_; }

  // Where the memory of trials is not the one of the reference; empty where it is. Which NaN comes
  // out of a sum of several terms nothing promises, and no recording says: in a result that is a
  // sum any does that its terms have, or that arithmetic makes of infinities.
  std::string difference(const Command& command);
  // Whether the memory of trials is what fill() made.
  bool is_unchanged() const;
  // Where a byte that is not in hand is not zero, in local memory and at the begin of the others;
  // empty where there is none.
  std::string stray() const;
  // Makes all of that zero again.
  void wipe();

 private:
  struct Piece {
    Space space;
    std::int64_t begin, end;  // in the memory
    std::size_t at;           // in initial_
  };
  std::string first_difference(const Command& command) const;
  void take_over_nans(const Command& command, const Operand& result);
  // The NaN that sums of the floats of a command's sources can be, as bits of the result's type.
  std::set<std::uint32_t> nans_of(const Command& command, Dtype result) const;
  // An element as fill() made it.
  std::uint32_t initial(const Operand& operand, const Layout::Index& index) const;
  void add(const Operand& operand);
  void merge();

  const Chip& chip_;
  DeviceMemory trial_, reference_;
  std::vector<Piece> pieces_;
  std::vector<std::byte> initial_;
};

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_CALL_MEMORY_H_
