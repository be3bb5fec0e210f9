#include "tensorlane/io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tensorlane/io/io_test_support.h"

namespace tensorlane {
namespace {

using testing::HasSubstr;

std::vector<std::byte> safetensors(std::string_view header, std::size_t element_bytes) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i));
  file += header;
  file.append(element_bytes, 'x');
  return bytes_of(file);
}

std::string header_error(std::string_view header, std::size_t element_bytes = 0) {
  return error_of([&] { SafetensorsFile{safetensors(header, element_bytes)}; });
}

std::vector<std::byte> written(const TemporaryFolder& folder,
                               const std::vector<NamedTensor>& tensors) {
  write_safetensors_file(folder / "a.safetensors", tensors);
  return read_bytes(folder / "a.safetensors");
}

TEST(Safetensors, ReadsWhatAnotherWriterWrote) {
  const SafetensorsFile file(fixture("small.safetensors"));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  ASSERT_EQ(file.tensors().size(), 6U);
  EXPECT_EQ(file.tensors()[0].name, "weight");
  const float weights[] = {0, 1, 2, 3, 4, 5};
  const auto* data = reinterpret_cast<const std::byte*>(weights);
  EXPECT_EQ(file.read("weight"), (Tensor{Dtype::kFp32, {2, 3}, {data, data + sizeof weights}}));
  EXPECT_EQ(file.read("half"),
            (Tensor{Dtype::kBf16, {2}, bytes_of(std::string_view("\x80\x3f\x00\xc0", 4))}));
  EXPECT_EQ(file.read("e4m3"), (Tensor{Dtype::kFp8E4M3, {3}, bytes_of("\x38\x7e\xff")}));
  EXPECT_EQ(file.read("e5m2"), (Tensor{Dtype::kFp8E5M2, {1}, bytes_of("\x3c")}));
  EXPECT_EQ(file.read("empty"), (Tensor{Dtype::kFp16, {0, 4}, {}}));
  EXPECT_THAT(error_of([&] { file.read("long"); }), HasSubstr("'I64' exist on none of the chips"));
  EXPECT_THAT(error_of([&] { file.read("wieght"); }), HasSubstr("did you mean 'weight'"));
}

RC_GTEST_PROP(Safetensors, RoundTripsEverySetOfTensors, ()) {
  const TemporaryFolder folder;
  std::vector<NamedTensor> tensors;
  const auto count = *rc::gen::inRange<std::size_t>(0, 5);
  for (std::size_t i = 0; i < count; ++i) {
    tensors.push_back({fmt::format("layer\"{}\\ \xc3\xa9", i), random_tensor()});
  }
  const std::map<std::string, std::string> metadata = {{"made by", "a \"test\""}};
  write_safetensors_file(folder / "a.safetensors", tensors, metadata);
  const SafetensorsFile file(folder / "a.safetensors");
  RC_ASSERT(file.metadata() == metadata);
  RC_ASSERT(file.tensors().size() == count);
  for (const NamedTensor& entry : tensors) {
    RC_ASSERT(file.read(entry.name, entry.tensor.dtype) == entry.tensor);
  }
}

RC_GTEST_PROP(Safetensors, OneChangedByteIsHarmless, ()) {
  const TemporaryFolder folder;
  std::vector<std::byte> file = written(folder, {{"a", random_tensor()}, {"b", random_tensor()}});
  const auto at = *rc::gen::inRange<std::size_t>(0, file.size());
  file[at] = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  try {
    const SafetensorsFile opened(file);
    for (const TensorInfo& info : opened.tensors()) opened.read(info.name);
  } catch (const UserError&) {
  }
}

RC_GTEST_PROP(Safetensors, AnotherLengthIsAnError, ()) {
  const TemporaryFolder folder;
  std::vector<std::byte> file = written(folder, {{"a", random_tensor()}});
  const auto size = *rc::gen::inRange<std::size_t>(0, file.size() + 3);
  RC_PRE(size != file.size());
  file.resize(size);
  RC_ASSERT_THROWS_AS(SafetensorsFile{file}, UserError);
}

TEST(Safetensors, ElementsAreAligned) {
  const TemporaryFolder folder;
  const std::vector<NamedTensor> tensors = {{"bytes", {Dtype::kInt8, {3}, bytes_of("abc")}},
                                            {"floats", {Dtype::kFp32, {1}, bytes_of("wxyz")}}};
  const std::vector<std::byte> file = written(folder, tensors);
  EXPECT_EQ(std::to_integer<int>(file[0]) % 8, 0);
  const SafetensorsFile opened(file);
  EXPECT_EQ(opened.tensors()[0].name, "floats");
}

