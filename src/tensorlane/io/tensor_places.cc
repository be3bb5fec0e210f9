#include "tensorlane/io/tensor_places.h"

#include <algorithm>
#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/npy_internal.h"
#include "tensorlane/io/safetensors_internal.h"
#include "tensorlane/io/zip_internal.h"

namespace tensorlane {
namespace {

using io_internal::ZipMember;

constexpr std::size_t kLongestName = 65535 - 4;  // of a member, with its ending

ZipMember member_of(const PlacedTensor& tensor, std::size_t header_bytes) {
  ZipMember member;
  member.name = tensor.name + ".npy";
  member.size = member.packed = header_bytes + tensor.bytes;
  return member;
}

}  // namespace

TensorPlaces::TensorPlaces(FileFormat format, std::vector<PlacedTensor> tensors,
                           std::uint64_t align)
    : format_(format), tensors_(std::move(tensors)) {
  std::set<std::string_view> names;
  for (PlacedTensor& tensor : tensors_) {
    if (!names.insert(tensor.name).second)
      user_error("the name '{}' appears twice", io_internal::printable(tensor.name));
    const std::string where = tr("tensor '{}'", io_internal::printable(tensor.name));
    const bool one_per_byte = dtype_bits(tensor.dtype) == 4 && format != FileFormat::kRaw;
    tensor.bytes = one_per_byte ? static_cast<std::uint64_t>(element_count(tensor.shape, where))
                                : tensor_bytes(tensor.dtype, tensor.shape, where);
  }
  if (format == FileFormat::kNpy) {
    user_error("a {} file holds one tensor, not those of a model; let the name end in {}",
               file_format_name(format), ".npz, .safetensors, .raw, .bin");
  }
  if (format == FileFormat::kSafetensors) {
    place_safetensors();
  } else if (format == FileFormat::kNpz) {
    place_npz();
  } else {
    place_raw(align);
  }
}

void TensorPlaces::place_safetensors() {
  std::vector<PlacedTensor*> order;
  for (PlacedTensor& tensor : tensors_) order.push_back(&tensor);
  header_ = io_internal::place_safetensors(order, {});
  file_bytes_ = header_.size();
  for (PlacedTensor& tensor : tensors_) {
    tensor.offset += header_.size();
    file_bytes_ = std::max(file_bytes_, tensor.offset + tensor.bytes);
  }
}

void TensorPlaces::place_npz() {
  std::uint64_t at = 0, directory = 0;
  for (PlacedTensor& tensor : tensors_) {
    if (tensor.name.empty() || tensor.name.size() > kLongestName) {
      user_error("a name of {} bytes for a member of an archive; 1 to {} are allowed",
                 tensor.name.size(), kLongestName);
    }
    members_.push_back(at);
    npy_headers_.push_back(io_internal::make_npy_header(tensor.dtype, tensor.shape));
    const ZipMember member = member_of(tensor, npy_headers_.back().size());
    tensor.offset =
        at + io_internal::zip_header(member, at, false).size() + npy_headers_.back().size();
    directory += io_internal::zip_header(member, at, true).size();
    at = tensor.offset + tensor.bytes;
  }
  file_bytes_ = at + directory + io_internal::zip_end(at, directory, tensors_.size()).size();
}

void TensorPlaces::place_raw(std::uint64_t align) {
  for (PlacedTensor& tensor : tensors_) {
    tensor.offset = (file_bytes_ + align - 1) / align * align;
    file_bytes_ = tensor.offset + tensor.bytes;
  }
}

std::uint32_t TensorPlaces::sum(std::size_t tensor, std::span<const std::byte> bytes) const {
  if (format_ != FileFormat::kNpz) return 0;
  return io_internal::extend_crc(io_internal::extend_crc(0, npy_headers_[tensor]), bytes);
}

std::vector<TensorPlaces::Piece> TensorPlaces::frame(std::span<const std::uint32_t> sums) const {
  std::vector<Piece> pieces;
  if (format_ == FileFormat::kSafetensors) {
    const std::span<const std::byte> header = std::as_bytes(std::span(header_));
    pieces.push_back({0, {header.begin(), header.end()}});
  }
  if (format_ != FileFormat::kNpz) return pieces;
  std::vector<std::byte> end;
  std::uint64_t directory = 0;
  for (std::size_t k = 0; k < tensors_.size(); ++k) {
    ZipMember member = member_of(tensors_[k], npy_headers_[k].size());
    member.crc = sums[k];
    std::vector<std::byte> bytes = io_internal::zip_header(member, members_[k], false);
    bytes.insert(bytes.end(), npy_headers_[k].begin(), npy_headers_[k].end());
    directory = members_[k] + bytes.size() + tensors_[k].bytes;
    pieces.push_back({members_[k], std::move(bytes)});
    const std::vector<std::byte> entry = io_internal::zip_header(member, members_[k], true);
    end.insert(end.end(), entry.begin(), entry.end());
  }
  const std::vector<std::byte> record =
      io_internal::zip_end(directory, end.size(), tensors_.size());
  end.insert(end.end(), record.begin(), record.end());
  pieces.push_back({directory, std::move(end)});
  return pieces;
}

std::span<const std::byte> placed_elements(FileFormat format, const Tensor& tensor,
                                           std::vector<std::byte>& buffer) {
  if (format == FileFormat::kRaw) return tensor.data;
  return io_internal::stored_elements(tensor, buffer);
}

}  // namespace tensorlane
