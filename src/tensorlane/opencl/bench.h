// What the layouts cost on a device, against the device's own copies in the same run.
//
// For each layout and turn by turn, so that what else the machine does meets all of them alike:
// clEnqueueCopyBuffer of the tensor's bytes, packing, unpacking, clEnqueueCopyBufferToImage and
// clEnqueueCopyImageToBuffer of the image. Each time runs from the first enqueue to the end of the
// last command; the fastest of all turns counts, after two that do not.
#ifndef TENSORLANE_OPENCL_BENCH_H_
#define TENSORLANE_OPENCL_BENCH_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tensorlane/opencl/image_transfer.h"

namespace tensorlane::opencl {

struct BenchOptions {
  std::vector<std::string> layouts = {};  // names; empty: every image layout
  Dtype packed_dtype = Dtype::kFp32, plain_dtype = Dtype::kFp32;
  std::int64_t bytes = 16 << 20;  // about, of the row-major fp32 tensor
  TransferPath path = TransferPath::kAuto;
  int turns = 20;
  std::function<void(int done, int all)> progress = {};  // layouts
};

struct BenchResult {
  std::string layout;
  std::vector<std::int64_t> shape;
  std::int64_t width = 0, height = 0;  // pixels
  std::int64_t plain_bytes = 0, packed_bytes = 0;
  // Seconds; those of the copies to and from an image are 0 for packed buffers.
  double copy = 0, pack = 0, unpack = 0, copy_to_image = 0, copy_from_image = 0;
  std::string skipped = {};  // why the device cannot hold it; then nothing was measured
};

// The tensor that `bench_device` measures: about `elements` elements, no extent out of the usual.
NamedLayout bench_tensor(const std::string& layout, Dtype dtype, std::int64_t elements,
                         const DeviceInfo& device);

// A tensor that the device cannot hold, an image too wide for it, is skipped; throws UserError
// where it can hold none of them.
std::vector<BenchResult> bench_device(ClDevice& device, const BenchOptions& options = {});

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_BENCH_H_
