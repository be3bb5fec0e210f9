// Does this device keep tensors where the layouts say?
//
// For random shapes of every layout, with remainders in every dimension: pack a tensor of distinct
// values on the device, read the image and compare every lane of every pixel with the index
// mapping (Layout::image_address), then fill an image on the host, unpack it and compare every
// element. Never a round trip: one would pass for any pair of wrong formulas that agree. Images are
// larger than the tensor needs and buffers have elements behind the tensor, all filled with a
// sentinel, so that a stray write shows; for unpacking the padding lanes hold the sentinel too.
#ifndef TENSORLANE_OPENCL_VERIFY_H_
#define TENSORLANE_OPENCL_VERIFY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tensorlane/opencl/image_transfer.h"

namespace tensorlane::opencl {

struct VerifyOptions {
  std::vector<std::string> layouts = {};  // names; empty: every layout that devices pack
  // Of several, mapping is checked on CPUs only.
  std::vector<TransferPath> paths = {TransferPath::kMapped, TransferPath::kStaged,
                                     TransferPath::kDirect};
  int shapes = 4;     // random shapes per layout, path and pair of element types
  unsigned seed = 1;  // of the shapes
  // Called from the calling thread with the checks done and those there are.
  std::function<void(int done, int all)> progress = {};
};

// What was found for one layout, path and pair of element types.
struct VerifyResult {
  std::string layout;
  TransferPath path = TransferPath::kStaged;
  Dtype packed_dtype = Dtype::kFp32, plain_dtype = Dtype::kFp32;
  int shapes = 0;
  std::int64_t pixels = 0;          // of all shapes
  std::int64_t lanes = 0;           // compared after packing, sentinels included
  std::int64_t elements = 0;        // compared after unpacking, sentinels included
  std::int64_t wrong_lanes = 0;     // after packing
  std::int64_t wrong_elements = 0;  // after unpacking
  std::string first_wrong;          // "IN_OUT_CHANNEL [2,3,5,6] fp16: lane 2 of pixel (5, 0) ..."
  bool ok() const { return wrong_lanes == 0 && wrong_elements == 0; }
};

// The names of the layouts of MACE that devices pack: those of one form, or images and then packed
// buffers.
std::vector<std::string> packed_layouts(PixelForm form);
std::vector<std::string> packed_layouts();

// How many results there will be.
int count_checks(const ClDevice& device, const VerifyOptions& options = {});

// Throws UserError for a name that is no layout, and for errors of the device.
std::vector<VerifyResult> verify_device(ClDevice& device, const VerifyOptions& options = {});

// One tensor, added to `result`; `packed` and `plain` as for ImageTransfer::pack.
void verify_tensor(ClDevice& device, ImageTransfer& transfer, const NamedLayout& packed,
                   const Layout& plain, VerifyResult& result);

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_VERIFY_H_
