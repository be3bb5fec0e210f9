// Where tensors lie in a file before any of them is written.
//
// Of every format here the place of each tensor follows from the names, types and shapes alone (in
// an archive members are stored, not packed). So tensors can be written in any order, by several
// threads, and be continued where a run was broken off; what surrounds them is written last.
//
//   format        what surrounds the tensors                       order of the file
//   npz           headers of members, which have sums, the end     as given
//   safetensors   the header                                       wide elements first
//   raw           zeros up to the next multiple of `align`         as given
#ifndef TENSORLANE_IO_TENSOR_PLACES_H_
#define TENSORLANE_IO_TENSOR_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/io/tensor_file.h"

namespace tensorlane {

// The elements of a tensor in a file: raw files pack those of 4 bits, all others have one per byte.
struct PlacedTensor {
  std::string name;
  Dtype dtype = Dtype::kFp32;
  Shape shape;
  std::uint64_t offset = 0, bytes = 0;
};

class TensorPlaces {
 public:
  // Offsets and bytes of `tensors` need not be set. Throws UserError for names that the format does
  // not take or that come twice, and for npy.
  TensorPlaces(FileFormat format, std::vector<PlacedTensor> tensors, std::uint64_t align = 64);

  // In the order given.
  const std::vector<PlacedTensor>& tensors() const { return tensors_; }
  std::uint64_t file_bytes() const { return file_bytes_; }

  // What an archive says of a tensor's bytes; 0 in other formats.
  std::uint32_t sum(std::size_t tensor, std::span<const std::byte> bytes) const;

  struct Piece {
    std::uint64_t offset;
    std::vector<std::byte> bytes;
  };
  // All that surrounds the tensors and is not zero; `sums` are those of the tensors.
  std::vector<Piece> frame(std::span<const std::uint32_t> sums) const;

 private:
  void place_safetensors();
  void place_npz();
  void place_raw(std::uint64_t align);

  FileFormat format_;
  std::vector<PlacedTensor> tensors_;
  std::string header_;                               // safetensors
  std::vector<std::vector<std::byte>> npy_headers_;  // npz
  std::vector<std::uint64_t> members_;               // npz: where each begins
  std::uint64_t file_bytes_ = 0;
};

// The elements as the format stores them: the tensor's own, or what was put into `buffer`.
std::span<const std::byte> placed_elements(FileFormat format, const Tensor& tensor,
                                           std::vector<std::byte>& buffer);

}  // namespace tensorlane

#endif  // TENSORLANE_IO_TENSOR_PLACES_H_
