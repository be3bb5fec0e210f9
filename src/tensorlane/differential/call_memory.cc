#include "tensorlane/differential/call_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "tensorlane/device/touched_pages.h"
#include "tensorlane/differential/call_form.h"
#include "tensorlane/tensor/float16.h"

namespace tensorlane::differential {
namespace {

constexpr std::int64_t kAround = 160;  // bytes before and behind an operand
// All of local memory, and as much of the others.
constexpr std::int64_t kLooked = std::int64_t{32} << 20U;
constexpr std::int64_t kMost = std::int64_t{64} << 20U;

std::size_t bytes_of(std::int64_t begin, std::int64_t end) {
  return static_cast<std::size_t>(end - begin);
}

// Elements of an operand lie at multiples of its element size from here on.
std::int64_t first_element(const Operand& operand, std::int64_t begin) {
  const std::int64_t unit = dtype_bytes(operand.layout.dtype());
  const std::int64_t phase = operand.layout.base() % unit;
  return begin + ((phase - begin) % unit + unit) % unit;
}

struct Reach {
  Layout::Bounds bounds;   // in an NPU, or in the memory
  std::int64_t npu, npus;  // the first, and how many in a circle; of linear memory 0 and 1
};

Reach reach_of(const Operand& operand, const Chip& chip) {
  const Layout& layout = operand.layout;
  if (layout.space() != AddressSpace::kLocal) return {layout.bounds(), 0, 1};
  const NpuRange npus = npus_of(operand, chip);
  return {layout.npu_offset_bounds(), npus.first, npus.count};
}

}  // namespace

void CallMemory::add(const Operand& operand) {
  const Reach reach = reach_of(operand, chip_);
  const bool local = operand.layout.space() == AddressSpace::kLocal;
  const std::int64_t size =
      local ? chip_.local.npu_bytes : static_cast<std::int64_t>(trial_.bytes(operand.space));
  const std::int64_t begin = std::max<std::int64_t>(reach.bounds.begin - kAround, 0) / 64 * 64;
  const std::int64_t end = std::min(reach.bounds.end + kAround, size);
  const std::int64_t npus = chip_.local.npus;
  // A neighbour on each side.
  const std::int64_t count = local ? std::min(reach.npus + 2, npus) : 1;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t npu = local ? (reach.npu + npus - 1 + k) % npus : 0;
    const std::int64_t at = npu * chip_.local.npu_bytes;
    pieces_.push_back({operand.space, at + begin, at + end, 0});
  }
}

void CallMemory::merge() {
  std::ranges::sort(pieces_, [](const Piece& a, const Piece& b) {
    return std::pair(a.space, a.begin) < std::pair(b.space, b.begin);
  });
  std::vector<Piece> merged;
  for (const Piece& piece : pieces_) {
    if (!merged.empty() && merged.back().space == piece.space && piece.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, piece.end);
    } else {
      merged.push_back(piece);
    }
  }
  std::size_t at = 0;
  for (Piece& piece : merged) {
    piece.at = at;
    at += bytes_of(piece.begin, piece.end);
  }
  pieces_ = std::move(merged);
}

bool CallMemory::take(const Command& command) {
  for (const Piece& piece : pieces_) {
    std::memset(trial_.base(piece.space) + piece.begin, 0, bytes_of(piece.begin, piece.end));
    std::memset(reference_.base(piece.space) + piece.begin, 0, bytes_of(piece.begin, piece.end));
  }
  pieces_.clear();
  for (const Operand& operand : command.operands()) {
    if (operand.space != Space::kStatic) add(operand);
  }
  std::int64_t all = 0;
  for (const Piece& piece : pieces_) all += piece.end - piece.begin;
  if (all > kMost) {
    pieces_.clear();
    return false;
  }
  merge();
  initial_.resize(
      pieces_.empty() ? 0 : pieces_.back().at + bytes_of(pieces_.back().begin, pieces_.back().end));
  return true;
}

void CallMemory::fill(const Command& command, const CallData& data) {
  Random random(data.seed);
  fill_with_bytes(random, initial_);
  for (const Piece& piece : pieces_)
    std::memcpy(reference_.base(piece.space) + piece.begin, initial_.data() + piece.at,
                bytes_of(piece.begin, piece.end));
  for (std::size_t k = 0; k < command.operands().size(); ++k) {
    const Operand& operand = command.operands()[k];
    if (operand.space == Space::kStatic) continue;
    const Reach reach = reach_of(operand, chip_);
    const std::int64_t begin = first_element(operand, reach.bounds.begin);
    const bool copies = operand.spec->copies && data.seed % 2 != 0;  // the same on every NPU
    for (std::int64_t n = 0; n < reach.npus; ++n) {
      const std::int64_t npu = (reach.npu + n) % chip_.local.npus;
      std::byte* const at = reference_.base(operand.space) + npu * chip_.local.npu_bytes + begin;
      Random own(data.seed + (k + 1) * 0x51ed270b +
                 static_cast<std::uint64_t>(copies ? 0 : n) * 0x2545f491);
      fill_operand(command, k, data.kinds[k], own, {at, bytes_of(begin, reach.bounds.end)});
    }
  }
  for (const Piece& piece : pieces_)
    std::memcpy(initial_.data() + piece.at, reference_.base(piece.space) + piece.begin,
                bytes_of(piece.begin, piece.end));
  restore_trial();
}

