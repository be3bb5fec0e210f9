#include "tensorlane/io/npy.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/file.h"
#include "tensorlane/io/npy_internal.h"

namespace tensorlane {
namespace io_internal {
namespace {

// A matrix of `rows` contiguous input elements by `columns`, transposed in tiles that fit a cache.
template <class T>
void transpose(const T* in, T* out, std::size_t rows, std::size_t columns, std::size_t in_stride,
               std::size_t out_stride) {
  constexpr std::size_t kTile = 32;
  for (std::size_t i0 = 0; i0 < rows; i0 += kTile) {
    for (std::size_t j0 = 0; j0 < columns; j0 += kTile) {
      for (std::size_t i = i0; i < std::min(i0 + kTile, rows); ++i) {
        for (std::size_t j = j0; j < std::min(j0 + kTile, columns); ++j) {
          out[i * out_stride + j] = in[i + j * in_stride];
        }
      }
    }
  }
}

// Elements with the first dimension fastest to elements with the last dimension fastest.
template <class T>
void to_row_major(const T* in, T* out, const Shape& shape, std::size_t count) {
  const auto first = static_cast<std::size_t>(shape.front());
  const auto last = static_cast<std::size_t>(shape.back());
  const std::size_t middle = count / first / last;
  std::vector<std::int64_t> index(shape.size(), 0);  // of the dimensions between first and last
  for (std::size_t step = 0; step < middle; ++step) {
    std::size_t in_offset = 0;
    std::size_t in_stride = first;
    for (std::size_t d = 1; d + 1 < shape.size(); ++d) {
      in_offset += static_cast<std::size_t>(index[d]) * in_stride;
      in_stride *= static_cast<std::size_t>(shape[d]);
    }
    transpose(in + in_offset, out + step * last, first, last, count / last, count / first);
    for (std::size_t d = shape.size() - 1; d-- > 1;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

std::vector<std::byte> to_row_major(const std::vector<std::byte>& data, const Shape& shape,
                                    int element_bytes) {
  std::vector<std::byte> out(data.size());
  const std::size_t count = data.size() / static_cast<std::size_t>(element_bytes);
  const auto run = [&]<class T>(T) {
    to_row_major(reinterpret_cast<const T*>(data.data()), reinterpret_cast<T*>(out.data()), shape,
                 count);
  };
  if (element_bytes == 1) run(std::uint8_t{});
  if (element_bytes == 2) run(std::uint16_t{});
  if (element_bytes == 4) run(std::uint32_t{});
  if (element_bytes == 8) run(std::uint64_t{});
  return out;
}

}  // namespace

Tensor make_npy_tensor(NpyHeader header, std::optional<Dtype> dtype, std::vector<std::byte> data,
                       std::string_view where) {
  const Dtype resolved = resolve_dtype(header.type, dtype, where);
  if (header.fortran_order && header.shape.size() > 1 && !data.empty()) {
    data = to_row_major(data, header.shape, header.type.bytes);
  }
  return make_tensor(header.type, resolved, std::move(header.shape), std::move(data), where);
}

}  // namespace io_internal

Tensor read_npy(std::span<const std::byte> bytes, std::optional<Dtype> dtype,
                std::string_view where) {
  const std::uint64_t header_bytes = io_internal::npy_header_bytes(bytes, where);
  if (header_bytes > bytes.size()) {
    user_error("{}: cut short: a npy header of {} bytes in {} bytes", where, header_bytes,
               bytes.size());
  }
  io_internal::NpyHeader header =
      io_internal::parse_npy_header(bytes.first(static_cast<std::size_t>(header_bytes)), where);
  io_internal::check_npy_size(header, bytes.size(), where);
  io_internal::resolve_dtype(header.type, dtype, where);
  const auto elements = bytes.subspan(static_cast<std::size_t>(header_bytes));
  return io_internal::make_npy_tensor(std::move(header), dtype, {elements.begin(), elements.end()},
                                      where);
}

Tensor read_npy_file(const std::filesystem::path& path, std::optional<Dtype> dtype) {
  const FileView file(path);
  return read_npy(file.bytes(), dtype, fmt::format("'{}'", path.string()));
}

std::vector<std::byte> npy_bytes(const Tensor& tensor) {
  check_tensor(tensor, tr("tensor to write"));
  std::vector<std::byte> bytes = io_internal::make_npy_header(tensor.dtype, tensor.shape);
  std::vector<std::byte> buffer;
  const auto elements = io_internal::stored_elements(tensor, buffer);
  bytes.insert(bytes.end(), elements.begin(), elements.end());
  return bytes;
}

void write_npy_file(const std::filesystem::path& path, const Tensor& tensor) {
  check_tensor(tensor, tr("tensor to write"));
  AtomicFile file(path);
  file.write(io_internal::make_npy_header(tensor.dtype, tensor.shape));
  std::vector<std::byte> buffer;
  file.write(io_internal::stored_elements(tensor, buffer));
  file.commit();
}

}  // namespace tensorlane
