#include "tensorlane/io/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>

#include "tensorlane/io/io_test_support.h"
#include "tensorlane/io/npy_internal.h"

namespace tensorlane {
namespace {

using testing::HasSubstr;

template <class T>
std::vector<std::byte> elements(std::initializer_list<T> values) {
  const auto* data = reinterpret_cast<const std::byte*>(values.begin());
  return {data, data + values.size() * sizeof(T)};
}

// A file with the given header text, format 1.0.
std::vector<std::byte> npy(std::string_view header, std::string_view data = "") {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file += data;
  return bytes_of(file);
}

std::string npy_error(std::string_view header, std::string_view data = "") {
  return error_of([&] { read_npy(npy(header, data)); });
}

TEST(Npy, ReadsWhatNumpyWrote) {
  const Tensor expected{Dtype::kFp32, {2, 3}, elements<float>({0, 1, 2, 3, 4, 5})};
  EXPECT_EQ(read_npy_file(fixture("f4_2x3.npy")), expected);
  EXPECT_EQ(read_npy_file(fixture("f4_2x3_fortran.npy")), expected);
  EXPECT_EQ(read_npy_file(fixture("u2_big_endian.npy")),
            (Tensor{Dtype::kUint16, {2}, elements<std::uint16_t>({1, 0x1234})}));
  EXPECT_EQ(read_npy_file(fixture("i4_scalar.npy")),
            (Tensor{Dtype::kInt32, {}, elements<std::int32_t>({-7})}));
  const Tensor small{Dtype::kInt8, {2}, elements<std::int8_t>({-1, 2})};
  EXPECT_EQ(read_npy_file(fixture("i1_v2.npy")), small);
  EXPECT_EQ(read_npy_file(fixture("i1_v3.npy")), small);
}

TEST(Npy, WritesWhatNumpyWrites) {
  const Tensor tensor{Dtype::kFp32, {2, 3}, elements<float>({0, 1, 2, 3, 4, 5})};
  EXPECT_EQ(npy_bytes(tensor), read_bytes(fixture("f4_2x3.npy")));
  const Tensor scalar{Dtype::kInt32, {}, elements<std::int32_t>({-7})};
  EXPECT_EQ(npy_bytes(scalar), read_bytes(fixture("i4_scalar.npy")));
}

RC_GTEST_PROP(Npy, RoundTripsEveryTensor, ()) {
  const Tensor tensor = random_tensor();
  RC_ASSERT(read_npy(npy_bytes(tensor), tensor.dtype) == tensor);
}

// No prefix of a file, and no file with bytes added, is read as something else.
RC_GTEST_PROP(Npy, AnotherLengthIsAnError, ()) {
  std::vector<std::byte> file = npy_bytes(random_tensor());
  const auto size = *rc::gen::inRange<std::size_t>(0, file.size() + 3);
  RC_PRE(size != file.size());
  file.resize(size);
  RC_ASSERT_THROWS_AS(read_npy(file), UserError);
}

// Whatever one byte of a file becomes, reading gives a tensor or a UserError.
RC_GTEST_PROP(Npy, OneChangedByteIsHarmless, ()) {
  std::vector<std::byte> file = npy_bytes(random_tensor());
  const auto at = *rc::gen::inRange<std::size_t>(0, file.size());
  file[at] = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  try {
    const Tensor tensor = read_npy(file);
    RC_ASSERT(tensor.data.size() == tensor_bytes(tensor.dtype, tensor.shape, "read"));
  } catch (const UserError&) {
  }
}

RC_GTEST_PROP(Npy, FortranOrderIsTransposed, ()) {
  Tensor tensor = random_tensor();
  tensor.shape.push_back(*rc::gen::inRange<std::int64_t>(1, 70));
  tensor.dtype = *rc::gen::element(Dtype::kUint8, Dtype::kFp16, Dtype::kFp32);
  const auto size = static_cast<std::size_t>(dtype_bytes(tensor.dtype));
  tensor.data =
      random_bytes(static_cast<std::size_t>(tensor_bytes(tensor.dtype, tensor.shape, "random")));
  const std::size_t rank = tensor.shape.size();
  // The same elements with the first dimension fastest, by the definition of both orders.
  std::vector<std::byte> fortran(tensor.data.size());
  const std::size_t count = tensor.data.size() / size;
  for (std::size_t row_major = 0; row_major < count; ++row_major) {
    std::size_t rest = row_major;
    std::size_t column_major = 0;
    std::size_t stride = count;
    for (std::size_t d = rank; d-- > 0;) {
      const auto extent = static_cast<std::size_t>(tensor.shape[d]);
      stride /= extent;
      column_major += rest % extent * stride;
      rest /= extent;
    }
    std::copy_n(tensor.data.begin() + static_cast<std::ptrdiff_t>(row_major * size), size,
                fortran.begin() + static_cast<std::ptrdiff_t>(column_major * size));
  }
  std::vector<std::byte> file = npy_bytes({tensor.dtype, tensor.shape, fortran});
  const std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  const std::size_t order = text.find("False, ");
  std::copy_n(reinterpret_cast<const std::byte*>("True , "), 7,
              file.begin() + static_cast<std::ptrdiff_t>(order));
  RC_ASSERT(read_npy(file) == tensor);
}

TEST(Npy, DtypesThatNumpyLacksAreGivenByTheCaller) {
  const Tensor bf16{Dtype::kBf16, {2}, elements<std::uint16_t>({0x3f80, 0xc000})};
  const std::vector<std::byte> file = npy_bytes(bf16);
  EXPECT_EQ(read_npy(file).dtype, Dtype::kUint16);
  EXPECT_EQ(read_npy(file, Dtype::kBf16), bf16);
  EXPECT_EQ(read_npy(file, Dtype::kInt16).dtype, Dtype::kInt16);
  EXPECT_THAT(error_of([&] { read_npy(file, Dtype::kFp32); }),
              HasSubstr("'<u2' cannot be read as fp32"));
  const std::vector<std::byte> floats = read_bytes(fixture("f4_2x3.npy"));
  EXPECT_THAT(error_of([&] { read_npy(floats, Dtype::kInt32); }),
              HasSubstr("'<f4' cannot be read as int32"));
  // ml_dtypes saves its bfloat16 as raw bytes.
  const auto raw = npy("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", "ab");
  EXPECT_EQ(read_npy(raw, Dtype::kBf16).data, bytes_of("ab"));
  EXPECT_THAT(error_of([&] { read_npy(raw); }), HasSubstr("say which dtype"));
}

TEST(Npy, Int4IsOneValuePerByteInTheFile) {
  const Tensor tensor{Dtype::kInt4, {3}, {std::byte{0xf8}, std::byte{0x07}}};  // -8, -1, 7
  const std::vector<std::byte> file = npy_bytes(tensor);
  EXPECT_EQ(read_npy(file), (Tensor{Dtype::kInt8, {3}, elements<std::int8_t>({-8, -1, 7})}));
  EXPECT_EQ(read_npy(file, Dtype::kInt4), tensor);
  const std::string_view unsigned_header = "{'descr':'|u1','fortran_order':False,'shape':(3,)}";
  EXPECT_EQ(read_npy(npy(unsigned_header, "\x08\x0f\x07"), Dtype::kInt4), tensor);
  EXPECT_THAT(error_of([&] { read_npy(npy(unsigned_header, "\x01\x10\x02"), Dtype::kInt4); }),
              HasSubstr("element 1 is 16, outside of 0 to 15"));
  EXPECT_THAT(error_of([&] {
                read_npy(npy("{'descr':'|i1','fortran_order':False,'shape':(1,)}", "\xf7"),
                         Dtype::kInt4);
              }),
              HasSubstr("element 0 is -9, outside of -8 to 7"));
}

TEST(Npy, Float64IsRoundedWhereFp32IsAskedFor) {
  const double values[] = {1.0, -2.5, 1.0 + 0x1p-24, 1.0 + 0x1.8p-23, 1e300};
  std::string data(reinterpret_cast<const char*>(values), sizeof values);
  const std::string header = "{'descr':'<f8','fortran_order':False,'shape':(5,)}";
  const Tensor tensor = read_npy(npy(header, data), Dtype::kFp32);
  ASSERT_EQ(tensor.dtype, Dtype::kFp32);
  ASSERT_EQ(tensor.data.size(), 20U);
  float rounded[5];
  std::memcpy(rounded, tensor.data.data(), sizeof rounded);
  EXPECT_EQ(rounded[0], 1.0F);
  EXPECT_EQ(rounded[1], -2.5F);
  EXPECT_EQ(rounded[2], 1.0F) << "half to even";
  EXPECT_EQ(rounded[3], 1.0F + 0x1p-22F) << "half to even";
  EXPECT_TRUE(std::isinf(rounded[4]));
  EXPECT_THAT(error_of([&] { read_npy(npy(header, data)); }), HasSubstr("read them as fp32"));
  EXPECT_THROW(read_npy(npy(header, data), Dtype::kFp16), UserError);
  // First dimension fastest: the transposition moves whole elements.
  const double columns[] = {1, 2, 3, 4};
  const Tensor matrix =
      read_npy(npy("{'descr':'<f8','fortran_order':True,'shape':(2,2)}",
                   std::string(reinterpret_cast<const char*>(columns), sizeof columns)),
               Dtype::kFp32);
  float rows[4];
  std::memcpy(rows, matrix.data.data(), sizeof rows);
  EXPECT_EQ(rows[1], 3.0F);
  EXPECT_EQ(rows[2], 2.0F);
}

TEST(Npy, Int64IsReadAs32BitsWhereEveryElementFits) {
  const std::string header = "{'descr':'<i8','fortran_order':False,'shape':(3,)}";
  const auto bytes = [](std::array<std::int64_t, 3> values) {
    return std::string(reinterpret_cast<const char*>(values.data()), sizeof values);
  };
  const std::array<std::int64_t, 3> limits = {INT32_MIN, INT32_MAX, -1};
  const Tensor tensor = read_npy(npy(header, bytes(limits)), Dtype::kInt32);
  ASSERT_EQ(tensor.dtype, Dtype::kInt32);
  ASSERT_EQ(tensor.data.size(), 12U);
  std::array<std::int32_t, 3> narrow{};
  std::memcpy(narrow.data(), tensor.data.data(), sizeof narrow);
  EXPECT_THAT(narrow, testing::ElementsAre(INT32_MIN, INT32_MAX, -1));
  for (const auto outside :
       std::initializer_list<std::int64_t>{INT32_MAX + 1L, INT32_MIN - 1L, INT64_MAX}) {
    EXPECT_THAT(error_of([&] {
                  read_npy(npy(header, bytes({0, 0, outside})), Dtype::kInt32);
                }),
                HasSubstr(fmt::format("element 2 is {}, which 32 bits cannot hold", outside)));
  }
  EXPECT_THAT(error_of([&] { read_npy(npy(header, bytes(limits))); }),
              HasSubstr("read them as int32"));
}

TEST(Npy, HeadersOfOtherWritersAreRead) {
  for (std::string_view header :
       {"{\"descr\": \"<f4\", \"shape\": (1,), \"fortran_order\": False}",
        "  {'shape':(1,1L),'fortran_order':True,'descr':'<f4',}\n\n",
        "{ 'descr' : '=f4' , 'fortran_order' : False , 'shape' : ( 1 , ) , }"}) {
    EXPECT_EQ(read_npy(npy(header, "abcd")).data, bytes_of("abcd")) << header;
  }
}

TEST(Npy, HostileHeadersAreNamed) {
  const std::string_view tail = "'fortran_order': False, 'shape': (2,), }";
  EXPECT_THAT(npy_error(fmt::format("{{'descr': '<f4', {}", tail), "1234567"),
              HasSubstr("cut short: '<f4' of shape 2 takes 8 bytes, but 7 follow"));
  EXPECT_THAT(npy_error(fmt::format("{{'descr': '<f4', {}", tail), "123456789"),
              HasSubstr("unexpected bytes at the end"));
  EXPECT_THAT(npy_error(fmt::format("{{'descr': '<f8', {}", tail), std::string(16, 'x')),
              HasSubstr("'<f8' exist on none of the chips"));
  EXPECT_THAT(npy_error(fmt::format("{{'descr': '|b1', {}", tail), "xx"),
              HasSubstr("'|b1' exist on none"));
  EXPECT_THAT(npy_error(fmt::format("{{'descr': '<M8[ns]', {}", tail)), HasSubstr("not supported"));
  EXPECT_THAT(npy_error(fmt::format("{{'descr': '<f0', {}", tail)), HasSubstr("not supported"));
  EXPECT_THAT(npy_error(fmt::format("{{'descr': '|c0', {}", tail)), HasSubstr("not supported"));
  EXPECT_THAT(npy_error(fmt::format("{{'descr': '', {}", tail)), HasSubstr("not supported"));
  EXPECT_THAT(npy_error(fmt::format("{{'descr': [('a', '<f4')], {}", tail)),
              HasSubstr("structured"));
  EXPECT_THAT(npy_error(fmt::format("{{'descr': '<f4', 'descr': '<f4', {}", tail)),
              HasSubstr("'descr' appears twice"));
  EXPECT_THAT(npy_error(fmt::format("{{'color': '<f4', {}", tail)), HasSubstr("unknown key"));
  EXPECT_THAT(npy_error("{'descr': '<f4', 'shape': (2,)}"),
              HasSubstr("'fortran_order' is missing"));
  EXPECT_THAT(npy_error(fmt::format("{{'descr': '<f4', {} junk", tail)), HasSubstr("after the"));
  EXPECT_THAT(npy_error("{'descr': '<f4"), HasSubstr("does not end"));
  const auto with_shape = [](std::string_view shape) {
    return npy_error(fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}}}", shape));
  };
  EXPECT_THAT(with_shape("(-1,)"), HasSubstr("negative extent -1"));
  EXPECT_THAT(with_shape("(99999999999999999999,)"), HasSubstr("above 2^63"));
  EXPECT_THAT(with_shape("(4294967296, 4294967296)"), HasSubstr("more elements than 2^57"));
  EXPECT_THAT(with_shape("(0, 4611686018427387904, 4)"), HasSubstr("more elements than 2^57"));
  EXPECT_THAT(with_shape("(1000000000,)"), HasSubstr("cut short"));
  EXPECT_THAT(with_shape("(" +
                         std::string(130, '1').replace(1, 129,
                                                       [] {
                                                         std::string ones;
                                                         for (int i = 0; i < 64; ++i) ones += ",1";
                                                         return ones;
                                                       }()) +
                         ")"),
              HasSubstr("more than 64 dimensions"));
}