void CallMemory::restore_trial() {
  for (const Piece& piece : pieces_)
    std::memcpy(trial_.base(piece.space) + piece.begin, initial_.data() + piece.at,
                bytes_of(piece.begin, piece.end));
}

namespace {

// "dst_addr of NPU 3, offset 0x40", or the place alone.
std::string place_text(const Command& command, Space space, std::int64_t address) {
  const Chip& chip = *command.chip;
  std::string owner;
  for (const Operand& operand : command.operands()) {
    if (operand.space != space || !operand.writes() || !owner.empty()) continue;
    for (std::int64_t back = 0; back < dtype_bytes(operand.layout.dtype()) && owner.empty();
         ++back) {
      if (const auto at = operand.layout.element_at(address - back)) {
        owner = fmt::format(
            "{}[{}]", operand.name(),
            fmt::join(std::span(at->data(), static_cast<std::size_t>(operand.layout.rank())),
                      ", "));
      }
    }
  }
  if (owner.empty()) owner = "no result";
  if (space != Space::kLocal)
    return fmt::format("{} at {} {:#x}", owner, space_name(space), address);
  const LocalAddress at = split_local_address(chip.local, address);
  return fmt::format("{} at NPU {} offset {:#x}", owner, at.npu, at.offset);
}

}  // namespace

namespace {

constexpr std::uint32_t kQuiet = 0x00400000, kMadeNan = 0x7fc00000;

std::uint32_t element_mask(Dtype dtype) {
  return dtype == Dtype::kFp32 ? ~std::uint32_t{0} : 0xffffU;
}

bool is_fp8(Dtype dtype) {
  return dtype == Dtype::kFp8E4M3 || dtype == Dtype::kFp8E5M2;
}

bool is_nan(std::uint32_t bits, Dtype dtype) {
  if (is_fp8(dtype)) return tensorlane::is_nan(bits & 0xffU, float_format(dtype));
  if (dtype == Dtype::kFp16) return (bits & 0x7fffU) > 0x7c00U;
  if (dtype == Dtype::kBf16) return (bits & 0x7fffU) > 0x7f80U;
  return dtype == Dtype::kFp32 && (bits & 0x7fffffffU) > 0x7f800000U;
}

// A NaN of a type as one of fp32, and back, as the conversions of this library have it.
std::uint32_t widened_nan(std::uint32_t bits, Dtype dtype) {
  if (dtype == Dtype::kFp32) return bits;
  if (is_fp8(dtype))
    return std::bit_cast<std::uint32_t>(fp16_to_float(0x7fff));  // the canonical one
  const auto half = static_cast<std::uint16_t>(bits);
  return std::bit_cast<std::uint32_t>(dtype == Dtype::kFp16 ? fp16_to_float(half)
                                                            : bf16_to_float(half));
}
std::uint32_t narrowed_nan(std::uint32_t bits, Dtype dtype) {
  if (dtype == Dtype::kFp32) return bits;
  const auto value = std::bit_cast<float>(bits);
  return dtype == Dtype::kFp16 ? float_to_fp16(value) : float_to_bf16(value);
}

bool is_sum(const Operand& operand) {
  switch (operand.spec->combination.value_or(Combination::kFunction)) {
    case Combination::kSum:
    case Combination::kRotatedSum:
    case Combination::kMean:
      return true;
    default:
      return false;
  }
}

template <class F>
void each_index(const Layout& layout, F f) {
  Layout::Index index{};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    f(index);
    for (int d = layout.rank() - 1; d >= 0 && ++index[d] == layout.extent(d); --d) index[d] = 0;
  }
}

}  // namespace

std::uint32_t CallMemory::initial(const Operand& operand, const Layout::Index& index) const {
  const std::int64_t at = operand.layout.address(index);
  const auto piece = std::ranges::find_if(pieces_, [&](const Piece& each) {
    return each.space == operand.space && each.begin <= at && at < each.end;
  });
  std::uint32_t bits = 0;
  if (piece != pieces_.end()) {
    std::memcpy(&bits, initial_.data() + piece->at + bytes_of(piece->begin, at),
                static_cast<std::size_t>(operand.layout.element_units()));
  }
  return bits;
}

