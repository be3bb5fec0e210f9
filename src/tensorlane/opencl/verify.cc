#include "tensorlane/opencl/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "tensorlane/base/language.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/opencl/error.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane::opencl {
namespace {

constexpr std::int64_t kMostElements = 4000;
constexpr std::int64_t kGuardElements = 64;  // behind buffers
constexpr std::int64_t kGuardColumns = 3, kGuardRows = 2;

// Values are integers that fp16 holds exactly, all distinct, none of them zero or the sentinel. Of
// unsigned types they are those of a byte, and repeat.
struct TestValues {
  bool is_unsigned;

  float sentinel() const { return is_unsigned ? 255.0F : -8192.0F; }
  float of(std::int64_t element) const {
    if (is_unsigned) return static_cast<float>(element % 251 + 1);
    return static_cast<float>(element < 2047 ? element + 1 : 2046 - element);
  }
};

// Pixels and buffers that go together.
constexpr std::pair<Dtype, Dtype> kTypes[] = {
    {Dtype::kFp32, Dtype::kFp32}, {Dtype::kFp32, Dtype::kFp16},   {Dtype::kFp16, Dtype::kFp32},
    {Dtype::kFp16, Dtype::kFp16}, {Dtype::kInt32, Dtype::kInt32}, {Dtype::kUint32, Dtype::kUint8}};

// Elements as they lie in device memory, from and to numbers.
std::vector<std::byte> encoded(const std::vector<float>& values, Dtype dtype) {
  std::vector<std::byte> data(values.size() * static_cast<std::size_t>(dtype_bytes(dtype)));
  convert_elements(data.data(), dtype, values.data(), Dtype::kFp32, values.size());
  return data;
}
std::vector<float> decoded(const std::vector<std::byte>& data, Dtype dtype) {
  std::vector<float> values(data.size() / static_cast<std::size_t>(dtype_bytes(dtype)));
  convert_elements(values.data(), Dtype::kFp32, data.data(), dtype, values.size());
  return values;
}

template <class Visit>
void for_each_element(const Layout& layout, const Visit& visit) {
  Layout::Index index{};
  for (std::int64_t element = 0; element < layout.size(); ++element) {
    visit(element, index);
    for (int d = layout.rank() - 1; d >= 0 && ++index[d] == layout.extent(d); --d) index[d] = 0;
  }
}

// The pixels of one tensor on the device, with room around them.
class GuardedPixels {
 public:
  GuardedPixels(ClDevice& device, const NamedLayout& packed, float sentinel)
      : device_(device), packed_(packed), sentinel_(sentinel) {
    const DeviceInfo& info = device.info();
    if (packed.is_image()) {
      width_ = std::min(packed.layout.image_width() + kGuardColumns, info.max_width);
      height_ = std::min(packed.image_height + kGuardRows, info.max_height);
      image_ = device.make_image(width_, height_, packed.spec.dtype, tensor_text(packed));
    } else {
      width_ = packed.bytes / packed.layout.element_units() / 4 + kGuardElements;
      buffer_ = device.make_buffer(width_ * 4 * packed.layout.element_units(), tensor_text(packed));
    }
  }

  std::int64_t lanes() const { return width_ * height_ * 4; }
  std::int64_t width() const { return width_; }
  // Number of the lane that holds an element, and of a lane of the layout's image.
  std::int64_t lane_of(const Layout::Index& index) const {
    if (packed_.is_image()) return lane_at(packed_.layout.image_address(index));
    return packed_.layout.address(index) / packed_.layout.element_units();
  }
  std::int64_t lane_at(const ImageAddress& at) const {
    return (at.y * width_ + at.x) * 4 + at.lane;
  }
  // Zero in the lanes of the layout, the sentinel around them.
  std::vector<float> empty() const {
    std::vector<float> values(static_cast<std::size_t>(lanes()), sentinel_);
    if (packed_.is_image()) {
      for (std::int64_t y = 0; y < packed_.image_height; ++y) {
        std::fill_n(values.begin() + y * width_ * 4, packed_.layout.image_width() * 4, 0.0F);
      }
    } else {
      std::fill_n(values.begin(), packed_.bytes / packed_.layout.element_units(), 0.0F);
    }
    return values;
  }

  void write(const std::vector<float>& values) {
    const std::vector<std::byte> data = encoded(values, packed_.spec.dtype);
    if (packed_.is_image()) {
      device_.queue().enqueueWriteImage(image_, CL_TRUE, triple(0, 0, 0),
                                        triple(width_, height_, 1), 0, 0, data.data());
    } else {
      device_.queue().enqueueWriteBuffer(buffer_, CL_TRUE, 0, data.size(), data.data());
    }
  }
  std::vector<float> read() const {
    std::vector<std::byte> data(static_cast<std::size_t>(lanes() * packed_.layout.element_units()));
    if (packed_.is_image()) {
      device_.queue().enqueueReadImage(image_, CL_TRUE, triple(0, 0, 0), triple(width_, height_, 1),
                                       0, 0, data.data());
    } else {
      device_.queue().enqueueReadBuffer(buffer_, CL_TRUE, 0, data.size(), data.data());
    }
    return decoded(data, packed_.spec.dtype);
  }
  void pack(ImageTransfer& transfer, const Layout& plain, const cl::Buffer& from) {
    (packed_.is_image() ? transfer.pack(packed_, image_, plain, from)
                        : transfer.pack(packed_, buffer_, plain, from))
        .wait();
  }
  void unpack(ImageTransfer& transfer, const Layout& plain, const cl::Buffer& to) {
    (packed_.is_image() ? transfer.unpack(packed_, image_, plain, to)
                        : transfer.unpack(packed_, buffer_, plain, to))
        .wait();
  }

