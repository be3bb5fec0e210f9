// A file of named tensors, whatever its format: what whole models are read from.
//
//   ending          format
//   .npz            NumPy archive (npz.h)
//   .safetensors    safetensors (safetensors.h)
//   .onnx           the initialisers of an ONNX model (onnx.h)
//   anything else   elements alone, as MACE's model.data: `places` says what lies where
//
// Tensors are read one at a time, and what was read is given back to the system: a model takes no
// more memory than its largest tensor.
#ifndef TENSORLANE_IO_MODEL_FILE_H_
#define TENSORLANE_IO_MODEL_FILE_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "tensorlane/io/tensor_places.h"

namespace tensorlane {

class ModelFile {
 public:
  // Throws UserError for a file that cannot be read, for a name that comes twice, and where a raw
  // file has no `places` or ends before one of them.
  explicit ModelFile(const std::filesystem::path& path,
                     const std::optional<std::vector<PlacedTensor>>& places = std::nullopt);
  ~ModelFile();
  ModelFile(ModelFile&&) noexcept;

  const std::vector<TensorInfo>& tensors() const;
  // `dtype` as in ReadOptions. May be called from several threads.
  Tensor read(std::size_t tensor, std::optional<Dtype> dtype = std::nullopt) const;
  // Where it lies in the file, as far as the format has one place for it.
  std::optional<std::uint64_t> offset(std::size_t tensor) const;

  class Reader;

 private:
  std::unique_ptr<Reader> reader_;
};

// True for files that say themselves what they hold: by their endings.
bool names_its_tensors(const std::filesystem::path& path);

}  // namespace tensorlane

#endif  // TENSORLANE_IO_MODEL_FILE_H_
