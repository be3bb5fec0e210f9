// A reader of the protobuf wire format for tests of traces, independent of the writer.
#ifndef TENSORLANE_OBSERVE_TIME_PROTOBUF_TEST_SUPPORT_H_
#define TENSORLANE_OBSERVE_TIME_PROTOBUF_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tensorlane::protobuf {

// A field of one message: a number in 1 to 10 bytes or in 8, or bytes (text, or a message again).
struct Field {
  int number = 0;
  unsigned long long value = 0;
  std::string bytes = {};
};

// The fields of a message in their order. A kind of field that traces do not have fails the test.
inline std::vector<Field> parse(std::string_view text) {
  std::vector<Field> fields;
  std::size_t at = 0;
  const auto varint = [&] {
    unsigned long long value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(text.at(at++));
      value |= static_cast<unsigned long long>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < text.size()) {
    const unsigned long long key = varint();
    Field field{static_cast<int>(key >> 3)};
    switch (key & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        for (int k = 0; k < 8; ++k) {
          field.value |= static_cast<unsigned long long>(static_cast<unsigned char>(text.at(at++)))
                         << (8 * k);
        }
        break;
      case 2: {
        const auto length = static_cast<std::size_t>(varint());
        field.bytes = text.substr(at, length);
        EXPECT_EQ(field.bytes.size(), length);
        at += length;
        break;
      }
      default:
        ADD_FAILURE() << "wire type " << (key & 7);
        return fields;
    }
    fields.push_back(field);
  }
  return fields;
}

// The first field of that number; null where there is none.
inline const Field* find(const std::vector<Field>& fields, int number) {
  for (const Field& field : fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

}  // namespace tensorlane::protobuf

#endif  // TENSORLANE_OBSERVE_TIME_PROTOBUF_TEST_SUPPORT_H_
