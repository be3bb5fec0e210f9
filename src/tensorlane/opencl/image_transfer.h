// Tensors into images and back, on the device.
//
//   ClDevice device(0, KernelCache(default_cache_folder()));
//   ImageTransfer transfer(device);
//   const NamedLayout image = make_layout({.system = System::kMace, .layout = "IN_OUT_CHANNEL",
//                                          .dtype = Dtype::kFp16, .shape = {1, 56, 56, 64}});
//   const Layout plain = plain_layout(image, Dtype::kFp32);        // NHWC, row-major
//   cl::Image2D pixels = transfer.make_image(image);
//   cl::Event packed = transfer.pack(image, pixels, plain, buffer, {uploaded});
//   ... clEnqueueNDRangeKernel(..., wait for packed) ...
//   cl::Event done = transfer.unpack(image, pixels, plain, buffer, {convolved});
//
// Packing fills every pixel of the image: padding lanes get 0, the columns that v0.6.x repeats get
// their repeated elements (0 where the repetition would lie past the buffer's end). Unpacking
// writes the elements and nothing else. The image may be larger than the layout's; pixels outside
// are left alone. Element types: fp32 and fp16 on either side, conversion rounds to nearest even;
// int32 on both; uint8 or uint32 tensors in uint32 pixels, which is how MACE keeps uint8.
//
// Nothing waits: every function enqueues on device.queue(), which may run commands out of order,
// and returns the event of its last command; the caller's commands take that event as their
// condition. Several threads may call.
#ifndef TENSORLANE_OPENCL_IMAGE_TRANSFER_H_
#define TENSORLANE_OPENCL_IMAGE_TRANSFER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/layout/named.h"
#include "tensorlane/opencl/cl_device.h"
#include "tensorlane/opencl/clhpp.h"
#include "tensorlane/opencl/pixel_map.h"

namespace tensorlane::opencl {

// The ways to the pixels, in the order in which they are tried.
enum class TransferPath : std::uint8_t {
  kAuto,    // the first of the following that suits the device
  kMapped,  // image and buffer are mapped, and the host's own copy goes from one to the other: for
            // CPUs, whose memory is the host's
  kStaged,  // a kernel between the buffer and rows of pixels in another buffer, which
            // clEnqueueCopyBufferToImage and clEnqueueCopyImageToBuffer move: for devices where
            // read_imagef and write_imagef are slow calls and the copies are not
  kDirect,  // a kernel with read_imagef and write_imagef
};
// "auto", "mapped", "staged", "direct".
std::string_view path_name(TransferPath path);
TransferPath parse_path(std::string_view name);

using Events = std::vector<cl::Event>;

class ImageTransfer {
 public:
  // `device` must outlive this object.
  explicit ImageTransfer(ClDevice& device, TransferPath path = TransferPath::kAuto);
  ~ImageTransfer();  // waits for what is under way
  ImageTransfer(const ImageTransfer&) = delete;
  ImageTransfer& operator=(const ImageTransfer&) = delete;

  // The path in use, never kAuto.
  TransferPath path() const { return path_; }

  // An image as large as the layout says. Throws UserError, before anything is created, when the
  // device's images do not go as far or do not have the element type.
  cl::Image2D make_image(const NamedLayout& image) const;
  // A buffer for the elements of a row-major tensor, or for a packed GPU buffer.
  cl::Buffer make_buffer(const Layout& plain) const;
  cl::Buffer make_buffer(const NamedLayout& packed) const;

  // `plain` is plain_layout() of the image, or any layout with its extents and one digit per
  // dimension; a 3x3 filter packed into WINOGRAD_FILTER is transformed on the way. Commands start
  // when the events `after` are complete.
  cl::Event pack(const NamedLayout& image, const cl::Image2D& pixels, const Layout& plain,
                 const cl::Buffer& buffer, const Events& after = {});
  cl::Event unpack(const NamedLayout& image, const cl::Image2D& pixels, const Layout& plain,
                   const cl::Buffer& buffer, const Events& after = {});

  // The same for the packed GPU buffers (CONV2D_FILTER@GPU_BUFFER, ...).
  cl::Event pack(const NamedLayout& packed, const cl::Buffer& pixels, const Layout& plain,
                 const cl::Buffer& buffer, const Events& after = {});
  cl::Event unpack(const NamedLayout& packed, const cl::Buffer& pixels, const Layout& plain,
                   const cl::Buffer& buffer, const Events& after = {});

  // The same from host memory to host memory, image or packed buffer; these wait. The pixels are
  // those of NamedLayout::bytes: rows of the image without gaps.
  std::vector<std::byte> pack_host(const NamedLayout& packed, const Layout& plain,
                                   std::span<const std::byte> data);
  std::vector<std::byte> unpack_host(const NamedLayout& packed, const Layout& plain,
                                     std::span<const std::byte> pixels);

 private:
  struct Job;
  // Rows of pixels on their way, and the event after which they may be overwritten.
  struct Stage {
    cl::Buffer buffer;
    std::int64_t bytes = 0;
    Events busy;
  };

  cl::Event run(Job& job, const Events& after);
  cl::Event run_staged(const Job& job, const Events& after);
  cl::Event enqueue(const Job& job, const cl::Memory& pixels, std::int64_t first_row,
                    std::int64_t rows, const Events& after);
  cl::Kernel& kernel_of(const Job& job, bool to_image);
  cl::Event transform_filter(const NamedLayout& image, const Layout& plain,
                             const cl::Buffer& filter, const cl::Buffer& transformed,
                             const Events& after);

  ClDevice& device_;
  TransferPath path_;
  std::mutex mutex_;  // guards what follows: kernels keep their arguments from call to call
  std::map<std::string, cl::Kernel> kernels_;
  std::array<Stage, 2> stages_;
  std::size_t next_stage_ = 0;
};

// "IN_OUT_CHANNEL [1,56,56,64] fp16": for messages.
std::string tensor_text(const NamedLayout& tensor);

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_IMAGE_TRANSFER_H_
