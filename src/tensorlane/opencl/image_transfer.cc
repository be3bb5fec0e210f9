#include "tensorlane/opencl/image_transfer.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/layout/winograd.h"
#include "tensorlane/opencl/error.h"
#include "tensorlane/opencl/kernel_source_internal.h"
#include "tensorlane/opencl/mapped_transfer_internal.h"

namespace tensorlane::opencl {
namespace {

// One local size for everything: PoCL compiles a kernel again for every other one.
constexpr std::int64_t kLocalSize = 64;
// Digits per axis that struct map of transfer.cl has room for.
constexpr int kMaxDigits = 4;
// Pixels that a work-item moves on a CPU, where work-items are iterations of a loop.
constexpr std::int64_t kCpuRun = 64;
// Rows that are staged at once: they stay in the cache between kernel and copy.
constexpr std::int64_t kStageBytes = 512 << 10;

constexpr std::string_view kPathNames[] = {"auto", "mapped", "staged", "direct"};

bool is_half(Dtype dtype) {
  return dtype == Dtype::kFp16;
}

bool is_float(Dtype dtype) {
  return dtype == Dtype::kFp32 || dtype == Dtype::kFp16;
}

void require_float(Dtype dtype, const std::string& subject) {
  if (!is_float(dtype)) {
    user_error("element type {} of {}: devices transform fp32 and fp16", dtype_name(dtype),
               subject);
  }
}

// Pixels and buffers that go together.
void require_types(Dtype packed, Dtype plain, const std::string& subject) {
  const bool fits = is_float(packed)           ? is_float(plain)
                    : packed == Dtype::kInt32  ? plain == Dtype::kInt32
                    : packed == Dtype::kUint32 ? plain == Dtype::kUint32 || plain == Dtype::kUint8
                                               : false;
  if (!fits) {
    user_error(
        "{} from or to a buffer of {}: devices pack fp32 and fp16 in each other, int32 in int32, "
        "uint8 in uint32, as MACE has it",
        subject, dtype_name(plain));
  }
}

// What transfer.cl is compiled for.
std::string type_options(Dtype packed, Dtype plain) {
  const int integer = packed == Dtype::kInt32 ? 1 : packed == Dtype::kUint32 ? 2 : 0;
  return fmt::format("-DPLAIN_HALF={:d} -DPACKED_HALF={:d} -DINTEGER={} -DPLAIN_BYTE={:d}",
                     is_half(plain), is_half(packed), integer, plain == Dtype::kUint8);
}

// The form of struct map in transfer.cl.
std::vector<cl_int> map_words(const PixelMap& map) {
  const auto word = [](auto value) { return static_cast<cl_int>(value); };
  std::vector<cl_int> words = {
      word(map.width),  word(map.lane_stride),    word(map.lane_extent), word(map.plain_elements),
      word(map.echoes), word(map.columns.size()), word(map.rows.size())};
  for (const auto* digits : {&map.columns, &map.rows}) {
    TL_INTERNAL_CHECK(digits->size() <= kMaxDigits);
    for (int i = 0; i < kMaxDigits; ++i) {
      // A tensor without elements has no element in any column.
      PixelDigit digit = i < static_cast<int>(digits->size())
                             ? (*digits)[static_cast<std::size_t>(i)]
                             : PixelDigit{1, 1, 1, 0, 0};
      if (!map.holds_elements) digit.extent = 0;
      for (const std::int64_t value :
           {digit.divisor, digit.modulus, digit.extent, digit.stride, digit.lane_step}) {
        words.push_back(word(value));
      }
    }
  }
  return words;
}

const Events* condition(const Events& events) {
  return events.empty() ? nullptr : &events;
}

std::int64_t bytes_of(const Layout& plain) {
  return plain.size() * plain.element_units();
}

}  // namespace

// One direction between one buffer and the pixels of one tensor.
struct ImageTransfer::Job {
  const NamedLayout& packed;
  const Layout& plain_layout;
  const cl::Buffer& plain;
  const cl::Image2D* image;  // one of these two
  const cl::Buffer* buffer;
  bool pack;
  std::string subject = tensor_text(packed);
  PixelMap map = {};
  cl::Buffer map_buffer = {};

