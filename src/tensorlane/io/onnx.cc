#include "tensorlane/io/onnx.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/file.h"
#include "tensorlane/io/stored_type_internal.h"

namespace tensorlane {

using io_internal::StoredType;

namespace io_internal {

struct OnnxType {
  int code;
  std::string_view name;
  StoredType::Kind kind;
  int bytes;
  std::optional<Dtype> dtype;
  std::uint32_t values;  // the field of the values where they are no raw data
};
// A tensor as the model has it; spans lie in the file.
struct Initialiser {
  StoredType type;
  const OnnxType* known = nullptr;
  std::string name;
  Shape shape;
  std::optional<std::span<const std::byte>> raw;
  struct Values {
    std::uint32_t field;
    bool packed;  // else one number
    std::uint64_t number;
    std::span<const std::byte> content;
  };
  std::vector<Values> values;
  std::string location, offset = "0", length;
  bool external = false;
};

}  // namespace io_internal

namespace {

using io_internal::Initialiser;
using io_internal::OnnxType;
using Bytes = std::span<const std::byte>;

constexpr std::array<OnnxType, 14> kOnnxTypes = {{
    {1, "FLOAT", StoredType::Kind::kFloat, 4, Dtype::kFp32, 4},
    {2, "UINT8", StoredType::Kind::kUnsigned, 1, Dtype::kUint8, 5},
    {3, "INT8", StoredType::Kind::kSigned, 1, Dtype::kInt8, 5},
    {4, "UINT16", StoredType::Kind::kUnsigned, 2, Dtype::kUint16, 5},
    {5, "INT16", StoredType::Kind::kSigned, 2, Dtype::kInt16, 5},
    {6, "INT32", StoredType::Kind::kSigned, 4, Dtype::kInt32, 5},
    {7, "INT64", StoredType::Kind::kSigned, 8, std::nullopt, 7},
    {10, "FLOAT16", StoredType::Kind::kFloat, 2, Dtype::kFp16, 5},
    {11, "DOUBLE", StoredType::Kind::kFloat, 8, std::nullopt, 10},
    {12, "UINT32", StoredType::Kind::kUnsigned, 4, Dtype::kUint32, 11},
    {13, "UINT64", StoredType::Kind::kUnsigned, 8, std::nullopt, 11},
    {16, "BFLOAT16", StoredType::Kind::kFloat, 2, Dtype::kBf16, 5},
    {17, "FLOAT8E4M3FN", StoredType::Kind::kFloat, 1, Dtype::kFp8E4M3, 5},
    {19, "FLOAT8E5M2", StoredType::Kind::kFloat, 1, Dtype::kFp8E5M2, 5},
}};

std::string_view as_text_view(Bytes bytes) {
  return io_internal::as_text(bytes);
}

// The fields of a message, one after the other.
class Message {
 public:
  Message(Bytes bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  // False at the end. Then `field` has its number and `number` or `content` its value.
  bool next() {
    if (at_ == bytes_.size()) return false;
    const std::uint64_t key = varint();
    field = static_cast<std::uint32_t>(std::min<std::uint64_t>(key >> 3, 0xffffffff));
    kind = static_cast<int>(key & 7);
    content = {};
    number = 0;
    switch (kind) {
      case 0:
        number = varint();
        return true;
      case 1:
        content = take(8);
        return true;
      case 2:
        content = take(varint());
        return true;
      case 5:
        content = take(4);
        return true;
      default:
        user_error("{}: no ONNX model: a field of kind {} at byte {} of a message", where_, kind,
                   at_);
    }
  }
  bool done() const { return at_ == bytes_.size(); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(take(1)[0]);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    user_error("{}: no ONNX model: a number without an end at byte {} of a message", where_, at_);
  }

  std::uint32_t field = 0;
  int kind = 0;
  std::uint64_t number = 0;
  Bytes content;

 private:
  Bytes take(std::uint64_t count) {
    if (count > bytes_.size() - at_)
      user_error("{}: no ONNX model, or cut short: {} bytes wanted, {} left", where_, count,
                 bytes_.size() - at_);
    const Bytes taken = bytes_.subspan(at_, static_cast<std::size_t>(count));
    at_ += taken.size();
    return taken;
  }

  Bytes bytes_;
  std::string_view where_;
  std::size_t at_ = 0;
};

}  // namespace

struct OnnxFile::State {
  explicit State(const std::filesystem::path& path)
      : file(path), folder(path.parent_path()), where(fmt::format("'{}'", path.string())) {}

  FileView file;
  std::filesystem::path folder;
  std::string where;
  std::vector<Initialiser> initialisers;
  std::vector<TensorInfo> infos;

