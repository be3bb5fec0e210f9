// Safetensors files: named tensors without code, as model repositories offer them.
//
// Layout of a file: the length of a JSON header (8 bytes, little-endian), the header, the elements
// of all tensors without gaps. Each key of the header is a tensor's name,
//
//   {"conv1": {"dtype": "F16", "shape": [64, 3, 7, 7], "data_offsets": [0, 18816]}, ...}
//
// and "__metadata__", if present, maps strings to strings.
//
//   dtype                      becomes
//   F32 F16 BF16               fp32 fp16 bf16
//   F8_E4M3 F8_E5M2            fp8e4m3 fp8e5m2
//   I8 U8 I16 U16 I32 U32      the integer of that width
//   F64 I64 U64                listed; read as fp32 (rounded), int32 or uint32 (if they fit)
//   BOOL ...                   listed, but an error to read: no chip has them
//
// int4 and uint4 are written one per byte as I8 and U8 and read back by giving their dtype.
#ifndef TENSORLANE_IO_SAFETENSORS_H_
#define TENSORLANE_IO_SAFETENSORS_H_

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/io/tensor.h"
#include "tensorlane/io/tensor_info.h"

namespace tensorlane {

class SafetensorsFile {
 public:
  // Checks the whole header: every offset within the file, no overlaps, no gaps, sizes as dtype and
  // shape ask for, no name twice. Throws UserError otherwise.
  explicit SafetensorsFile(const std::filesystem::path& path);
  // A file in memory, which must live as long as this object. `where` begins error texts.
  explicit SafetensorsFile(std::span<const std::byte> bytes,
                           std::string_view where = "safetensors data");
  ~SafetensorsFile();
  SafetensorsFile(SafetensorsFile&&) noexcept;

  // In the order of the header.
  const std::vector<TensorInfo>& tensors() const;
  const std::map<std::string, std::string>& metadata() const;

  // Copies one tensor. Throws UserError, with the nearest name, if there is no such tensor.
  Tensor read(std::string_view name, std::optional<Dtype> dtype = std::nullopt) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The file appears at once and whole; tensors with wide elements come first, so that each is
// aligned to its elements. Throws UserError for a name that is not UTF-8, "__metadata__" or twice
// there.
void write_safetensors_file(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                            const std::map<std::string, std::string>& metadata = {});

}  // namespace tensorlane

#endif  // TENSORLANE_IO_SAFETENSORS_H_
