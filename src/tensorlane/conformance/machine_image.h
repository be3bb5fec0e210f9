// The memories of a device beside a copy of what they should hold.
//
// Before a case both hold the recording's pattern. Replaying writes a case's operands to both, then
// the expected results to the copy only; after the call the two must be equal everywhere. Comparing
// all 36 MB after each case would take most of the time, so callers compare the ranges of a case
// with some bytes around them, and sweep() everything now and then.
#ifndef TENSORLANE_CONFORMANCE_MACHINE_IMAGE_H_
#define TENSORLANE_CONFORMANCE_MACHINE_IMAGE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/conformance/case_args.h"
#include "tensorlane/conformance/cases.h"
#include "tensorlane/device/memory.h"

namespace tensorlane::conformance {

// A byte of a device memory, and how people write it.
struct Place {
  Space space = Space::kLocal;
  std::uint64_t offset = 0;
  std::string text;  // "NPU 3 offset 0x1000", "SYS0 offset 0x40", "L2 offset 0x0"
};

class MachineImage {
 public:
  // Fills every memory with the recordings' pattern, or zeros where they have none: the L2, the
  // DTCM and the bytes around the system buffers, which no case may touch.
  MachineImage(const Chip& chip, const RecordedMemory& recorded, DeviceMemory& memory);

  SystemBuffers system_buffers() const;

  // Throws UserError when the range is not inside its buffer.
  std::span<std::byte> actual(const BufferRange& range);
  std::span<std::byte> expected(const BufferRange& range);
  // The pattern again, in memory and in the copy.
  void restore(const BufferRange& range);
  void restore_all();
  // A range of system buffers or local memory around `range`, `margin` bytes wider on each side
  // as far as the memory reaches: true when memory and copy are equal there.
  bool equal_around(const BufferRange& range, std::uint64_t margin) const;
  // The first byte around `range` that differs.
  std::optional<Place> difference_around(const BufferRange& range, std::uint64_t margin) const;
  // The first byte of all that differs.
  std::optional<Place> sweep() const;

  Place place(const BufferRange& range, std::uint64_t byte) const;
  // The range of a run of bytes in a memory; nothing where the pattern does not reach.
  std::optional<BufferRange> range_of(Space space, std::uint64_t offset, std::uint64_t bytes) const;

 private:
  // Part of one memory.
  struct Part {
    Space space;
    std::uint64_t begin;
    std::uint64_t bytes;
    std::byte* memory;
    std::unique_ptr<std::byte[]> copy;
  };
  struct Window {
    const Part* part;
    std::uint64_t begin, end;  // in the part
  };
  Window find(const BufferRange& range) const;
  Window around(const BufferRange& range, std::uint64_t margin) const;
  std::optional<Place> first_difference(const Window& window) const;
  Place place(const Part& part, std::uint64_t offset) const;
  void fill(const BufferRange& range, std::byte* out) const;
  std::uint64_t buffer_bytes(int buffer) const;
  std::uint64_t system_begin(int number) const;  // in the global part

  const Chip& chip_;
  const RecordedMemory& recorded_;
  std::vector<Part> parts_;  // local, global, L2, DTCM
};

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_MACHINE_IMAGE_H_
