#include "tensorlane/io/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <random>

#include "tensorlane/io/io_test_support.h"
#include "tensorlane/io/npy.h"
#include "tensorlane/io/zip_internal.h"

namespace tensorlane {
namespace {

using testing::HasSubstr;

std::vector<std::string> names_of(const NpzFile& file) {
  std::vector<std::string> names;
  for (const TensorInfo& info : file.tensors()) names.push_back(info.name);
  return names;
}

// An archive of the given members.
std::vector<std::byte> zip(const std::vector<std::pair<std::string, std::vector<std::byte>>>& files,
                           bool compress = false, bool zip64 = false) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a.zip");
  io_internal::ZipWriter writer(file, zip64);
  for (const auto& [name, content] : files) {
    const std::array<std::span<const std::byte>, 1> parts = {content};
    writer.add(name, parts, compress);
  }
  writer.finish();
  file.commit();
  return read_bytes(folder / "a.zip");
}

void set_le(std::vector<std::byte>& bytes, std::size_t offset, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) {
    bytes[offset + static_cast<std::size_t>(i)] = static_cast<std::byte>(value >> (8 * i));
  }
}

// Offset of the first directory entry in an archive without comment and zip64.
std::size_t directory_of(const std::vector<std::byte>& archive) {
  std::size_t offset = 0;
  for (int i = 3; i >= 0; --i) {
    offset = offset << 8 | std::to_integer<std::size_t>(
                               archive[archive.size() - 6 + static_cast<std::size_t>(i)]);
  }
  return offset;
}

std::string npz_error(const std::vector<std::byte>& archive) {
  return error_of([&] {
    const NpzFile file(archive);
    for (const TensorInfo& info : file.tensors()) file.read(info.name);
  });
}

const Tensor kFirst = read_npy_file(fixture("f4_2x3.npy"));

TEST(Npz, ReadsWhatNumpyWrote) {
  for (const char* name : {"stored.npz", "packed.npz"}) {
    const NpzFile file(fixture(name));
    EXPECT_THAT(names_of(file), testing::ElementsAre("first", "second"));
    EXPECT_EQ(file.tensors()[0].shape, (Shape{2, 3}));
    EXPECT_EQ(file.tensors()[0].dtype, Dtype::kFp32);
    EXPECT_EQ(file.read("first"), kFirst);
    EXPECT_EQ(file.read("second"), (Tensor{Dtype::kUint8, {3}, bytes_of("\x01\x02\x03")}));
    EXPECT_THAT(error_of([&] { file.read("frist"); }), HasSubstr("did you mean 'first'"));
  }
}

