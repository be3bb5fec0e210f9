#include "tensorlane/io/model_file.h"

#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/io/file.h"
#include "tensorlane/io/npz.h"
#include "tensorlane/io/onnx.h"
#include "tensorlane/io/safetensors.h"
#include "tensorlane/io/stored_type_internal.h"

namespace tensorlane {

class ModelFile::Reader {
 public:
  virtual ~Reader() = default;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  virtual Tensor read(std::size_t tensor, std::optional<Dtype> dtype) const = 0;
  virtual std::optional<std::uint64_t> offset(std::size_t) const { return std::nullopt; }
};

namespace {

template <class File>
class NamingReader : public ModelFile::Reader {
 public:
  explicit NamingReader(const std::filesystem::path& path) : file_(path) {}
  const std::vector<TensorInfo>& tensors() const override { return file_.tensors(); }
  Tensor read(std::size_t tensor, std::optional<Dtype> dtype) const override {
    return file_.read(file_.tensors()[tensor].name, dtype);
  }

 private:
  File file_;
};

class RawReader : public ModelFile::Reader {
 public:
  RawReader(const std::filesystem::path& path, const std::vector<PlacedTensor>& places)
      : file_(path), places_(places), where_(fmt::format("'{}'", path.string())) {
    for (PlacedTensor& place : places_) {
      const std::string where =
          fmt::format("{}, tensor '{}'", where_, io_internal::printable(place.name));
      place.bytes = tensor_bytes(place.dtype, place.shape, where);
      if (place.offset > file_.bytes().size() ||
          place.bytes > file_.bytes().size() - place.offset) {
        user_error("{}: it has the bytes {} to {}, the file {}", where, place.offset,
                   place.offset + place.bytes, file_.bytes().size());
      }
      infos_.push_back({place.name, std::string(dtype_name(place.dtype)), place.dtype, place.shape,
                        place.bytes});
    }
  }
  const std::vector<TensorInfo>& tensors() const override { return infos_; }
  Tensor read(std::size_t tensor, std::optional<Dtype> dtype) const override {
    const PlacedTensor& place = places_[tensor];
    const Dtype read_as = dtype.value_or(place.dtype);
    if (dtype_bits(read_as) != dtype_bits(place.dtype)) {
      user_error("{}, tensor '{}': {} cannot be read as {}", where_,
                 io_internal::printable(place.name), dtype_name(place.dtype), dtype_name(read_as));
    }
    const std::span<const std::byte> bytes = file_.bytes().subspan(
        static_cast<std::size_t>(place.offset), static_cast<std::size_t>(place.bytes));
    Tensor read{read_as, place.shape, {bytes.begin(), bytes.end()}};
    file_.forget(bytes);
    return read;
  }
  std::optional<std::uint64_t> offset(std::size_t tensor) const override {
    return places_[tensor].offset;
  }

 private:
  FileView file_;
  std::vector<PlacedTensor> places_;
  std::string where_;
  std::vector<TensorInfo> infos_;
};

std::unique_ptr<ModelFile::Reader> open_model(
    const std::filesystem::path& path, const std::optional<std::vector<PlacedTensor>>& places) {
  const std::string ending = path.extension().string();
  if (ending == ".npz") return std::make_unique<NamingReader<NpzFile>>(path);
  if (ending == ".safetensors") return std::make_unique<NamingReader<SafetensorsFile>>(path);
  if (ending == ".onnx") return std::make_unique<NamingReader<OnnxFile>>(path);
  if (ending == ".npy")
    user_error("'{}': a {} file holds one tensor without a name, no model", path.string(), "npy");
  if (!places) {
    user_error("'{}' holds bytes only: what lies where has to be said by a manifest",
               path.string());
  }
  return std::make_unique<RawReader>(path, *places);
}

}  // namespace

ModelFile::ModelFile(const std::filesystem::path& path,
                     const std::optional<std::vector<PlacedTensor>>& places)
    : reader_(open_model(path, places)) {
  std::set<std::string_view> names;
  for (const TensorInfo& tensor : tensors()) {
    if (!names.insert(tensor.name).second)
      user_error("'{}': the name '{}' appears twice", path.string(),
                 io_internal::printable(tensor.name));
  }
}
ModelFile::~ModelFile() = default;
ModelFile::ModelFile(ModelFile&&) noexcept = default;

const std::vector<TensorInfo>& ModelFile::tensors() const {
  return reader_->tensors();
}
Tensor ModelFile::read(std::size_t tensor, std::optional<Dtype> dtype) const {
  return reader_->read(tensor, dtype);
}
std::optional<std::uint64_t> ModelFile::offset(std::size_t tensor) const {
  return reader_->offset(tensor);
}

bool names_its_tensors(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".npz" || ending == ".safetensors" || ending == ".onnx";
}

}  // namespace tensorlane