TEST(Safetensors, HostileHeadersAreNamed) {
  EXPECT_THAT(error_of([] { SafetensorsFile{bytes_of("short")}; }),
              HasSubstr("5 bytes are too few"));
  std::vector<std::byte> longer = safetensors("{}", 0);
  longer[7] = std::byte{0x7f};
  EXPECT_THAT(error_of([&] { SafetensorsFile{longer}; }), HasSubstr("cut short: a header of"));
  EXPECT_THAT(header_error("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(header_error("{"), HasSubstr("is no JSON"));
  EXPECT_THAT(header_error("{\"\xff\":1}"), HasSubstr("is no JSON"));
  EXPECT_THAT(header_error(R"({"a":5})"), HasSubstr("tensor 'a' is no JSON object"));
  EXPECT_THAT(header_error(R"({"a":{"b":{"c":{"d":{}}}}})"), HasSubstr("nested too deeply"));
  EXPECT_THAT(header_error(std::string(100000, '[')), HasSubstr("nested too deeply"));
  EXPECT_THAT(header_error(R"({"__metadata__":{"a":1}})"), HasSubstr("is no string"));
  EXPECT_THAT(header_error(R"({"__metadata__":[]})"), HasSubstr("no JSON object"));

  const auto entry = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return fmt::format(R"({{"dtype":{},"shape":{},"data_offsets":{}}})", dtype, shape, offsets);
  };
  const std::string good = entry("\"F32\"", "[1]", "[0,4]");
  EXPECT_THAT(header_error(fmt::format(R"({{"a":{},"a":{}}})", good, good), 4),
              HasSubstr("'a' appears twice"));
  EXPECT_THAT(header_error(R"({"a":{"dtype":"F32","dtype":"F32"}})"),
              HasSubstr("'dtype' appears twice"));
  EXPECT_THAT(header_error(R"({"a":{"dtype":"F32","shape":[1]}})"),
              HasSubstr("has no data_offsets"));
  const auto one = [&](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return header_error(fmt::format(R"({{"a":{}}})", entry(dtype, shape, offsets)), 4);
  };
  EXPECT_THAT(one("7", "[1]", "[0,4]"), HasSubstr("dtype is no string"));
  EXPECT_THAT(one("\"F99\"", "[1]", "[0,4]"), HasSubstr("unknown dtype \"F99\""));
  EXPECT_THAT(one("\"F32\"", "1", "[0,4]"), HasSubstr("shape is no list"));
  EXPECT_THAT(one("\"F32\"", "[-1]", "[0,4]"), HasSubstr("extent -1 is not within"));
  EXPECT_THAT(one("\"F32\"", "[1.5]", "[0,4]"), HasSubstr("extent 1.5 is not within"));
  EXPECT_THAT(one("\"F32\"", "[18446744073709551616]", "[0,4]"), HasSubstr("is not within"));
  EXPECT_THAT(one("\"F32\"", "[9223372036854775807,9]", "[0,4]"), HasSubstr("more elements than"));
  EXPECT_THAT(one("\"F32\"", "[1]", "[0,5]"), HasSubstr("outside of the 4 bytes"));
  EXPECT_THAT(one("\"F32\"", "[1]", "[4,0]"), HasSubstr("outside of the 4 bytes"));
  EXPECT_THAT(one("\"F32\"", "[1]", "[0,-4]"), HasSubstr("not two offsets"));
  EXPECT_THAT(one("\"F32\"", "[1]", "[0]"), HasSubstr("not two offsets"));
  EXPECT_THAT(one("\"F32\"", "[2]", "[0,4]"), HasSubstr("takes 8 bytes, but data_offsets give 4"));
  EXPECT_THAT(one("\"F16\"", "[1]", "[0,2]"), HasSubstr("bytes 2 to 4 belong to no tensor"));
  EXPECT_THAT(one("\"F16\"", "[1]", "[2,4]"), HasSubstr("bytes 0 to 2 belong to no tensor"));
  EXPECT_THAT(header_error(fmt::format(R"({{"a":{},"b":{}}})", good, good), 4),
              HasSubstr("tensors overlap at offset 0"));
}

TEST(Safetensors, WritingRejectsBadNames) {
  const TemporaryFolder folder;
  const Tensor tensor{Dtype::kInt8, {1}, bytes_of("a")};
  EXPECT_THAT(error_of([&] {
                written(folder, {{"a", tensor}, {"a", tensor}});
              }),
              HasSubstr("'a' appears twice"));
  EXPECT_THAT(error_of([&] {
                written(folder, {{"__metadata__", tensor}});
              }),
              HasSubstr("is reserved"));
  EXPECT_THAT(error_of([&] { written(folder, {{"\xff", tensor}}); }), HasSubstr("must be UTF-8"));
  EXPECT_THAT(error_of([&] {
                written(folder, {{"a", {Dtype::kInt8, {2}, bytes_of("a")}}});
              }),
              HasSubstr("tensor 'a': int8 of shape 2 takes 2 bytes, but the tensor holds 1"));
  EXPECT_EQ(folder.file_count(), 0U);
}

}  // namespace
}  // namespace tensorlane
