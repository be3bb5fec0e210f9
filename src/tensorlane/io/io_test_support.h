// What the tests of the file formats share.
#ifndef TENSORLANE_IO_IO_TEST_SUPPORT_H_
#define TENSORLANE_IO_IO_TEST_SUPPORT_H_

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/io/tensor.h"

namespace tensorlane {

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

inline std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return bytes_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

inline void write_bytes(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

inline std::filesystem::path fixture(std::string_view name) {
  return std::filesystem::path(TENSORLANE_TESTDATA) / "io" / name;
}

// The text of the UserError that `body` throws; any other outcome fails the test.
template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << "more than one line: " << text;
    return text;
  }
  ADD_FAILURE() << "no UserError";
  return "";
}

inline std::vector<std::byte> random_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  return bytes;
}

// Any dtype, any small shape (empty ones and scalars too), any bits.
inline Tensor random_tensor() {
  Tensor tensor;
  const auto dtypes = all_dtypes();
  tensor.dtype = dtypes[*rc::gen::inRange<std::size_t>(0, dtypes.size())].dtype;
  const auto rank = *rc::gen::inRange<std::size_t>(0, 5);
  for (std::size_t i = 0; i < rank; ++i) {
    tensor.shape.push_back(*rc::gen::inRange<std::int64_t>(0, 6));
  }
  tensor.data =
      random_bytes(static_cast<std::size_t>(tensor_bytes(tensor.dtype, tensor.shape, "random")));
  const auto count = element_count(tensor.shape, "random");
  const bool half_used = dtype_bits(tensor.dtype) == 4 && count % 2 != 0;
  if (half_used) tensor.data.back() &= std::byte{0xf};
  return tensor;
}

}  // namespace tensorlane

#endif  // TENSORLANE_IO_IO_TEST_SUPPORT_H_
