#include "tensorlane/conformance/machine_image.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/base/error.h"

namespace tensorlane::conformance {
namespace {

constexpr std::uint64_t kGuard = 0x10000;  // zero bytes around the system buffers
constexpr int kSystem = BufferRange::kSystem;

}  // namespace

MachineImage::MachineImage(const Chip& chip, const RecordedMemory& recorded, DeviceMemory& memory)
    : chip_(chip), recorded_(recorded) {
  const auto add = [&](Space space, std::uint64_t begin, std::uint64_t bytes) {
    parts_.push_back(
        {space, begin, bytes, memory.base(space) + begin, std::make_unique<std::byte[]>(bytes)});
  };
  add(Space::kLocal, 0, memory.bytes(Space::kLocal));
  add(Space::kGlobal, chip.global_alloc_begin - chip.region(Space::kGlobal).begin,
      2 * recorded.system_buffer_bytes + 3 * kGuard);
  add(Space::kL2, 0, memory.bytes(Space::kL2));
  if (chip.has(Space::kDtcm)) add(Space::kDtcm, 0, memory.bytes(Space::kDtcm));
  restore_all();
}

SystemBuffers MachineImage::system_buffers() const {
  const std::uint64_t begin = chip_.global_alloc_begin;
  return {begin + system_begin(0), begin + system_begin(1)};
}

std::uint64_t MachineImage::system_begin(int number) const {
  return kGuard + static_cast<std::uint64_t>(number) * (recorded_.system_buffer_bytes + kGuard);
}

std::uint64_t MachineImage::buffer_bytes(int buffer) const {
  return buffer < kSystem ? static_cast<std::uint64_t>(chip_.local.npu_bytes)
                          : recorded_.system_buffer_bytes;
}

MachineImage::Window MachineImage::find(const BufferRange& range) const {
  const bool local = range.buffer < kSystem;
  if (range.buffer < 0 || (local ? range.buffer >= chip_.local.npus : range.buffer > kSystem + 1)) {
    user_error("buffer {} does not exist: {} NPUs and 2 system buffers do", range.buffer,
               chip_.local.npus);
  }
  const std::uint64_t size = buffer_bytes(range.buffer);
  if (range.offset > size || range.bytes > size - range.offset) {
    user_error("{} bytes at offset {:#x} are not inside the {} bytes of buffer {}", range.bytes,
               range.offset, size, range.buffer);
  }
  const std::uint64_t begin =
      range.offset + (local ? static_cast<std::uint64_t>(range.buffer) * size
                            : system_begin(range.buffer - kSystem));
  return {&parts_[local ? 0 : 1], begin, begin + range.bytes};
}

MachineImage::Window MachineImage::around(const BufferRange& range, std::uint64_t margin) const {
  Window window = find(range);
  window.begin -= std::min(window.begin, margin);
  window.end = std::min(window.part->bytes, window.end + margin);
  return window;
}

std::span<std::byte> MachineImage::actual(const BufferRange& range) {
  return {find(range).part->memory + find(range).begin, range.bytes};
}

std::span<std::byte> MachineImage::expected(const BufferRange& range) {
  return {find(range).part->copy.get() + find(range).begin, range.bytes};
}

void MachineImage::fill(const BufferRange& range, std::byte* out) const {
  constexpr int kSystemId = 64;  // of the first system buffer, however many NPUs there are
  const int id = range.buffer < kSystem ? range.buffer : range.buffer - kSystem + kSystemId;
  recorded_.prefill(static_cast<std::uint32_t>(id), range.offset, {out, range.bytes});
}

void MachineImage::restore(const BufferRange& range) {
  const std::span<std::byte> copy = expected(range);
  fill(range, copy.data());
  std::memcpy(actual(range).data(), copy.data(), copy.size());
}

void MachineImage::restore_all() {
  for (Part& part : parts_) {
    std::memset(part.memory, 0, part.bytes);
    std::memset(part.copy.get(), 0, part.bytes);
  }
  for (int npu = 0; npu < chip_.local.npus; ++npu) restore({npu, 0, buffer_bytes(npu)});
  for (const int buffer : {kSystem, kSystem + 1}) restore({buffer, 0, buffer_bytes(buffer)});
}

bool MachineImage::equal_around(const BufferRange& range, std::uint64_t margin) const {
  const Window window = around(range, margin);
  return std::memcmp(window.part->memory + window.begin, window.part->copy.get() + window.begin,
                     window.end - window.begin) == 0;
}

std::optional<Place> MachineImage::difference_around(const BufferRange& range,
                                                     std::uint64_t margin) const {
  return first_difference(around(range, margin));
}

std::optional<Place> MachineImage::sweep() const {
  for (const Part& part : parts_) {
    if (auto place = first_difference({&part, 0, part.bytes})) return place;
  }
  return std::nullopt;
}

std::optional<Place> MachineImage::first_difference(const Window& window) const {
  const std::byte* const memory = window.part->memory;
  const std::byte* const copy = window.part->copy.get();
  if (std::memcmp(memory + window.begin, copy + window.begin, window.end - window.begin) == 0)
    return std::nullopt;
  const std::byte* const found =
      std::mismatch(memory + window.begin, memory + window.end, copy + window.begin).first;
  return place(*window.part, static_cast<std::uint64_t>(found - memory));
}

Place MachineImage::place(const BufferRange& range, std::uint64_t byte) const {
  const Window window = find(range);
  return place(*window.part, window.begin + byte);
}

Place MachineImage::place(const Part& part, std::uint64_t offset) const {
  Place place{part.space, part.begin + offset, {}};
  const auto npu_bytes = static_cast<std::uint64_t>(chip_.local.npu_bytes);
  if (part.space == Space::kLocal) {
    place.text = fmt::format("NPU {} offset {:#x}", offset / npu_bytes, offset % npu_bytes);
    return place;
  }
  if (part.space == Space::kGlobal) {
    for (const int number : {0, 1}) {
      if (offset >= system_begin(number) &&
          offset < system_begin(number) + recorded_.system_buffer_bytes) {
        place.text = fmt::format("SYS{} offset {:#x}", number, offset - system_begin(number));
        return place;
      }
    }
  }
  place.text = fmt::format("{} offset {:#x}", space_name(part.space), place.offset);
  return place;
}

std::optional<BufferRange> MachineImage::range_of(Space space, std::uint64_t offset,
                                                  std::uint64_t bytes) const {
  const auto npu_bytes = static_cast<std::uint64_t>(chip_.local.npu_bytes);
  if (space == Space::kLocal)
    return BufferRange{static_cast<int>(offset / npu_bytes), offset % npu_bytes, bytes};
  if (space != Space::kGlobal) return std::nullopt;
  for (const int number : {0, 1}) {
    const std::uint64_t begin = parts_[1].begin + system_begin(number);
    if (offset >= begin && offset + bytes <= begin + recorded_.system_buffer_bytes)
      return BufferRange{kSystem + number, offset - begin, bytes};
  }
  return std::nullopt;
}

}  // namespace tensorlane::conformance
