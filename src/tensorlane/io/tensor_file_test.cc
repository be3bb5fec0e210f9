#include "tensorlane/io/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tensorlane/io/file.h"
#include "tensorlane/io/io_test_support.h"
#include "tensorlane/io/npz.h"

namespace tensorlane {
namespace {

using testing::HasSubstr;

const Tensor kTensor{Dtype::kFp16, {2, 2}, bytes_of("abcdefgh")};

RC_GTEST_PROP(TensorFile, EveryFormatRoundTripsEveryTensor, ()) {
  const TemporaryFolder folder;
  const Tensor tensor = random_tensor();
  for (const char* name : {"a.npy", "a.npz", "a.safetensors", "a.raw", "a.bin"}) {
    write_tensor(folder / name, tensor, {}, {.compress = *rc::gen::arbitrary<bool>()});
    const ReadOptions options{.dtype = tensor.dtype, .shape = tensor.shape};
    RC_ASSERT(read_tensor(folder / name, options) == tensor);
    const std::vector<TensorInfo> infos = list_tensors(folder / name, options);
    RC_ASSERT(infos.size() == 1U);
    RC_ASSERT(infos.front().shape == tensor.shape);
  }
}

TEST(TensorFile, TheEndingTellsTheFormat) {
  EXPECT_EQ(file_format_of("x/y.npz"), FileFormat::kNpz);
  EXPECT_EQ(file_format_of("x.bin"), FileFormat::kRaw);
  EXPECT_THAT(error_of([] { file_format_of("a.txt"); }), HasSubstr("known are .npy, .npz"));
  EXPECT_EQ(parse_file_format("safetensors"), FileFormat::kSafetensors);
  EXPECT_THAT(error_of([] { parse_file_format("safetensor"); }),
              HasSubstr("did you mean 'safetensors'"));
  const TemporaryFolder folder;
  write_tensor(folder / "odd.name", kTensor, {}, {.format = FileFormat::kNpy});
  EXPECT_EQ(read_tensor(folder / "odd.name", {.format = FileFormat::kNpy}), kTensor);
}

TEST(TensorFile, RawFilesNeedDtypeAndShape) {
  const TemporaryFolder folder;
  write_tensor(folder / "a.raw", kTensor);
  EXPECT_EQ(read_bytes(folder / "a.raw"), kTensor.data);
  EXPECT_THAT(error_of([&] { read_tensor(folder / "a.raw"); }),
              HasSubstr("give its dtype and shape"));
  EXPECT_THAT(
      error_of([&] { read_tensor(folder / "a.raw", {.dtype = Dtype::kFp16, .shape = Shape{5}}); }),
      HasSubstr("takes 10 bytes, but the file has 8"));
  EXPECT_THAT(
      error_of([&] { read_tensor(folder / "a.raw", {.dtype = Dtype::kFp16, .shape = Shape{-1}}); }),
      HasSubstr("negative extent"));
}

TEST(TensorFile, OneOfSeveralTensorsIsChosenByName) {
  const TemporaryFolder folder;
  const std::vector<NamedTensor> tensors = {{"a", kTensor}, {"b", {Dtype::kInt8, {1}, {{}}}}};
  for (const char* name : {"a.npz", "a.safetensors"}) {
    write_tensors(folder / name, tensors);
    EXPECT_EQ(read_tensor(folder / name, {.name = "a"}), kTensor);
    EXPECT_THAT(error_of([&] { read_tensor(folder / name); }),
                HasSubstr("has 2 tensors: 'a', 'b'; say which one"));
  }
  EXPECT_THAT(error_of([&] { write_tensors(folder / "a.npy", tensors); }),
              HasSubstr("holds one tensor, not 2"));
  write_tensor(folder / "a.npy", kTensor);
  EXPECT_THAT(error_of([&] { read_tensor(folder / "a.npy", {.name = "a"}); }),
              HasSubstr("one tensor without a name"));
}

TEST(TensorFile, AShapeOfAsManyElementsIsTaken) {
  const TemporaryFolder folder;
  write_tensor(folder / "a.npy", kTensor);
  EXPECT_EQ(read_tensor(folder / "a.npy", {.shape = Shape{4, 1}}).shape, (Shape{4, 1}));
  EXPECT_THAT(error_of([&] { read_tensor(folder / "a.npy", {.shape = Shape{5}}); }),
              HasSubstr("shape 2x2 cannot be read as 5"));
}

TEST(AtomicFile, TheOldFileStaysUntilTheNewOneIsWhole) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", bytes_of("old"));
  {
    AtomicFile file(folder / "a");
    file.write("new and longer");
    EXPECT_EQ(read_bytes(folder / "a"), bytes_of("old"));
  }
  EXPECT_EQ(read_bytes(folder / "a"), bytes_of("old"));
  EXPECT_EQ(folder.file_count(), 1U);
  AtomicFile file(folder / "a");
  file.write("new");
  EXPECT_EQ(file.position(), 3U);
  file.commit();
  EXPECT_EQ(read_bytes(folder / "a"), bytes_of("new"));
  EXPECT_EQ(folder.file_count(), 1U);
  EXPECT_THAT(error_of([&] { file.write("more"); }), HasSubstr("complete already"));
}

TEST(AtomicFile, KeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  write_bytes(folder / "target", bytes_of("old"));
  ::chmod((folder / "target").c_str(), 0640);
  std::filesystem::create_symlink("target", folder / "link");
  AtomicFile file(folder / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(folder / "target"), bytes_of("new"));
  struct stat status {};
  ASSERT_EQ(::stat((folder / "target").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(AtomicFile, RefusesFoldersAndWritesDevices) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { AtomicFile{folder.path()}; }), HasSubstr("it is a directory"));
  EXPECT_THAT(error_of([&] { AtomicFile{folder / "no/such/file"}; }), HasSubstr("cannot write"));
  AtomicFile device("/dev/null");
  device.write("anything");
  device.commit();
  EXPECT_THAT(error_of([] { FileView{"/"}; }), HasSubstr("it is a directory"));
  EXPECT_THAT(error_of([] { FileView{"/dev/zero"}; }), HasSubstr("it is a device"));
}

// Bytes of this process that lie in files, in memory or not, by what the system says.
std::int64_t mapped_bytes() {
  std::ifstream status("/proc/self/status");
  std::int64_t kilobytes = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:") || line.starts_with("RssShmem:"))
      kilobytes += std::stoll(line.substr(line.find(':') + 1));
  }
  return kilobytes * 1024;
}

