// Every layout of the three systems by name.
//
// Command line, drawing and conversion all ask here: what layouts are there, what do they need, and
// what does this one look like for that tensor?
//
//   LayoutSpec spec{.system = System::kBm1684, .layout = "aligned", .dtype = Dtype::kFp32,
//                   .shape = {2, 3, 4, 5}, .memory = find_chip("bm1684").local};
//   NamedLayout tensor = make_layout(spec);
//   tensor.layout.local_address(index);     // NPU and offset of an element
//   tensor.bytes_per_npu;                   // what the tensor reserves in every NPU
//
// Names are matched without regard to case and to '-' against '_'; every name has the aliases that
// documents and headers use for it ("aligned128", "64-byte aligned", ...).
#ifndef TENSORLANE_LAYOUT_NAMED_H_
#define TENSORLANE_LAYOUT_NAMED_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/layout/axes.h"
#include "tensorlane/layout/layout.h"
#include "tensorlane/layout/local.h"

namespace tensorlane {

// Whose documents describe a layout. Every chip of an interface has its layouts.
enum class System : std::uint8_t {
  kBm1684,   // OKKernel
  kBm1684x,  // TPUKernel
  kMace,     // MACE on OpenCL
};
inline constexpr System kAllSystems[] = {System::kBm1684, System::kBm1684x, System::kMace};
// "bm1684", "bm1684x", "mace".
std::string_view system_name(System system);

// The chip that the figures of the documents draw.
inline constexpr LocalMemory kFigureLocal{4, 1024, 128};

// What a user asks for.
struct LayoutSpec {
  System system = System::kBm1684;
  std::string layout = {};  // a name, or a layout in the notation (notation.h)
  Dtype dtype = Dtype::kFp32;
  std::vector<std::int64_t> shape = {};  // in the order of LayoutInfo::axes
  std::int64_t start_npu = 0;            // local layouts: NPU of the first channel
  std::int64_t offset = 0;               // bytes before the tensor: in every NPU, or in the buffer
  std::vector<std::int64_t> strides = {};  // where LayoutInfo::takes_strides, in its stride_unit
  std::optional<std::int64_t> cols_per_channel = {};  // for matrix and vector
  int winograd_block = 2;                             // for WINOGRAD_FILTER: 2, 4 or 6
  bool system_memory = false;              // `free` in linear memory instead of local memory
  std::optional<LocalMemory> memory = {};  // of the chip; layouts in local memory need it
  std::string_view owner = {};             // the chip, for messages; without it the system

  std::string_view owner_name() const { return owner.empty() ? system_name(system) : owner; }
  // UserError where there is none.
  LocalMemory local_memory() const;
};

// What a memory's bytes outside the elements hold after a conversion.
enum class PaddingFill : std::uint8_t {
  kUnspecified,  // the documents leave it open: kept as it was
  kZero,         // the target prescribes zeros
};

struct LayoutInfo;

struct NamedLayout {
  const LayoutInfo* info = nullptr;
  LayoutSpec spec;
  Layout layout;
  Axes axes;                       // one per dimension
  std::int64_t bytes_per_npu = 0;  // local layouts: bytes reserved in every NPU, from `offset` on
  std::int64_t bytes = 0;          // others: bytes of the buffer or image, from `offset` on
  std::int64_t image_height = 0;   // images: pixels
  PaddingFill padding = PaddingFill::kUnspecified;
  bool holds_elements = true;  // false: the system writes only padding (DW_CONV2D_FILTER, M > 1)
  // Per axis, in LayoutInfo::stride_unit; empty where one number does not tell.
  std::vector<std::int64_t> strides;

