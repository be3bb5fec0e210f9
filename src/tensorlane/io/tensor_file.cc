#include "tensorlane/io/tensor_file.h"

#include <array>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/io/file.h"
#include "tensorlane/io/npy.h"
#include "tensorlane/io/npy_internal.h"
#include "tensorlane/io/npz.h"
#include "tensorlane/io/safetensors.h"

namespace tensorlane {
namespace {

constexpr std::array<std::string_view, 4> kFormatNames = {"npy", "npz", "safetensors", "raw"};

std::string name_of(const std::filesystem::path& path) {
  return fmt::format("'{}'", path.string());
}

std::uint64_t raw_bytes(const std::filesystem::path& path, const ReadOptions& options) {
  if (!options.dtype || !options.shape) {
    user_error("{}: a raw file does not say what it holds; give its dtype and shape",
               name_of(path));
  }
  return tensor_bytes(*options.dtype, *options.shape, name_of(path));
}

Tensor read_raw(const std::filesystem::path& path, const ReadOptions& options) {
  const std::uint64_t expected = raw_bytes(path, options);
  const FileView file(path);
  const std::span<const std::byte> bytes = file.bytes();
  if (bytes.size() != expected) {
    user_error("{}: {} of shape {} takes {} bytes, but the file has {}", name_of(path),
               dtype_name(*options.dtype), shape_text(*options.shape), expected, bytes.size());
  }
  return {*options.dtype, *options.shape, {bytes.begin(), bytes.end()}};
}

std::vector<TensorInfo> list_npy(const std::filesystem::path& path) {
  const FileView file(path);
  const std::uint64_t size = io_internal::npy_header_bytes(file.bytes(), name_of(path));
  if (size > file.bytes().size()) user_error("{}: cut short in its npy header", name_of(path));
  const io_internal::NpyHeader header = io_internal::parse_npy_header(
      file.bytes().first(static_cast<std::size_t>(size)), name_of(path));
  io_internal::check_npy_size(header, file.bytes().size(), name_of(path));
  return {{"", header.type.spelling, header.type.dtype, header.shape, header.data_bytes,
           header.type.narrowed()}};
}

// The tensor that `options` names, or the only one.
template <class File>
Tensor read_named(const File& file, const std::filesystem::path& path, const ReadOptions& options) {
  if (!options.name.empty()) return file.read(options.name, options.dtype);
  const std::vector<TensorInfo>& tensors = file.tensors();
  if (tensors.size() != 1) {
    std::string names;
    for (std::size_t i = 0; i < tensors.size() && i < 10; ++i) {
      names += fmt::format("{}'{}'", i == 0 ? ": " : ", ", tensors[i].name);
    }
    user_error("{}: has {} tensors{}{}; say which one by its name", name_of(path), tensors.size(),
               names, tensors.size() > 10 ? ", ..." : "");
  }
  return file.read(tensors.front().name, options.dtype);
}

Tensor read_by_format(const std::filesystem::path& path, FileFormat format,
                      const ReadOptions& options) {
  switch (format) {
    case FileFormat::kNpz:
      return read_named(NpzFile(path), path, options);
    case FileFormat::kSafetensors:
      return read_named(SafetensorsFile(path), path, options);
    default:
      break;
  }
  if (!options.name.empty()) {
    user_error("{}: a {} file holds one tensor without a name, but '{}' is asked for",
               name_of(path), file_format_name(format), options.name);
  }
  return format == FileFormat::kNpy ? read_npy_file(path, options.dtype) : read_raw(path, options);
}

}  // namespace

std::string_view file_format_name(FileFormat format) {
  return kFormatNames.at(static_cast<std::size_t>(format));
}

FileFormat parse_file_format(std::string_view name) {
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) {
    if (kFormatNames[i] == name) return static_cast<FileFormat>(i);
  }
  user_error("unknown file format '{}'{}", name, did_you_mean(name, kFormatNames));
}

FileFormat file_format_of(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".npy") return FileFormat::kNpy;
  if (ending == ".npz") return FileFormat::kNpz;
  if (ending == ".safetensors") return FileFormat::kSafetensors;
  if (ending == ".raw" || ending == ".bin") return FileFormat::kRaw;
  user_error("{}: the ending tells no format; known are .npy, .npz, .safetensors, .raw and .bin",
             name_of(path));
}

std::vector<TensorInfo> list_tensors(const std::filesystem::path& path,
                                     const ReadOptions& options) {
  switch (options.format ? *options.format : file_format_of(path)) {
    case FileFormat::kNpy:
      return list_npy(path);
    case FileFormat::kNpz:
      return NpzFile(path).tensors();
    case FileFormat::kSafetensors:
      return SafetensorsFile(path).tensors();
    case FileFormat::kRaw:
      break;
  }
  const std::uint64_t bytes = raw_bytes(path, options);
  return {{"", std::string(dtype_name(*options.dtype)), options.dtype, *options.shape, bytes}};
}

Tensor read_tensor(const std::filesystem::path& path, const ReadOptions& options) {
  const FileFormat format = options.format ? *options.format : file_format_of(path);
  Tensor tensor = read_by_format(path, format, options);
  if (options.shape && tensor.shape != *options.shape) {
    if (element_count(*options.shape, name_of(path)) !=
        element_count(tensor.shape, name_of(path))) {
      user_error("{}: its shape {} cannot be read as {}: the numbers of elements differ",
                 name_of(path), shape_text(tensor.shape), shape_text(*options.shape));
    }
    tensor.shape = *options.shape;
  }
  return tensor;
}

void write_tensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                   const WriteOptions& options) {
  const FileFormat format = options.format ? *options.format : file_format_of(path);
  if (format == FileFormat::kNpz) {
    return write_npz_file(path, tensors, {.compress = options.compress});
  }
  if (format == FileFormat::kSafetensors) return write_safetensors_file(path, tensors);
  if (tensors.size() != 1) {
    user_error("{}: a {} file holds one tensor, not {}", name_of(path), file_format_name(format),
               tensors.size());
  }
  const Tensor& tensor = tensors.front().tensor;
  if (format == FileFormat::kNpy) return write_npy_file(path, tensor);
  check_tensor(tensor, tr("tensor to write"));
  AtomicFile file(path);
  file.write(tensor.data);
  file.commit();
}

void write_tensor(const std::filesystem::path& path, const Tensor& tensor, std::string_view name,
                  const WriteOptions& options) {
  const FileFormat format = options.format ? *options.format : file_format_of(path);
  if (format == FileFormat::kNpy) return write_npy_file(path, tensor);
  const NamedTensor named{name.empty() ? "arr_0" : std::string(name), tensor};
  write_tensors(path, {&named, 1}, options);
}

}  // namespace tensorlane