 private:
  ClDevice& device_;
  const NamedLayout& packed_;
  float sentinel_;
  std::int64_t width_ = 0, height_ = 1;
  cl::Image2D image_;
  cl::Buffer buffer_;
};

class Verifier {
 public:
  Verifier(ClDevice& device, ImageTransfer& transfer, const NamedLayout& packed,
           const Layout& plain, VerifyResult& result)
      : device_(device),
        transfer_(transfer),
        packed_(packed),
        plain_(plain),
        result_(result),
        test_{packed.spec.dtype == Dtype::kUint32},
        pixels_(device, packed, test_.sentinel()),
        values_(static_cast<std::size_t>(plain.size() + kGuardElements), test_.sentinel()) {
    buffer_ = device.make_buffer(static_cast<std::int64_t>(values_.size()) * plain.element_units(),
                                 tensor_text(packed));
  }

  void run() {
    ++result_.shapes;
    result_.pixels += packed_.bytes / packed_.layout.element_units() / 4;
    for_each_element(plain_, [&](std::int64_t element, const Layout::Index& index) {
      values_[static_cast<std::size_t>(plain_.address(index) / plain_.element_units())] =
          test_.of(element);
    });
    check_pack();
    if (packed_.holds_elements) check_unpack();
  }

 private:
  void check_pack() {
    std::vector<float> expected = pixels_.empty();
    if (packed_.holds_elements) put_elements(expected);
    if (packed_.info->echoes) put_echoes(expected);
    pixels_.write(std::vector<float>(expected.size(), test_.sentinel()));
    write_plain(values_);
    pixels_.pack(transfer_, plain_, buffer_);
    compare(pixels_.read(), expected, tr("packing"), result_.lanes, result_.wrong_lanes,
            [&](std::size_t at) {
              const auto lane = static_cast<std::int64_t>(at);
              return tr("lane {} of pixel ({}, {})", lane % 4, lane / 4 % pixels_.width(),
                        lane / 4 / pixels_.width());
            });
  }

  void check_unpack() {
    std::vector<float> given(static_cast<std::size_t>(pixels_.lanes()), test_.sentinel());
    put_elements(given);
    pixels_.write(given);
    write_plain(std::vector<float>(values_.size(), test_.sentinel()));
    pixels_.unpack(transfer_, plain_, buffer_);
    std::vector<std::byte> data(values_.size() * static_cast<std::size_t>(plain_.element_units()));
    device_.queue().enqueueReadBuffer(buffer_, CL_TRUE, 0, data.size(), data.data());
    compare(decoded(data, plain_.dtype()), values_, tr("unpacking"), result_.elements,
            result_.wrong_elements,
            [](std::size_t at) { return tr("element {} of the buffer", at); });
  }

  void put_elements(std::vector<float>& lanes) const {
    for_each_element(packed_.layout, [&](std::int64_t element, const Layout::Index& index) {
      lanes[static_cast<std::size_t>(pixels_.lane_of(index))] = test_.of(element);
    });
  }

  void put_echoes(std::vector<float>& lanes) const {
    for (const FilterEcho& echo : legacy_filter_echoes(packed_.spec.shape)) {
      if (echo.past_end) continue;
      const auto from = static_cast<std::size_t>(pixels_.lane_of(echo.element));
      lanes[static_cast<std::size_t>(pixels_.lane_at(echo.lane))] = lanes[from];
    }
  }

  void write_plain(const std::vector<float>& values) {
    const std::vector<std::byte> data = encoded(values, plain_.dtype());
    device_.queue().enqueueWriteBuffer(buffer_, CL_TRUE, 0, data.size(), data.data());
  }

  template <class Where>
  void compare(const std::vector<float>& got, const std::vector<float>& expected,
               std::string_view after, std::int64_t& compared, std::int64_t& wrong,
               const Where& where) {
    compared += static_cast<std::int64_t>(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (got[i] == expected[i]) continue;
      ++wrong;
      if (!result_.first_wrong.empty()) continue;
      result_.first_wrong = tr("{}, {} path, after {} {}: {} holds {}, expected {}",
                               tensor_text(packed_), path_name(transfer_.path()), after,
                               dtype_name(plain_.dtype()), where(i), got[i], expected[i]);
    }
  }