  // LayoutInfo::name, or the text of a layout that is written out.
  std::string_view name() const;
  // True when the memory lists the elements in logical order and holds nothing else.
  bool is_row_major() const;
  bool is_local() const { return layout.space() == AddressSpace::kLocal; }
  bool is_image() const { return layout.space() == AddressSpace::kImage; }
  LocalMemory memory() const { return spec.local_memory(); }
  // All bytes the tensor takes, in all NPUs.
  std::int64_t total_bytes() const;
  // The formula, of the memory that the tensor is in.
  std::string_view rule() const;
  // The call that gives these strides in a kernel; empty where there is none.
  std::string strides_call() const;
  // Bits that one step of `strides` moves.
  int stride_bits() const;
  // True when `source` holds 3x3 filters (O, I, 3, 3) that this layout stores transformed.
  bool transforms(const Layout& source) const;
};

// The element types a layout takes, by the bits of one element.
struct ElementBits {
  int least = 4, most = 32;
  std::string_view because = {};  // for the message that refuses others
};

// Layouts that keep four elements side by side as the lanes of a pixel.
enum class PixelForm : std::uint8_t {
  kNone,
  kImage,
  kBuffer,  // the pixels of MACE's GPU buffers, one after the other
};

// What the strides of a layout count.
enum class StrideUnit : std::uint8_t {
  kElement,
  kWord,  // 32-bit words: 4N, 2N
  kPair,  // two elements: 2IC
};
// "elements", "32-bit words", "pairs"; the catalogue has them.
std::string_view stride_unit_name(StrideUnit unit);

struct LayoutInfo {
  System system;
  std::string_view name;
  std::string_view aliases;  // separated by spaces
  Axes axes;                 // of the largest rank
  std::string_view summary;  // one line; its Chinese is in the catalogue
  std::string_view rule;     // the formula; its few words are in the catalogue
  std::string_view source;   // who says so; likewise
  void (*build)(NamedLayout& out);
  ElementBits bits = {};
  PixelForm pixels = PixelForm::kNone;

  // What code asks about a layout, so that it never compares names.
  bool row_major = false;          // the memory lists the elements in logical order
  bool takes_strides = false;      // LayoutSpec::strides may be given
  bool winograd = false;           // holds transformed filters; 3x3 ones are transformed on the way
  bool echoes = false;             // columns past the last input channel repeat elements (image.h)
  bool drops_multipliers = false;  // with M > 1 the system writes only padding
  bool written = false;            // LayoutSpec::layout itself says where elements lie (notation.h)
  StrideUnit stride_unit = StrideUnit::kElement;
  std::string_view system_rule = {};  // the formula in system memory, where the layout has both
  std::span<const Axes> smaller_axes = {};  // of the smaller ranks that it takes too
  std::string_view without_gaps = {};  // the layout whose channels touch, where this one's do not
  // The call of the interface that gives the strides; {bits} are those of an element.
  std::string_view strides_call = {};

  // The summary in the language of the process.
  std::string_view summary_text() const;
  // Local or system memory, as LayoutSpec::system_memory says.
  bool either_memory() const { return !system_rule.empty(); }
  bool takes(Dtype dtype) const {
    return dtype_bits(dtype) >= bits.least && dtype_bits(dtype) <= bits.most;
  }
};

// The layouts of a system, in the order of its documents.
std::span<const LayoutInfo> layouts_of(System system);
// The layout called `name`, or the entry of layouts that are written out in the notation
// (notation.h); UserError with the nearest spelling otherwise.
const LayoutInfo& find_layout(System system, std::string_view name);
// The axes that a shape is given along: LayoutInfo::axes, or those of a layout written out.
Axes layout_axes(System system, std::string_view name);

// The layout for a tensor. Throws UserError for a wrong rank, extent, stride, alignment or element
// type, one line that names the parameter, its value and the rule. Does not ask whether the tensor
// fits into the chip; `check_fits` does.
NamedLayout make_layout(const LayoutSpec& spec);
// Throws UserError when a local tensor reaches beyond the memory of an NPU.
void check_fits(const NamedLayout& tensor);

// The columns per channel with which a matrix of `cols` columns takes the least memory per NPU, of
// several the one that spreads it over most NPUs. From NPU 0 that is ceil(cols / NPUs), a channel
// in each [OKKernel: columns per channel small enough to spread over many NPUs, channels <= NPUs];
// from a later NPU a second channel row may cost less than wide channels.
std::int64_t best_cols_per_channel(const LocalMemory& memory, std::int64_t start_npu,
                                   std::int64_t cols, int bits);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_NAMED_H_
