#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>

#include "tensorlane/layout/convert.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/opencl/mapped_transfer_internal.h"

namespace tensorlane::opencl {
namespace {

using Events = std::vector<cl::Event>;

// What the callback needs, whatever has become of the caller by then.
class MappedCopy {
 public:
  MappedCopy(const MappedTransfer& transfer, const cl::Context& context)
      : packed_(transfer.packed),
        plain_(transfer.plain_layout),
        pack_(transfer.pack),
        converted_(context) {}

  void set_memory(void* pixels, std::int64_t pitch, void* plain) {
    pixels_ = static_cast<std::byte*>(pixels);
    plain_data_ = static_cast<std::byte*>(plain);
    pitch_ = pitch;
    layout_ = memory_layout(packed_);
    if (packed_.is_image() && pitch != row_bytes()) layout_ = with_pitch();
  }

  const cl::UserEvent& converted() const { return converted_; }

  // The callback of the event after which everything is mapped.
  static void CL_CALLBACK run(cl_event /*mapped*/, cl_int status, void* data) {
    const std::unique_ptr<MappedCopy> copy(static_cast<MappedCopy*>(data));
    cl_int result = status;
    if (status == CL_COMPLETE) {
      try {
        copy->run();
      } catch (const std::exception&) {
        result = CL_OUT_OF_HOST_MEMORY;  // all that a checked conversion can end in
      }
    }
    // What waits for it cannot be told in another way.
    static_cast<void>(clSetUserEventStatus(copy->converted_(), result));
  }

 private:
  std::int64_t unit() const { return packed_.layout.element_units(); }
  std::int64_t row_bytes() const { return packed_.layout.image_width() * 4 * unit(); }

  // Rows of pixels as far apart as the image has them.
  Layout with_pitch() const {
    Layout result(packed_.spec.dtype);
    for (int d = 0; d < layout_.rank(); ++d) {
      std::vector<Digit> digits(layout_.digits(d).begin(), layout_.digits(d).end());
      for (Digit& digit : digits)
        digit.stride = digit.stride / row_bytes() * pitch_ + digit.stride % row_bytes();
      result.add_dim(layout_.extent(d), digits, layout_.offset(d));
    }
    return result;
  }

  void run() const {
    if (!pack_) return convert(plain_, plain_data_, layout_, pixels_);
    fill_padding();
    if (!packed_.holds_elements) return;
    convert(layout_, pixels_, plain_, plain_data_);
    if (packed_.info->echoes) write_echoes();
  }

  void fill_padding() const {
    if (packed_.holds_elements && packed_.layout.size() * unit() == packed_.bytes) return;
    if (!packed_.is_image()) {
      std::memset(pixels_, 0, static_cast<std::size_t>(packed_.bytes));
      return;
    }
    for (std::int64_t y = 0; y < packed_.image_height; ++y)
      std::memset(pixels_ + y * pitch_, 0, static_cast<std::size_t>(row_bytes()));
  }

  // Columns that v0.6.x repeats.
  void write_echoes() const {
    for (const FilterEcho& echo : legacy_filter_echoes(packed_.spec.shape)) {
      if (echo.past_end) continue;
      std::memcpy(pixels_ + echo.lane.y * pitch_ + (echo.lane.x * 4 + echo.lane.lane) * unit(),
                  pixels_ + layout_.address(echo.element), static_cast<std::size_t>(unit()));
    }
  }

  NamedLayout packed_;
  Layout plain_;
  bool pack_;
  cl::UserEvent converted_;
  Layout layout_;  // of the mapped pixels
  std::byte* pixels_ = nullptr;
  std::byte* plain_data_ = nullptr;
  std::int64_t pitch_ = 0;
};

}  // namespace

cl::Event transfer_mapped(const cl::CommandQueue& queue, const MappedTransfer& transfer,
                          const Events& after) {
  const NamedLayout& packed = transfer.packed;
  const Events* const condition = after.empty() ? nullptr : &after;
  const cl_map_flags from = CL_MAP_READ, to = CL_MAP_WRITE;
  auto copy = std::make_unique<MappedCopy>(transfer, queue.getInfo<CL_QUEUE_CONTEXT>());
  Events first(1), second(1);  // one after the other: the last says that both are mapped
  std::size_t pitch = 0;
  void* const plain =
      queue.enqueueMapBuffer(transfer.plain, CL_FALSE, transfer.pack ? from : to, 0,
                             static_cast<std::size_t>(transfer.plain_layout.size() *
                                                      transfer.plain_layout.element_units()),
                             condition, first.data());
  const cl::Memory& memory = transfer.image != nullptr
                                 ? static_cast<const cl::Memory&>(*transfer.image)
                                 : *transfer.buffer;
  void* const pixels =
      transfer.image != nullptr
          ? queue.enqueueMapImage(*transfer.image, CL_FALSE, transfer.pack ? to : from,
                                  triple(0, 0, 0),
                                  triple(packed.layout.image_width(), packed.image_height, 1),
                                  &pitch, nullptr, &first, second.data())
          : queue.enqueueMapBuffer(*transfer.buffer, CL_FALSE, transfer.pack ? to : from, 0,
                                   static_cast<std::size_t>(packed.bytes), &first, second.data());
  copy->set_memory(pixels, static_cast<std::int64_t>(pitch), plain);
  const cl::UserEvent converted = copy->converted();
  const Events copied = {converted};
  Events unmapped(1);
  queue.enqueueUnmapMemObject(memory, pixels, &copied, unmapped.data());
  cl::Event done;
  queue.enqueueUnmapMemObject(transfer.plain, plain, &unmapped, &done);
  // The callback may come at once; what it needs is the callback's from then on.
  try {
    second.front().setCallback(CL_COMPLETE, MappedCopy::run, copy.get());
  } catch (const cl::Error&) {
    static_cast<void>(clSetUserEventStatus(converted(), CL_OUT_OF_RESOURCES));
    throw;
  }
  static_cast<void>(copy.release());
  return done;
}

}  // namespace tensorlane::opencl