// Pages come with those around them, which must go as well: of 300 pieces 9 MB would stay else.
// What the system keeps together in its cache, some pages or 2 MB, may stay once.
TEST(FileView, WhatIsReadPieceByPieceTakesNoMemory) {
  constexpr std::size_t kPiece = 100000, kPieces = 300;
  const TemporaryFolder folder;
  std::ofstream out(folder / "long");
  for (std::size_t i = 0; i < kPiece * kPieces; i += 1000) out << std::string(1000, '\1');
  out.close();
  const FileView file(folder / "long");
  std::int64_t before = 0;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < kPieces; ++i) {
    const std::span<const std::byte> piece = file.bytes().subspan(i * kPiece, kPiece);
    for (const std::byte byte : piece) sum += static_cast<std::size_t>(byte);
    file.forget(piece);
    if (i == 4) before = mapped_bytes();  // the code of this test is there by now
  }
  EXPECT_EQ(sum, kPiece * kPieces);
  EXPECT_LT(mapped_bytes() - before, 4 << 20);
}

// NumPy as the peer: it reads all of ours, we read all of its own.
class NumpyPeer : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* python : {"python3", "/usr/bin/python3"}) {
      if (std::system(fmt::format("{} -c 'import numpy' 2>/dev/null", python).c_str()) == 0) {
        python_ = python;
        return;
      }
    }
    GTEST_SKIP() << "no python3 with numpy";
  }

  void run(std::string_view command) {
    const std::string line = fmt::format("{} {} {} {}", python_, fixture("numpy_peer.py").string(),
                                         command, folder_.path().string());
    ASSERT_EQ(std::system(line.c_str()), 0) << line;
  }

  TemporaryFolder folder_;
  std::string python_;
};

TEST_F(NumpyPeer, WeReadAllOfItsArrays) {
  run("write");
  std::ifstream index(folder_ / "index.txt");
  std::string file;
  std::string member;
  std::string dtype;
  std::string shape;
  int arrays = 0;
  while (index >> file >> member >> dtype >> shape) {
    const Tensor tensor = read_tensor(folder_ / file, {.name = member == "-" ? "" : member});
    ASSERT_EQ(dtype_name(tensor.dtype), dtype) << file << " " << member;
    ASSERT_EQ(shape_text(tensor.shape), shape) << file << " " << member;
    ASSERT_EQ(tensor.data, read_bytes(folder_ / fmt::format("{}.{}.expect", file, member)))
        << file << " " << member;
    ++arrays;
  }
  EXPECT_EQ(arrays, 3 * 88);
}

TEST_F(NumpyPeer, ItReadsAllOfOurs) {
  std::ofstream index(folder_ / "index.txt");
  std::vector<NamedTensor> tensors;
  for (const DtypeInfo& info : all_dtypes()) {
    const bool known_to_numpy = !info.name.starts_with("x") && !info.name.starts_with("bf") &&
                                !info.name.starts_with("fp8") && info.bits > 4;
    if (!known_to_numpy) continue;
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{0, 3}, Shape{2, 3, 4}}) {
      Tensor tensor{info.dtype, shape, {}};
      for (std::uint64_t i = 0; i < tensor_bytes(info.dtype, shape, "test"); ++i) {
        tensor.data.push_back(static_cast<std::byte>(i * 37 + 5));
      }
      tensors.push_back({fmt::format("t{}", tensors.size()), tensor});
    }
  }
  const auto note = [&](const std::string& file, const std::string& member, const Tensor& tensor) {
    index << file << ' ' << member << ' ' << dtype_name(tensor.dtype) << ' '
          << shape_text(tensor.shape) << '\n';
    write_bytes(folder_ / fmt::format("{}.{}.expect", file, member), tensor.data);
  };
  for (const NamedTensor& entry : tensors) {
    write_tensor(folder_ / (entry.name + ".npy"), entry.tensor);
    note(entry.name + ".npy", "-", entry.tensor);
  }
  write_tensors(folder_ / "packed.npz", tensors);
  write_tensors(folder_ / "stored.npz", tensors, {.compress = false});
  write_npz_file(folder_ / "zip64.npz", tensors, {.force_zip64 = true});
  for (const char* file : {"packed.npz", "stored.npz", "zip64.npz"}) {
    for (const NamedTensor& entry : tensors) note(file, entry.name, entry.tensor);
  }
  index.close();
  run("check");
}

}  // namespace
}  // namespace tensorlane