  void check() const {
    require_types(packed.spec.dtype, plain_layout.dtype(), subject);
    bool fits = plain_layout.rank() == packed.layout.rank();
    for (int d = 0; fits && d < plain_layout.rank(); ++d) {
      fits =
          plain_layout.extent(d) == packed.layout.extent(d) && plain_layout.digits(d).size() == 1;
    }
    if (!fits) user_error("the row-major layout has other extents than {}", subject);
    if (!pack && !packed.holds_elements) {
      user_error("{} stores no element that could be unpacked", subject);
    }
    check_room(plain, bytes_of(plain_layout), tr("the row-major buffer"));
    if (buffer != nullptr) check_room(*buffer, packed.bytes, tr("the packed buffer"));
    if (image != nullptr) check_image();
  }

 private:
  void check_room(const cl::Buffer& memory, std::int64_t bytes, std::string_view what) const {
    const auto has = memory.getInfo<CL_MEM_SIZE>();
    if (static_cast<std::int64_t>(has) < bytes) {
      user_error("{} of {} has {} bytes; it takes {}", what, subject, has, bytes);
    }
  }
  void check_image() const {
    const auto width = static_cast<std::int64_t>(image->getImageInfo<CL_IMAGE_WIDTH>());
    const auto height = static_cast<std::int64_t>(image->getImageInfo<CL_IMAGE_HEIGHT>());
    if (width < packed.layout.image_width() || height < packed.image_height) {
      user_error("the image for {} is {} x {} pixels; it takes {} x {}", subject, width, height,
                 packed.layout.image_width(), packed.image_height);
    }
    const auto format = image->getImageInfo<CL_IMAGE_FORMAT>();
    const ImageFormat* const own = find_image_format(packed.spec.dtype);
    if (format.image_channel_order != CL_RGBA || format.image_channel_data_type != own->channel)
      user_error("the image for {} must be CL_RGBA with {}", subject, own->name);
  }
};

std::string_view path_name(TransferPath path) {
  return kPathNames[static_cast<std::size_t>(path)];
}

TransferPath parse_path(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kPathNames); ++i) {
    if (name == kPathNames[i]) return static_cast<TransferPath>(i);
  }
  user_error("unknown path '{}'{}", name, did_you_mean(name, kPathNames));
}

std::string tensor_text(const NamedLayout& tensor) {
  return fmt::format("{} [{}] {}", tensor.info->name, fmt::join(tensor.spec.shape, ","),
                     dtype_name(tensor.spec.dtype));
}

ImageTransfer::ImageTransfer(ClDevice& device, TransferPath path) : device_(device), path_(path) {
  if (path == TransferPath::kAuto) {
    path_ = device.info().is_cpu ? TransferPath::kMapped : TransferPath::kDirect;
  }
}

ImageTransfer::~ImageTransfer() {
  try {
    for (const Stage& stage : stages_) {
      if (!stage.busy.empty()) cl::Event::waitForEvents(stage.busy);
    }
  } catch (const cl::Error&) {
    // Reported to whoever waited for the transfer's own event.
  }
}

cl::Image2D ImageTransfer::make_image(const NamedLayout& image) const {
  if (!image.is_image()) user_error("layout {} is a buffer, not an image", image.info->name);
  return device_.make_image(image.layout.image_width(), image.image_height, image.spec.dtype,
                            tensor_text(image));
}

cl::Buffer ImageTransfer::make_buffer(const Layout& plain) const {
  return device_.make_buffer(std::max<std::int64_t>(1, bytes_of(plain)),
                             tr("the row-major tensor"));
}

