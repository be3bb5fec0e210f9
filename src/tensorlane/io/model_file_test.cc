#include "tensorlane/io/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tensorlane/io/file.h"
#include "tensorlane/io/io_test_support.h"
#include "tensorlane/io/npz.h"
#include "tensorlane/io/sha256.h"

namespace tensorlane {
namespace {

using testing::HasSubstr;

// The file as its places say, tensors in the order of `order`.
void write_model(const std::filesystem::path& path, FileFormat format, const TensorPlaces& places,
                 const std::vector<Tensor>& tensors) {
  std::vector<std::byte> file(static_cast<std::size_t>(places.file_bytes()));
  std::vector<std::uint32_t> sums;
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    std::vector<std::byte> buffer;
    const std::span<const std::byte> bytes = placed_elements(format, tensors[k], buffer);
    ASSERT_EQ(bytes.size(), places.tensors()[k].bytes);
    std::ranges::copy(bytes,
                      file.begin() + static_cast<std::ptrdiff_t>(places.tensors()[k].offset));
    sums.push_back(places.sum(k, bytes));
  }
  for (const TensorPlaces::Piece& piece : places.frame(sums)) {
    std::ranges::copy(piece.bytes, file.begin() + static_cast<std::ptrdiff_t>(piece.offset));
  }
  write_bytes(path, file);
}

RC_GTEST_PROP(ModelFile, PlacesAreThoseThatReadersFind, ()) {
  const TemporaryFolder folder;
  std::vector<Tensor> tensors;
  std::vector<PlacedTensor> wanted;
  const auto count = *rc::gen::inRange<std::size_t>(0, 6);
  for (std::size_t k = 0; k < count; ++k) {
    tensors.push_back(random_tensor());
    wanted.push_back({fmt::format("层.{}/\"weight\" {}", k, *rc::gen::inRange(0, 1000)),
                      tensors[k].dtype, tensors[k].shape});
  }
  for (const char* name : {"a.npz", "a.safetensors", "a.raw", "model.data"}) {
    const bool named = names_its_tensors(name);
    const FileFormat format = named ? file_format_of(name) : FileFormat::kRaw;
    const TensorPlaces places(format, wanted, *rc::gen::element<std::uint64_t>(1, 4, 64));
    write_model(folder / name, format, places, tensors);
    const ModelFile model(folder / name, places.tensors());
    RC_ASSERT(model.tensors().size() == tensors.size());
    for (std::size_t k = 0; k < model.tensors().size(); ++k) {
      const auto of = std::ranges::find(wanted, model.tensors()[k].name, &PlacedTensor::name);
      RC_ASSERT(of != wanted.end());
      const auto at = static_cast<std::size_t>(of - wanted.begin());
      RC_ASSERT(model.read(k, tensors[at].dtype) == tensors[at]);
      RC_ASSERT(model.offset(k).has_value() == !named);
    }
  }
}

// The two ways of writing archives and headers give the same bytes.
RC_GTEST_PROP(ModelFile, PlacesAreThoseOfWriters, ()) {
  const TemporaryFolder folder;
  std::vector<NamedTensor> named;
  std::vector<Tensor> tensors;
  std::vector<PlacedTensor> wanted;
  for (int k = 0; k < 3; ++k) {
    named.push_back({fmt::format("t{}", k), random_tensor()});
    tensors.push_back(named.back().tensor);
    wanted.push_back({named.back().name, tensors.back().dtype, tensors.back().shape});
  }
  for (const char* name : {"a.npz", "a.safetensors"}) {
    write_tensors(folder / name, named, {.compress = false});
    write_model(folder / "same", file_format_of(name), TensorPlaces(file_format_of(name), wanted),
                tensors);
    RC_ASSERT(read_bytes(folder / "same") == read_bytes(folder / name));
  }
}

TEST(ModelFile, RefusesWhatNoModelIs) {
  const TemporaryFolder folder;
  const PlacedTensor one{"a", Dtype::kFp32, {2}}, two{"b", Dtype::kFp16, {3}, 6};
  EXPECT_THAT(error_of([&] {
                TensorPlaces(FileFormat::kNpz, {one, one});
              }),
              HasSubstr("the name 'a' appears twice"));
  EXPECT_THAT(error_of([&] {
                TensorPlaces(FileFormat::kNpz, {{"", Dtype::kInt8, {1}}});
              }),
              HasSubstr("a name of 0 bytes"));
  EXPECT_THAT(error_of([&] { TensorPlaces(FileFormat::kNpy, {one}); }),
              HasSubstr("holds one tensor, not those of a model"));
  EXPECT_THAT(error_of([&] {
                TensorPlaces(FileFormat::kSafetensors, {{"__metadata__", Dtype::kInt8, {1}}});
              }),
              HasSubstr("reserved by the format"));
  EXPECT_THAT(error_of([&] {
                TensorPlaces(FileFormat::kSafetensors, {{"\xff", Dtype::kInt8, {}}});
              }),
              HasSubstr("must be UTF-8"));
  EXPECT_THAT(error_of([&] {
                TensorPlaces(FileFormat::kRaw, {{"a", Dtype::kInt8, {-1}}});
              }),
              HasSubstr("negative extent"));
  write_bytes(folder / "m.data", bytes_of("12345678901"));
  EXPECT_THAT(error_of([&] { ModelFile(folder / "m.data"); }), HasSubstr("holds bytes only"));
  EXPECT_THAT(error_of([&] {
                ModelFile(folder / "m.data", {{one, two}});
              }),
              HasSubstr("tensor 'b': it has the bytes 6 to 12, the file 11"));
  EXPECT_THAT(error_of([&] {
                ModelFile(folder / "m.data", {{one, one}});
              }),
              HasSubstr("the name 'a' appears twice"));
  const ModelFile model(folder / "m.data", {{one}});
  EXPECT_EQ(model.read(0).data, bytes_of("12345678"));
  EXPECT_EQ(model.read(0, Dtype::kInt32).dtype, Dtype::kInt32);
  EXPECT_THAT(error_of([&] { model.read(0, Dtype::kFp16); }), HasSubstr("cannot be read as fp16"));
}

TEST(Sha256, GivesTheSumsOfTheStandard) {
  EXPECT_EQ(sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(bytes_of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::vector<std::byte>(1'000'000, std::byte{'a'})),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace tensorlane
