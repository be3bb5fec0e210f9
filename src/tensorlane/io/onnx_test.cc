#include "tensorlane/io/onnx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "tensorlane/io/io_test_support.h"

namespace tensorlane {
namespace {

using testing::HasSubstr;

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string number(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
std::string part(int field, const std::string& content) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(content.size()) + content;
}

// A tensor's head: dims one by one or packed, type, name.
std::string head(const std::string& name, int type, const Shape& shape, bool packed = false) {
  std::string dims, all;
  for (const std::int64_t extent : shape) {
    dims += number(1, static_cast<std::uint64_t>(extent));
    all += varint(static_cast<std::uint64_t>(extent));
  }
  return (packed ? part(1, all) : dims) + number(2, static_cast<std::uint64_t>(type)) +
         part(8, name);
}
// With what else a model has: versions, a node, inputs.
std::string model(const std::vector<std::string>& tensors) {
  std::string graph = part(1, part(1, "x") + part(4, "Conv")) + part(2, "graph");
  for (const std::string& tensor : tensors) graph += part(5, tensor);
  graph += part(11, part(1, "x"));
  return number(1, 8) + part(2, "made") + part(7, graph) + part(8, number(2, 17));
}

class Model {
 public:
  explicit Model(const std::string& text) { write_bytes(folder_ / "m.onnx", bytes_of(text)); }
  OnnxFile open() const { return OnnxFile(folder_ / "m.onnx"); }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

TEST(Onnx, ReadsEveryWayOfStoringValues) {
  const float floats[] = {1.5F, -2.0F, 3.25F};
  const std::string raw(reinterpret_cast<const char*>(floats), sizeof floats);
  std::string single;
  for (const float value : floats) {
    single += varint(4 << 3 | 5) + std::string(reinterpret_cast<const char*>(&value), 4);
  }
  const std::string minus_one = varint(~std::uint64_t{0});
  const Model file(model({
      head("raw", 1, {3}) + part(9, raw),
      head("packed", 1, {3, 1}, true) + part(4, raw),
      head("single", 1, {3}) + single,
      head("bytes", 3, {2}) + part(5, minus_one + varint(7)),
      head("half", 10, {}) + number(5, 0x3c00),
      head("long", 7, {2}) + part(7, varint(9) + minus_one),
      head("unsigned", 12, {1}) + part(11, varint(0xffffffffU)),
      head("empty", 16, {0, 4}) + part(9, ""),
      head("flags", 9, {2}) + part(5, varint(1) + varint(0)),
      head("outside", 6, {1}) + part(13, part(1, "location") + part(2, "w.bin")) +
          part(13, part(1, "offset") + part(2, "4")) + number(14, 1),
  }));
  write_bytes(file.folder() / "w.bin", bytes_of(std::string("....\x2a\0\0\0.", 9)));
  const OnnxFile onnx = file.open();
  ASSERT_EQ(onnx.tensors().size(), 10U);
  EXPECT_EQ(onnx.tensors()[1].shape, (Shape{3, 1}));
  EXPECT_EQ(onnx.tensors()[5].narrowed, Dtype::kInt32);
  for (const char* name : {"raw", "packed", "single"}) {
    EXPECT_EQ(onnx.read(name).data, bytes_of(raw)) << name;
  }
  EXPECT_EQ(onnx.read("bytes").data, bytes_of("\xff\x07"));
  EXPECT_EQ(onnx.read("half"), (Tensor{Dtype::kFp16, {}, bytes_of(std::string("\0\x3c", 2))}));
  EXPECT_EQ(onnx.read("long", Dtype::kInt32).data,
            bytes_of(std::string("\x09\0\0\0\xff\xff\xff\xff", 8)));
  EXPECT_EQ(onnx.read("unsigned").data, bytes_of("\xff\xff\xff\xff"));
  EXPECT_EQ(onnx.read("empty"), (Tensor{Dtype::kBf16, {0, 4}, {}}));
  EXPECT_EQ(onnx.read("outside").data, bytes_of(std::string("\x2a\0\0\0", 4)));
  EXPECT_THAT(error_of([&] { onnx.read("long"); }), HasSubstr("read them as int32"));
  EXPECT_THAT(error_of([&] { onnx.read("flags"); }), HasSubstr("'data_type 9'"));
  EXPECT_THAT(error_of([&] { onnx.read("rew"); }), HasSubstr("did you mean 'raw'"));
}

TEST(Onnx, RefusesWhatDoesNotFit) {
  const auto refusal = [](const std::string& text) {
    const Model file(text);
    return error_of([&] {
      const OnnxFile onnx = file.open();
      for (const TensorInfo& info : onnx.tensors()) onnx.read(info.name);
    });
  };
  EXPECT_THAT(refusal(""), HasSubstr("no ONNX model: it has no graph"));
  EXPECT_THAT(refusal("hello, world"), HasSubstr("no ONNX model"));
  EXPECT_THAT(refusal(std::string(20, '\xff')), HasSubstr("a number without an end"));
  EXPECT_THAT(refusal(model({head("a", 1, {3}) + part(9, "1234")})),
              HasSubstr("FLOAT of shape 3 takes 12 bytes, but there are 4"));
  EXPECT_THAT(refusal(model({head("a", 3, {3}) + part(5, varint(1))})),
              HasSubstr("its shape 3 has 3 elements, its values are 1"));
  EXPECT_THAT(refusal(model({head("a", 3, {3}) + part(7, "123")})), HasSubstr("its values are 0"));
  EXPECT_THAT(refusal(model({head("a", 3, {-1})})), HasSubstr("negative extent"));
  for (const char* location : {"/etc/passwd", "../w.bin", ""}) {
    EXPECT_THAT(refusal(model({head("a", 3, {1}) + number(14, 1) +
                               part(13, part(1, "location") + part(2, location))})),
                HasSubstr("its data cannot be found"));
  }
  EXPECT_THAT(refusal(model({head("a", 3, {1}) + number(14, 1) +
                             part(13, part(1, "location") + part(2, "none.bin"))})),
              HasSubstr("none.bin"));
}

// Whatever is cut off or changed, the answer is a tensor or a UserError.
RC_GTEST_PROP(Onnx, SurvivesDamage, ()) {
  std::string text = model({head("a", 1, {2, 1}, true) + part(4, "12345678"),
                            head("b", 7, {2}) + part(7, varint(1) + varint(300))});
  text.resize(*rc::gen::inRange<std::size_t>(0, text.size() + 1));
  for (int k = *rc::gen::inRange(0, 4); k > 0 && !text.empty(); --k)
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  const Model file(text);
  try {
    const OnnxFile onnx = file.open();
    for (const TensorInfo& info : onnx.tensors()) onnx.read(info.name, info.narrowed);
  } catch (const UserError&) {
  }
}

}  // namespace
}  // namespace tensorlane