cl::Buffer ImageTransfer::make_buffer(const NamedLayout& packed) const {
  return device_.make_buffer(packed.bytes, tensor_text(packed));
}

cl::Kernel& ImageTransfer::kernel_of(const Job& job, bool to_image) {
  const bool many = device_.info().is_cpu || path_ == TransferPath::kStaged;
  const std::string options =
      fmt::format("{} -DPACKED_IMAGE={:d} -DRUN={} -DMAX_DIGITS={}",
                  type_options(job.packed.spec.dtype, job.plain_layout.dtype()), to_image,
                  many ? kCpuRun : 1, kMaxDigits);
  const char* name = job.pack ? "pack" : "unpack";
  const std::string key = name + options;
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  return kernels_[key] = cl::Kernel(device_.program(name, kTransferSource, options), name);
}

// The kernel over `rows` rows of pixels from `first_row` on.
cl::Event ImageTransfer::enqueue(const Job& job, const cl::Memory& pixels, std::int64_t first_row,
                                 std::int64_t rows, const Events& after) {
  const bool to_image = job.image != nullptr && path_ == TransferPath::kDirect;
  const std::int64_t run = device_.info().is_cpu || path_ == TransferPath::kStaged ? kCpuRun : 1;
  const PixelDigit& inner = job.map.columns.front();
  const std::int64_t items = job.map.width / inner.modulus * ceil_div(inner.modulus, run) * rows;
  cl::Kernel& kernel = kernel_of(job, to_image);
  kernel.setArg(0, job.plain);
  kernel.setArg(1, pixels);
  kernel.setArg(2, job.map_buffer);
  kernel.setArg(3, static_cast<cl_int>(first_row));
  kernel.setArg(4, static_cast<cl_int>(items));
  cl::Event done;
  device_.queue().enqueueNDRangeKernel(
      kernel, cl::NullRange,
      cl::NDRange(static_cast<std::size_t>(ceil_div(items, kLocalSize) * kLocalSize)),
      cl::NDRange(kLocalSize), condition(after), &done);
  return done;
}

// Bands of rows through two buffers by turns, so that the copy of one band goes on beside the
// kernel of the next.
cl::Event ImageTransfer::run_staged(const Job& job, const Events& after) {
  const std::int64_t row_bytes =
      job.map.width * 4 * static_cast<std::int64_t>(dtype_bytes(job.packed.spec.dtype));
  const std::int64_t band =
      std::min(job.map.height, std::max<std::int64_t>(1, kStageBytes / row_bytes));
  const cl::CommandQueue& queue = device_.queue();
  Events last;
  for (std::int64_t row = 0; row < job.map.height; row += band) {
    Stage& stage = stages_[next_stage_++ % stages_.size()];
    if (stage.bytes < band * row_bytes) {
      stage.bytes = std::max(kStageBytes, band * row_bytes);
      stage.buffer = device_.make_buffer(stage.bytes, tr("rows of pixels of {}", job.subject));
      stage.busy.clear();
    }
    const std::int64_t rows = std::min(band, job.map.height - row);
    const auto origin = triple(0, row, 0), region = triple(job.map.width, rows, 1);
    Events ready = after;
    ready.insert(ready.end(), stage.busy.begin(), stage.busy.end());
    cl::Event done;
    if (job.pack) {
      const cl::Event packed = enqueue(job, stage.buffer, row, rows, ready);
      const Events written = {packed};
      queue.enqueueCopyBufferToImage(stage.buffer, *job.image, 0, origin, region, &written, &done);
    } else {
      cl::Event copied;
      queue.enqueueCopyImageToBuffer(*job.image, stage.buffer, origin, region, 0, condition(ready),
                                     &copied);
      done = enqueue(job, stage.buffer, row, rows, {copied});
    }
    stage.busy = {done};
    last.push_back(done);
    if (last.size() > stages_.size()) last.erase(last.begin());
  }
  if (last.size() == 1) return last.front();
  cl::Event done;
  queue.enqueueMarkerWithWaitList(&last, &done);
  return done;
}

