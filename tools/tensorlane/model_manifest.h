// MODEL.manifest.json: what a packed model holds, tensor by tensor.
//
//   {"manifest": 1, "file": "packed.bin", "format": "raw", "bytes": 18816,
//    "source": "model.safetensors", "rules": "rules.toml",
//    "tensors": [
//      {"name": "conv1.weight", "offset": 0, "bytes": 18816, "sha256": "0f3a...", "dtype": "fp16",
//       "shape": [28, 21, 4],
//       "layout": "CONV2D_FILTER", "chip": "mace", "notation": "OIHW (64 of (4,16),...",
//       "extents": [64, 3, 7, 7],
//       "original": {"layout": "OIHW (64,3,7,7):(147,49,7,1)", "chip": "mace", "dtype": "fp32",
//                    "shape": [64, 3, 7, 7]}}, ...]}
//
// `shape` is that of the array in the file, `offset` where its elements begin there. Tensors that
// were kept have no layout. By the notation and `original` a rule with unpack = true finds the way
// back. For a raw file, as MACE's model.data, name, dtype, shape and offset are enough to read it.
#ifndef TENSORLANE_TOOLS_MODEL_MANIFEST_H_
#define TENSORLANE_TOOLS_MODEL_MANIFEST_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/io/tensor_places.h"
#include "tensorlane/json/json.h"
#include "tensorlane/layout/convert.h"

namespace tensorlane::cli {

inline constexpr std::string_view kManifestEnding = ".manifest.json";

class Manifest {
 public:
  // Throws UserError for a file that is none.
  explicit Manifest(const std::string& file);

  // The one named, else the one beside `model` where there is one.
  static std::optional<Manifest> of(const std::string& model, const std::string& named);

  const std::string& file() const { return file_; }
  const Json* find(std::string_view tensor) const;
  std::vector<PlacedTensor> places() const;

 private:
  std::string file_;
  Json tensors_;
};

// What the manifest says of a conversion.
void describe_conversion(Json& entry, const NamedLayout& from, const NamedLayout& to);

// The two layouts of a tensor from what a manifest says of it: packed and original.
struct PackedAs {
  NamedLayout packed, original;
};
PackedAs packed_as(const Json& entry);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_MODEL_MANIFEST_H_