  std::string place_of(const Initialiser& tensor) const {
    return fmt::format("{}, tensor '{}'", where, io_internal::printable(tensor.name));
  }
  void read_model() {
    bool graph = false;
    for (Message model(file.bytes(), where); model.next();) {
      if (model.field != 7 || model.kind != 2) continue;
      graph = true;
      for (Message fields(model.content, where); fields.next();) {
        if (fields.field == 5 && fields.kind == 2) add(fields.content);
      }
    }
    if (!graph) user_error("{}: no ONNX model: it has no graph", where);
  }
  void add(Bytes message);
  void add_external(Initialiser& tensor, Bytes entry) const;
  std::vector<std::byte> listed_values(const Initialiser& tensor, std::size_t count) const;
  std::vector<std::byte> external_values(const Initialiser& tensor, std::uint64_t bytes) const;
};

void OnnxFile::State::add_external(Initialiser& tensor, Bytes entry) const {
  std::string key, value;
  for (Message fields(entry, where); fields.next();) {
    if (fields.field == 1) key = as_text_view(fields.content);
    if (fields.field == 2) value = as_text_view(fields.content);
  }
  if (key == "location") tensor.location = value;
  if (key == "offset") tensor.offset = value;
  if (key == "length") tensor.length = value;
}

void OnnxFile::State::add(Bytes message) {
  Initialiser tensor;
  int code = 0;
  const auto add_dim = [&](std::uint64_t value) {
    tensor.shape.push_back(static_cast<std::int64_t>(value));
  };
  for (Message fields(message, where); fields.next();) {
    switch (fields.field) {
      case 1:
        if (fields.kind == 0) add_dim(fields.number);
        for (Message packed(fields.content, where); fields.kind == 2 && !packed.done();)
          add_dim(packed.varint());
        break;
      case 2:
        code = static_cast<int>(fields.number);
        break;
      case 4:
      case 5:
      case 7:
      case 10:
      case 11:
        tensor.values.push_back({fields.field, fields.kind == 2, fields.number, fields.content});
        break;
      case 8:
        tensor.name = as_text_view(fields.content);
        break;
      case 9:
        tensor.raw = fields.content;
        break;
      case 13:
        add_external(tensor, fields.content);
        break;
      case 14:
        tensor.external = fields.number == 1;
        break;
      default:
        break;
    }
  }
  const auto* known =
      std::ranges::find_if(kOnnxTypes, [&](const OnnxType& type) { return type.code == code; });
  if (known != kOnnxTypes.end()) {
    tensor.known = known;
    tensor.type = {known->kind, known->bytes, false, std::string(known->name), known->dtype};
  } else {
    tensor.type.spelling = fmt::format("data_type {}", code);
  }
  const auto count = static_cast<std::uint64_t>(element_count(tensor.shape, place_of(tensor)));
  const std::uint64_t bytes = count * static_cast<std::uint64_t>(tensor.type.bytes);
  if (tensor.raw && tensor.known != nullptr && tensor.raw->size() != bytes) {
    user_error("{}: {} of shape {} takes {} bytes, but there are {}", place_of(tensor),
               tensor.type.spelling, shape_text(tensor.shape), bytes, tensor.raw->size());
  }
  infos.push_back({tensor.name, tensor.type.spelling, tensor.type.dtype, tensor.shape, bytes,
                   tensor.type.narrowed()});
  initialisers.push_back(std::move(tensor));
}

// Values in lists of numbers, of which narrow types take the low bits.
std::vector<std::byte> OnnxFile::State::listed_values(const Initialiser& tensor,
                                                      std::size_t count) const {
  const auto size = static_cast<std::size_t>(tensor.type.bytes);
  const bool fixed = tensor.known->values == 4 || tensor.known->values == 10;
  std::vector<std::byte> data;
  for (const Initialiser::Values& values : tensor.values) {
    if (values.field != tensor.known->values) continue;
    if (fixed) {
      data.insert(data.end(), values.content.begin(), values.content.end());
    } else if (values.packed) {
      for (Message packed(values.content, where); !packed.done();)
        io_internal::append_le(data, packed.varint(), tensor.type.bytes);
    } else {
      io_internal::append_le(data, values.number, tensor.type.bytes);
    }
  }
  if (data.size() != count * size) {
    user_error("{}: its shape {} has {} elements, its values are {}", place_of(tensor),
               shape_text(tensor.shape), count, data.size() / size);
  }
  return data;
}

std::vector<std::byte> OnnxFile::State::external_values(const Initialiser& tensor,
                                                        std::uint64_t bytes) const {
  const std::string place = place_of(tensor);
  const std::filesystem::path location = tensor.location;
  const bool beside = !location.empty() && location.is_relative() &&
                      std::ranges::find(location, "..") == location.end();
  std::uint64_t offset = 0;
  const char* const end = tensor.offset.data() + tensor.offset.size();
  const auto [stop, error] = std::from_chars(tensor.offset.data(), end, offset);
  if (!beside || error != std::errc() || stop != end) {
    user_error("{}: its data cannot be found: location '{}', offset '{}'", place,
               io_internal::printable(tensor.location), io_internal::printable(tensor.offset));
  }
  const FileView data(folder / location);
  if (offset > data.bytes().size() || bytes > data.bytes().size() - offset) {
    user_error("{}: its data are bytes {} to {} of '{}', which has {}", place, offset,
               offset + bytes, io_internal::printable(tensor.location), data.bytes().size());
  }
  const Bytes found =
      data.bytes().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
  return {found.begin(), found.end()};
}

OnnxFile::OnnxFile(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {
  state_->read_model();
}
OnnxFile::~OnnxFile() = default;
OnnxFile::OnnxFile(OnnxFile&&) noexcept = default;

const std::vector<TensorInfo>& OnnxFile::tensors() const {
  return state_->infos;
}

Tensor OnnxFile::read(std::string_view name, std::optional<Dtype> dtype) const {
  const std::size_t index = find_tensor(state_->infos, name, state_->where);
  const Initialiser& tensor = state_->initialisers[index];
  const TensorInfo& info = state_->infos[index];
  const std::string place = state_->place_of(tensor);
  const Dtype resolved = io_internal::resolve_dtype(tensor.type, dtype, place);
  std::vector<std::byte> data;
  if (tensor.external) {
    data = state_->external_values(tensor, info.bytes);
  } else if (tensor.raw) {
    data.assign(tensor.raw->begin(), tensor.raw->end());
    state_->file.forget(*tensor.raw);
  } else {
    data =
        state_->listed_values(tensor, static_cast<std::size_t>(element_count(info.shape, place)));
  }
  return io_internal::make_tensor(tensor.type, resolved, info.shape, std::move(data), place);
}

}  // namespace tensorlane
