// Any file with tensors, by its name: what the command line reads and writes.
//
//   ending          format        tensors   dtype and shape
//   .npy            NumPy array   one       in the file (npy.h)
//   .npz            NumPy archive named     in the file (npz.h)
//   .safetensors    safetensors   named     in the file (safetensors.h)
//   .raw .bin       elements only one       given by the caller; 4-bit types packed
#ifndef TENSORLANE_IO_TENSOR_FILE_H_
#define TENSORLANE_IO_TENSOR_FILE_H_

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/io/tensor.h"
#include "tensorlane/io/tensor_info.h"

namespace tensorlane {

enum class FileFormat : std::uint8_t { kNpy, kNpz, kSafetensors, kRaw };

// "npy", "npz", "safetensors", "raw".
std::string_view file_format_name(FileFormat format);
FileFormat parse_file_format(std::string_view name);
// By the ending of the name; UserError with the list of endings for any other.
FileFormat file_format_of(const std::filesystem::path& path);

struct ReadOptions {
  std::optional<FileFormat> format = {};  // default: by the ending
  std::string name = {};                  // of one tensor; may be left out where there is only one
  // Of the elements, where the file does not say it; fp32 rounds those of float64.
  std::optional<Dtype> dtype = {};
  std::optional<Shape> shape = {};  // raw: required; other formats: read as this shape, of as many
                                    // elements
};

// The tensors that a file has, without reading their elements. A .npy file has one, without a name.
// A raw file is listed by what `options` says it is.
std::vector<TensorInfo> list_tensors(const std::filesystem::path& path,
                                     const ReadOptions& options = {});

// One tensor. Throws UserError where the file or `options` are wrong, and where a file with several
// tensors is read without a name.
Tensor read_tensor(const std::filesystem::path& path, const ReadOptions& options = {});

struct WriteOptions {
  std::optional<FileFormat> format = {};  // default: by the ending
  bool compress = true;                   // npz
};

// The file appears at once and whole. .npy and raw files hold exactly one tensor and no name.
void write_tensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                   const WriteOptions& options = {});
// In a format with names it gets `name`, without one that which numpy.savez would give: "arr_0".
void write_tensor(const std::filesystem::path& path, const Tensor& tensor,
                  std::string_view name = {}, const WriteOptions& options = {});

}  // namespace tensorlane

#endif  // TENSORLANE_IO_TENSOR_FILE_H_