cl::Event ImageTransfer::run(Job& job, const Events& after) {
  return cl_calls(job.subject, [&] {
    job.check();
    if (path_ == TransferPath::kMapped) {
      const cl::Event done = transfer_mapped(
          device_.queue(),
          {job.packed, job.plain_layout, job.plain, job.image, job.buffer, job.pack}, after);
      device_.queue().flush();
      return done;
    }
    job.map = pixel_map(job.packed, job.plain_layout, job.pack);
    std::vector<cl_int> words = map_words(job.map);
    job.map_buffer = cl::Buffer(device_.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                words.size() * sizeof(cl_int), words.data());
    const std::lock_guard lock(mutex_);
    cl::Event done;
    if (job.image == nullptr) {
      done = enqueue(job, *job.buffer, 0, job.map.height, after);
    } else if (path_ == TransferPath::kStaged) {
      done = run_staged(job, after);
    } else {
      done = enqueue(job, *job.image, 0, job.map.height, after);
    }
    device_.queue().flush();
    return done;
  });
}

cl::Event ImageTransfer::transform_filter(const NamedLayout& image, const Layout& plain,
                                          const cl::Buffer& filter, const cl::Buffer& transformed,
                                          const Events& after) {
  const std::span<const WinogradRow> g = winograd_matrix(image.spec.winograd_block);
  const std::int64_t filters = plain.extent(0) * plain.extent(1);
  const bool half = is_half(plain.dtype());
  const std::lock_guard lock(mutex_);
  const cl::Program program = device_.program("winograd_filter", kWinogradSource,
                                              half ? "-DPLAIN_HALF=1" : "-DPLAIN_HALF=0");
  const cl::Buffer matrix(device_.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                          g.size_bytes(), const_cast<WinogradRow*>(g.data()));
  cl::Kernel kernel(program, "winograd_filter");
  kernel.setArg(0, filter);
  kernel.setArg(1, transformed);
  kernel.setArg(2, matrix);
  kernel.setArg(3, static_cast<cl_int>(g.size()));
  kernel.setArg(4, static_cast<cl_int>(filters));
  cl::Event done;
  device_.queue().enqueueNDRangeKernel(
      kernel, cl::NullRange,
      cl::NDRange(static_cast<std::size_t>(ceil_div(filters, kLocalSize) * kLocalSize)),
      cl::NDRange(kLocalSize), condition(after), &done);
  return done;
}

cl::Event ImageTransfer::pack(const NamedLayout& image, const cl::Image2D& pixels,
                              const Layout& plain, const cl::Buffer& buffer, const Events& after) {
  if (!image.transforms(plain)) {
    Job job{image, plain, buffer, &pixels, nullptr, true};
    return run(job, after);
  }
  const std::int64_t shape[] = {plain.extent(0), plain.extent(1), 3, 3};
  require_float(plain.dtype(), tensor_text(image));
  if (plain.extent(0) != image.layout.extent(0) || plain.extent(1) != image.layout.extent(1) ||
      !plain.same_addresses(row_major_layout(shape, plain.dtype()))) {
    user_error("the filter for {} must be a row-major one of axes OIHW with as many channels",
               tensor_text(image));
  }
  const Layout tiles = plain_layout(image, Dtype::kFp32);
  return cl_calls(tensor_text(image), [&] {
    if (static_cast<std::int64_t>(buffer.getInfo<CL_MEM_SIZE>()) < bytes_of(plain)) {
      user_error("the filter buffer of {} must have {} bytes", tensor_text(image), bytes_of(plain));
    }
    // Released at the end of this call; OpenCL keeps it for the commands that use it.
    const cl::Buffer transformed = make_buffer(tiles);
    const cl::Event done = transform_filter(image, plain, buffer, transformed, after);
    Job job{image, tiles, transformed, &pixels, nullptr, true};
    return run(job, {done});
  });
}

