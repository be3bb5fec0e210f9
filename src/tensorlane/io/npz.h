// NumPy's .npz files: zip archives of .npy arrays, as numpy.savez and savez_compressed write them.
//
//   const NpzFile file("weights.npz");
//   for (const TensorInfo& info : file.tensors()) ...
//   const Tensor conv1 = file.read("conv1");
//
// A member "conv1.npy" is the tensor "conv1"; members with other endings are not looked at. What
// npy.h says of dtypes holds for every member.
#ifndef TENSORLANE_IO_NPZ_H_
#define TENSORLANE_IO_NPZ_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/io/tensor.h"
#include "tensorlane/io/tensor_info.h"

namespace tensorlane {

class NpzFile {
 public:
  // Checks the archive and reads the header of every array. Throws UserError for an archive that is
  // damaged, encrypted, packed by another method than deflate, or that claims more bytes than it
  // can hold.
  explicit NpzFile(const std::filesystem::path& path);
  // An archive in memory, which must live as long as this object. `where` begins error texts.
  explicit NpzFile(std::span<const std::byte> archive, std::string_view where = "npz data");
  ~NpzFile();
  NpzFile(NpzFile&&) noexcept;

  // In the order of the archive.
  const std::vector<TensorInfo>& tensors() const;

  // Unpacks one tensor. Throws UserError, with the nearest name, if there is no such tensor.
  Tensor read(std::string_view name, std::optional<Dtype> dtype = std::nullopt) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct NpzOptions {
  bool compress = true;      // deflate; otherwise stored, which is faster
  bool force_zip64 = false;  // 64-bit fields also where 32 bits do
};

// The file appears at once and whole. Throws UserError for an empty name or one that comes twice.
void write_npz_file(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                    const NpzOptions& options = {});

}  // namespace tensorlane

#endif  // TENSORLANE_IO_NPZ_H_