TEST(Npy, HeaderLongerThanTheFileIsNamed) {
  std::vector<std::byte> file = npy("{}");
  file[8] = std::byte{0xff};
  file[9] = std::byte{0xff};
  EXPECT_THAT(error_of([&] { read_npy(file); }), HasSubstr("header of 65545 bytes in 12 bytes"));
  file[6] = std::byte{2};
  EXPECT_THAT(error_of([&] { read_npy(file); }), HasSubstr("cut short"));
  file[6] = std::byte{9};
  EXPECT_THAT(error_of([&] { read_npy(file); }), HasSubstr("version 9.0"));
  EXPECT_THAT(error_of([] { read_npy(bytes_of("PK")); }), HasSubstr("not a npy array"));
  EXPECT_THAT(error_of([] { read_npy({}); }), HasSubstr("not a npy array"));
}

TEST(Npy, ErrorsNameTheFileAndShowNoControlCharacters) {
  const std::string text =
      error_of([] { read_npy(npy("{'\x1b[31m': 1}"), std::nullopt, "'x.npy'"); });
  EXPECT_THAT(text, HasSubstr("'x.npy': bad npy header"));
  EXPECT_THAT(text, HasSubstr("\\x1b[31m"));
  EXPECT_THAT(error_of([] { read_npy_file(fixture("f8.npy")); }), HasSubstr("f8.npy'"));
  EXPECT_THAT(error_of([] { read_npy_file(fixture("structured.npy")); }), HasSubstr("structured"));
  EXPECT_THAT(error_of([] { read_npy_file("/nowhere/a.npy"); }),
              HasSubstr("cannot read '/nowhere/a.npy': No such file"));
}

}  // namespace
}  // namespace tensorlane