cl::Event ImageTransfer::unpack(const NamedLayout& image, const cl::Image2D& pixels,
                                const Layout& plain, const cl::Buffer& buffer,
                                const Events& after) {
  Job job{image, plain, buffer, &pixels, nullptr, false};
  return run(job, after);
}

cl::Event ImageTransfer::pack(const NamedLayout& packed, const cl::Buffer& pixels,
                              const Layout& plain, const cl::Buffer& buffer, const Events& after) {
  Job job{packed, plain, buffer, nullptr, &pixels, true};
  return run(job, after);
}

cl::Event ImageTransfer::unpack(const NamedLayout& packed, const cl::Buffer& pixels,
                                const Layout& plain, const cl::Buffer& buffer,
                                const Events& after) {
  Job job{packed, plain, buffer, nullptr, &pixels, false};
  return run(job, after);
}

std::vector<std::byte> ImageTransfer::pack_host(const NamedLayout& packed, const Layout& plain,
                                                std::span<const std::byte> data) {
  const std::string subject = tensor_text(packed);
  if (static_cast<std::int64_t>(data.size()) != bytes_of(plain)) {
    user_error("the data for {} has {} bytes; the row-major tensor takes {}", subject, data.size(),
               bytes_of(plain));
  }
  const cl::CommandQueue& queue = device_.queue();
  std::vector<std::byte> result(static_cast<std::size_t>(packed.bytes));
  cl_calls(subject, [&] {
    if (packed.is_image()) {
      const cl::Image2D pixels = make_image(packed);  // says first what the device cannot
      const cl::Buffer buffer = make_buffer(plain);
      queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, data.size(), data.data());
      const Events done = {pack(packed, pixels, plain, buffer)};
      queue.enqueueReadImage(pixels, CL_TRUE, triple(0, 0, 0),
                             triple(packed.layout.image_width(), packed.image_height, 1), 0, 0,
                             result.data(), &done);
    } else {
      const cl::Buffer pixels = make_buffer(packed), buffer = make_buffer(plain);
      queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, data.size(), data.data());
      const Events done = {pack(packed, pixels, plain, buffer)};
      queue.enqueueReadBuffer(pixels, CL_TRUE, 0, result.size(), result.data(), &done);
    }
  });
  return result;
}

std::vector<std::byte> ImageTransfer::unpack_host(const NamedLayout& packed, const Layout& plain,
                                                  std::span<const std::byte> pixels) {
  const std::string subject = tensor_text(packed);
  if (static_cast<std::int64_t>(pixels.size()) != packed.bytes) {
    user_error("the pixels of {} have {} bytes; they must be {}", subject, pixels.size(),
               packed.bytes);
  }
  const cl::CommandQueue& queue = device_.queue();
  std::vector<std::byte> result(static_cast<std::size_t>(bytes_of(plain)));
  cl_calls(subject, [&] {
    Events done;
    if (packed.is_image()) {
      const cl::Image2D image = make_image(packed);
      const cl::Buffer buffer = make_buffer(plain);
      queue.enqueueWriteImage(image, CL_TRUE, triple(0, 0, 0),
                              triple(packed.layout.image_width(), packed.image_height, 1), 0, 0,
                              pixels.data());
      done = {unpack(packed, image, plain, buffer)};
      queue.enqueueReadBuffer(buffer, CL_TRUE, 0, result.size(), result.data(), &done);
    } else {
      const cl::Buffer memory = make_buffer(packed), buffer = make_buffer(plain);
      queue.enqueueWriteBuffer(memory, CL_TRUE, 0, pixels.size(), pixels.data());
      done = {unpack(packed, memory, plain, buffer)};
      queue.enqueueReadBuffer(buffer, CL_TRUE, 0, result.size(), result.data(), &done);
    }
  });
  return result;
}

}  // namespace tensorlane::opencl