std::set<std::uint32_t> CallMemory::nans_of(const Command& command, Dtype result) const {
  std::set<std::uint32_t> nans;
  for (const std::uint32_t sign : {0U, 0x80000000U}) {
    nans.insert(narrowed_nan(kMadeNan | sign, result));
  }
  const auto add = [&](std::uint32_t bits, Dtype dtype) {
    if (is_nan(bits, dtype)) nans.insert(narrowed_nan(widened_nan(bits, dtype) | kQuiet, result));
  };
  for (const Operand& operand : command.operands()) {
    const Layout& layout = operand.layout;
    const bool read = operand.reads() || !operand.spec->inout_if.empty();
    if (!read || operand.space == Space::kStatic || !dtype_info(layout.dtype()).is_float) continue;
    each_index(layout,
               [&](const Layout::Index& index) { add(initial(operand, index), layout.dtype()); });
  }
  for (const Arg& arg :
       command.args()) {  // constants, which their own bits or those of a field are
    for (const std::int64_t field : arg.field) {
      for (const Dtype dtype : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16})
        add(static_cast<std::uint32_t>(field) & element_mask(dtype), dtype);
    }
  }
  return nans;
}

// Where both have a NaN of those that there can be, the trial gets that of the reference.
void CallMemory::take_over_nans(const Command& command, const Operand& result) {
  const Layout& layout = result.layout;
  const auto bytes = static_cast<std::size_t>(layout.element_units());
  const std::set<std::uint32_t> nans = nans_of(command, layout.dtype());
  each_index(layout, [&](const Layout::Index& index) {
    const std::int64_t at = layout.address(index);
    std::uint32_t got = 0, want = 0;
    std::memcpy(&got, trial_.base(result.space) + at, bytes);
    std::memcpy(&want, reference_.base(result.space) + at, bytes);
    if (nans.contains(got) && nans.contains(want))
      std::memcpy(trial_.base(result.space) + at, &want, bytes);
  });
}

std::string CallMemory::difference(const Command& command) {
  std::string text = first_difference(command);
  if (text.empty()) return text;
  for (const Operand& operand : command.operands()) {
    if (operand.writes() && is_sum(operand) && dtype_info(operand.layout.dtype()).is_float)
      take_over_nans(command, operand);
  }
  return first_difference(command);
}

std::string CallMemory::first_difference(const Command& command) const {
  for (const Piece& piece : pieces_) {
    const std::byte* const got = trial_.base(piece.space) + piece.begin;
    const std::byte* const want = reference_.base(piece.space) + piece.begin;
    const std::size_t bytes = bytes_of(piece.begin, piece.end);
    if (std::memcmp(got, want, bytes) == 0) continue;
    const std::ptrdiff_t at = std::mismatch(got, got + bytes, want).first - got;
    const auto word = static_cast<std::size_t>(at / 4 * 4);
    std::uint32_t a = 0, b = 0;
    std::memcpy(&a, got + word, std::min<std::size_t>(4, bytes - word));
    std::memcpy(&b, want + word, std::min<std::size_t>(4, bytes - word));
    return fmt::format("{}: {:08x}, by the reference {:08x}",
                       place_text(command, piece.space, piece.begin + at), a, b);
  }
  return {};
}

bool CallMemory::is_unchanged() const {
  return std::ranges::all_of(pieces_, [&](const Piece& piece) {
    return std::memcmp(trial_.base(piece.space) + piece.begin, initial_.data() + piece.at,
                       bytes_of(piece.begin, piece.end)) == 0;
  });
}

void CallMemory::wipe() {
  for (DeviceMemory* const memory : {&trial_, &reference_}) {
    for (const Space space : {Space::kLocal, Space::kGlobal, Space::kL2}) {
      const auto bytes = static_cast<std::size_t>(
          std::min<std::uint64_t>(memory->bytes(space), static_cast<std::uint64_t>(kLooked)));
      if (bytes > 0) std::memset(memory->base(space), 0, bytes);
    }
  }
  pieces_.clear();
}

std::string CallMemory::stray() const {
  for (const Space space : {Space::kLocal, Space::kGlobal, Space::kL2}) {
    const std::byte* const base = trial_.base(space);
    if (base == nullptr) continue;
    std::string found;
    const auto look = [&](std::int64_t begin, std::int64_t end) {
      if (begin >= end || !found.empty()) return;
      const auto* const first = std::find_if(base + begin, base + end,
                                             [](std::byte byte) { return byte != std::byte{}; });
      if (first != base + end) found = fmt::format("{} {:#x}", space_name(space), first - base);
    };
    const auto look_between_pieces = [&](std::size_t from, std::size_t to) {
      auto begin = static_cast<std::int64_t>(from);
      const auto end = static_cast<std::int64_t>(to);
      for (const Piece& piece : pieces_) {
        if (piece.space != space || piece.end <= begin) continue;
        look(begin, std::min(piece.begin, end));
        begin = std::max(begin, piece.end);
      }
      look(begin, end);
    };
    const auto bytes =
        static_cast<std::size_t>(std::min(kLooked, static_cast<std::int64_t>(trial_.bytes(space))));
    // What nobody touched is zero.
    if (!for_each_touched(base, bytes, look_between_pieces)) look_between_pieces(0, bytes);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace tensorlane::differential