RC_GTEST_PROP(Npz, RoundTripsEverySetOfTensors, ()) {
  const TemporaryFolder folder;
  std::vector<NamedTensor> tensors;
  const auto count = *rc::gen::inRange<std::size_t>(0, 5);
  for (std::size_t i = 0; i < count; ++i) {
    tensors.push_back({fmt::format("layer{}/weight \xc3\xa9", i), random_tensor()});
  }
  const NpzOptions options{*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
  write_npz_file(folder / "a.npz", tensors, options);
  const NpzFile file(folder / "a.npz");
  RC_ASSERT(file.tensors().size() == count);
  for (std::size_t i = 0; i < count; ++i) {
    RC_ASSERT(file.tensors()[i].name == tensors[i].name);
    RC_ASSERT(file.read(tensors[i].name, tensors[i].tensor.dtype) == tensors[i].tensor);
  }
}

RC_GTEST_PROP(Npz, OneChangedByteIsHarmless, ()) {
  std::vector<std::byte> archive =
      zip({{"a.npy", npy_bytes(random_tensor())}, {"b.npy", npy_bytes(random_tensor())}},
          *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
  const auto at = *rc::gen::inRange<std::size_t>(0, archive.size());
  archive[at] = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  try {
    const NpzFile file(archive);
    for (const TensorInfo& info : file.tensors()) file.read(info.name);
  } catch (const UserError&) {
  }
}

RC_GTEST_PROP(Npz, CutShortIsAnError, ()) {
  std::vector<std::byte> archive = zip({{"a.npy", npy_bytes(random_tensor())}});
  archive.resize(*rc::gen::inRange<std::size_t>(0, archive.size()));
  RC_ASSERT_THROWS_AS(NpzFile{archive}, UserError);
}

// Large enough for many pieces of the unpacking, and compressible.
TEST(Npz, UnpacksLargeMembers) {
  const TemporaryFolder folder;
  Tensor tensor{Dtype::kUint8, {5'000'001}, std::vector<std::byte>(5'000'001)};
  for (std::size_t i = 0; i < tensor.data.size(); ++i) {
    tensor.data[i] = static_cast<std::byte>(i / 3000);
  }
  const NamedTensor named{"large", tensor};
  write_npz_file(folder / "a.npz", {&named, 1});
  EXPECT_LT(std::filesystem::file_size(folder / "a.npz"), 100'000U);
  EXPECT_EQ(NpzFile(folder / "a.npz").read("large"), tensor);
}

TEST(Npz, OtherMembersAndCommentsAreLeftAlone) {
  std::vector<std::byte> archive =
      zip({{"readme.txt", bytes_of("hello")}, {"a.npy", npy_bytes(kFirst)}});
  set_le(archive, archive.size() - 2, 4, 2);
  for (char c : {'n', 'o', 't', 'e'}) archive.push_back(static_cast<std::byte>(c));
  const NpzFile file(archive);
  EXPECT_THAT(names_of(file), testing::ElementsAre("a"));
  EXPECT_EQ(file.read("a"), kFirst);
}

TEST(Npz, SizesThatCannotBeAreNamed) {
  const std::vector<std::byte> good = zip({{"a.npy", npy_bytes(kFirst)}}, true);
  const std::size_t entry = directory_of(good);
  // The directory claims a terabyte for the few bytes of the member.
  std::vector<std::byte> bomb = good;
  set_le(bomb, entry + 24, 0xfffffff0, 4);
  EXPECT_THAT(npz_error(bomb), HasSubstr("claims 4294967280 bytes"));
  // Within what deflate could do, but not what the array's header says.
  std::vector<std::byte> larger = good;
  set_le(larger, entry + 24, 5000, 4);
  EXPECT_THAT(npz_error(larger), HasSubstr("unexpected bytes at the end"));
  std::vector<std::byte> beyond = good;
  set_le(beyond, entry + 20, 60000, 4);
  EXPECT_THAT(npz_error(beyond), HasSubstr("reaches beyond the archive"));
  std::vector<std::byte> stored = zip({{"a.npy", npy_bytes(kFirst)}});
  set_le(stored, directory_of(stored) + 24, 100, 4);
  EXPECT_THAT(npz_error(stored), HasSubstr("claims 100 bytes"));
}

// The directory and the array's header agree on a gigabyte, which so many packed bytes could hold
// if they were zeros; but they end after one megabyte.
TEST(Npz, AMemberThatEndsTooEarlyIsNamed) {
  std::vector<std::byte> member = bytes_of(std::string_view("\x93NUMPY\x01\x00\x46\x00", 10));
  const std::vector<std::byte> header =
      bytes_of("{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000,), }    ");
  ASSERT_EQ(header.size(), 0x46U);
  member.insert(member.end(), header.begin(), header.end());
  std::mt19937 random(1);
  for (int i = 0; i < 1'100'000; ++i) member.push_back(static_cast<std::byte>(random()));
  std::vector<std::byte> archive = zip({{"a.npy", member}}, true);
  EXPECT_THAT(npz_error(archive), HasSubstr("cut short"));
  set_le(archive, directory_of(archive) + 24, 1'000'000'080, 4);
  const NpzFile file(archive);
  EXPECT_EQ(file.tensors().front().bytes, 1'000'000'000U);
  EXPECT_THAT(error_of([&] { file.read("a"); }), HasSubstr("are not those of 1000000080 bytes"));
}

TEST(Npz, DamageIsNamed) {
  const std::vector<std::byte> good = zip({{"a.npy", npy_bytes(kFirst)}});
  const std::size_t entry = directory_of(good);
  const auto damaged = [&](std::size_t offset, std::uint64_t value, int size) {
    std::vector<std::byte> archive = good;
    set_le(archive, offset, value, size);
    return npz_error(archive);
  };
  EXPECT_THAT(damaged(entry - 1, 0x55, 1), HasSubstr("has crc"));
  EXPECT_THAT(damaged(entry + 8, 1, 2), HasSubstr("is encrypted"));
  EXPECT_THAT(damaged(entry + 10, 12, 2), HasSubstr("packed by method 12"));
  EXPECT_THAT(damaged(entry + 42, 7, 4), HasSubstr("not at offset 7"));
  EXPECT_THAT(damaged(entry + 42, 0xffffffff, 4), HasSubstr("lacks its 64-bit sizes"));
  EXPECT_THAT(damaged(30, 'b', 1), HasSubstr("another name in its header"));
  EXPECT_THAT(damaged(good.size() - 6, 1, 4), HasSubstr("damaged at offset 1"));
  EXPECT_THAT(damaged(good.size() - 6, 0xfffffff0, 4), HasSubstr("lies outside of the file"));
  EXPECT_THAT(damaged(good.size() - 12, 500, 2), HasSubstr("cannot have 500 members"));
  EXPECT_THAT(npz_error(bytes_of("hello")), HasSubstr("too few"));
  EXPECT_THAT(npz_error(std::vector<std::byte>(100)), HasSubstr("no end record"));
}

TEST(Npz, TwoMembersMayNeitherShareBytesNorNames) {
  std::vector<std::byte> archive =
      zip({{"a.npy", npy_bytes(kFirst)}, {"b.npy", npy_bytes(kFirst)}});
  const std::size_t second = directory_of(archive) + 46 + 5;
  std::vector<std::byte> same_name = archive;
  set_le(same_name, second + 46, 'a', 1);
  // Its local header must agree, which lies behind the first member.
  const std::size_t local = 30 + 5 + npy_bytes(kFirst).size();
  set_le(same_name, local + 30, 'a', 1);
  EXPECT_THAT(npz_error(same_name), HasSubstr("two members are called 'a.npy'"));
  // A first member whose packed bytes run over the second: the trick of the densest zip bombs.
  std::vector<std::byte> overlap = archive;
  const std::size_t first = directory_of(archive);
  set_le(overlap, first + 20, npy_bytes(kFirst).size() + 20, 4);
  set_le(overlap, first + 24, npy_bytes(kFirst).size() + 20, 4);
  EXPECT_THAT(npz_error(overlap), HasSubstr("share bytes"));
}

TEST(Npz, WritingRejectsBadNames) {
  const TemporaryFolder folder;
  const std::vector<NamedTensor> twice = {{"a", kFirst}, {"a", kFirst}};
  EXPECT_THAT(error_of([&] { write_npz_file(folder / "a.npz", twice); }), HasSubstr("two members"));
  const NamedTensor nameless{"", kFirst};
  EXPECT_THAT(error_of([&] {
                write_npz_file(folder / "a.npz", {&nameless, 1});
              }),
              HasSubstr("without a name"));
  EXPECT_EQ(folder.file_count(), 0U);
}

}  // namespace
}  // namespace tensorlane