  ClDevice& device_;
  ImageTransfer& transfer_;
  const NamedLayout& packed_;
  const Layout& plain_;
  VerifyResult& result_;
  const TestValues test_;
  GuardedPixels pixels_;
  std::vector<float> values_;  // of the buffer: the tensor, then sentinels
  cl::Buffer buffer_;
};

// Small shapes that often leave a remainder of four.
class Shapes {
 public:
  explicit Shapes(unsigned seed) : random_(seed) {}

  NamedLayout next(const LayoutInfo& info, Dtype dtype) {
    LayoutSpec spec{.system = System::kMace, .layout = std::string(info.name), .dtype = dtype};
    std::int64_t room = kMostElements;
    for (int d = 0; d < info.axes.size(); ++d) {
      const std::int64_t extent = std::min(room, pick(1, info.axes.size() == 1 ? 300 : 11));
      spec.shape.push_back(extent);
      room /= extent;
    }
    if (info.winograd) {
      spec.winograd_block = static_cast<int>(2 * pick(1, 3));
      const std::int64_t side = spec.winograd_block + 2;
      spec.shape = {pick(1, 6), pick(1, 7), side, side};
    }
    if (const int multiplier = info.axes.find(Axis::kM); multiplier >= 0) {
      const bool zeros = info.drops_multipliers && pick(0, 9) == 0;
      spec.shape[static_cast<std::size_t>(multiplier)] = zeros ? 2 : 1;
    }
    if (!info.smaller_axes.empty() && pick(0, 3) == 0) {
      const auto which = static_cast<std::size_t>(pick(0, std::ssize(info.smaller_axes) - 1));
      spec.shape.resize(static_cast<std::size_t>(info.smaller_axes[which].size()));
    }
    return make_layout(spec);
  }

  // The axes of a tensor in any order.
  Axes axes(const NamedLayout& tensor) {
    std::string letters = tensor.axes.text();
    // Which elements are repeated depends on their order in memory.
    if (!tensor.info->echoes && pick(0, 2) == 0) {
      std::shuffle(letters.begin(), letters.end(), random_);
    }
    return Axes(letters);
  }

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  std::mt19937 random_;
};

}  // namespace

std::vector<std::string> packed_layouts(PixelForm form) {
  std::vector<std::string> names;
  for (const LayoutInfo& info : layouts_of(System::kMace)) {
    if (info.pixels == form) names.emplace_back(info.name);
  }
  return names;
}

std::vector<std::string> packed_layouts() {
  std::vector<std::string> names = packed_layouts(PixelForm::kImage);
  for (std::string& name : packed_layouts(PixelForm::kBuffer)) names.push_back(std::move(name));
  return names;
}

void verify_tensor(ClDevice& device, ImageTransfer& transfer, const NamedLayout& packed,
                   const Layout& plain, VerifyResult& result) {
  cl_calls(tensor_text(packed), [&] { Verifier(device, transfer, packed, plain, result).run(); });
}

namespace {

// What is checked on a device.
std::vector<TransferPath> paths_of(const ClDevice& device, const VerifyOptions& options) {
  std::vector<TransferPath> paths = options.paths;
  if (!device.info().is_cpu && paths.size() > 1) std::erase(paths, TransferPath::kMapped);
  return paths;
}
std::vector<std::string> names_of(const VerifyOptions& options) {
  return options.layouts.empty() ? packed_layouts() : options.layouts;
}
// The filters of Winograd's algorithm are sums.
bool takes(const LayoutInfo& info, Dtype packed) {
  return !info.winograd || packed == Dtype::kFp32 || packed == Dtype::kFp16;
}

}  // namespace

int count_checks(const ClDevice& device, const VerifyOptions& options) {
  int count = 0;
  for (const std::string& name : names_of(options)) {
    const LayoutInfo& info = find_layout(System::kMace, name);
    for (const auto& [packed, plain] : kTypes) count += takes(info, packed) ? 1 : 0;
  }
  return count * static_cast<int>(paths_of(device, options).size());
}

std::vector<VerifyResult> verify_device(ClDevice& device, const VerifyOptions& options) {
  const std::vector<std::string> names = names_of(options);
  const int all = count_checks(device, options);
  std::vector<VerifyResult> results;
  for (const TransferPath path : paths_of(device, options)) {
    ImageTransfer transfer(device, path);
    for (const std::string& name : names) {
      const LayoutInfo& info = find_layout(System::kMace, name);
      Shapes shapes(options.seed);
      for (const auto& [packed_dtype, plain_dtype] : kTypes) {
        if (!takes(info, packed_dtype)) continue;
        VerifyResult result{.layout = std::string(info.name),
                            .path = transfer.path(),
                            .packed_dtype = packed_dtype,
                            .plain_dtype = plain_dtype,
                            .first_wrong = {}};
        for (int i = 0; i < options.shapes; ++i) {
          const NamedLayout packed = shapes.next(info, packed_dtype);
          const Layout plain = plain_layout(packed, plain_dtype, shapes.axes(packed));
          verify_tensor(device, transfer, packed, plain, result);
        }
        results.push_back(std::move(result));
        if (options.progress) options.progress(static_cast<int>(results.size()), all);
      }
    }
  }
  return results;
}

}  // namespace tensorlane::opencl
