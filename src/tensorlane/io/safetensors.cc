#include "tensorlane/io/safetensors.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/file.h"
#include "tensorlane/io/safetensors_internal.h"
#include "tensorlane/io/stored_type_internal.h"

namespace tensorlane {

using io_internal::StoredType;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kMetadata = "__metadata__";
// Limit of the format's own implementation.
constexpr std::uint64_t kMaxHeader = 100'000'000;

struct TypeName {
  std::string_view name;
  StoredType::Kind kind;
  int bytes;
  std::optional<Dtype> dtype;
};
constexpr std::array<TypeName, 15> kTypes = {{
    {"F32", StoredType::Kind::kFloat, 4, Dtype::kFp32},
    {"F16", StoredType::Kind::kFloat, 2, Dtype::kFp16},
    {"BF16", StoredType::Kind::kFloat, 2, Dtype::kBf16},
    {"F8_E4M3", StoredType::Kind::kFloat, 1, Dtype::kFp8E4M3},
    {"F8_E5M2", StoredType::Kind::kFloat, 1, Dtype::kFp8E5M2},
    {"I32", StoredType::Kind::kSigned, 4, Dtype::kInt32},
    {"U32", StoredType::Kind::kUnsigned, 4, Dtype::kUint32},
    {"I16", StoredType::Kind::kSigned, 2, Dtype::kInt16},
    {"U16", StoredType::Kind::kUnsigned, 2, Dtype::kUint16},
    {"I8", StoredType::Kind::kSigned, 1, Dtype::kInt8},
    {"U8", StoredType::Kind::kUnsigned, 1, Dtype::kUint8},
    {"F64", StoredType::Kind::kFloat, 8, std::nullopt},
    {"I64", StoredType::Kind::kSigned, 8, std::nullopt},
    {"U64", StoredType::Kind::kUnsigned, 8, std::nullopt},
    {"BOOL", StoredType::Kind::kOther, 1, std::nullopt},
}};

std::string_view type_name_of(Dtype dtype) {
  const auto* type = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const TypeName& t) { return t.dtype == dtype; });
  if (type != kTypes.end()) return type->name;
  // The format has no name for it: its bits as a whole number.
  if (dtype == Dtype::kInt4) return "I8";
  return dtype_bits(dtype) == 32 ? "U32" : dtype_bits(dtype) == 16 ? "U16" : "U8";
}

// nlohmann's texts begin with "[json.exception.parse_error.101] ".
std::string reason(const Json::exception& error) {
  const std::string text = error.what();
  const std::size_t end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

}  // namespace

struct SafetensorsFile::State {
  std::optional<FileView> file;
  std::string where;
  std::span<const std::byte> elements;  // what follows the header
  std::vector<TensorInfo> infos;
  std::vector<StoredType> types;
  std::vector<std::uint64_t> offsets;
  std::map<std::string, std::string> metadata;

  template <class... Args>
  [[noreturn]] void damaged(fmt::format_string<Args...> format, Args&&... args) const {
    user_error("{}: bad safetensors file: {}", where,
               io_internal::printable(tr(format, std::forward<Args>(args)...)));
  }
  std::string tensor_place(std::string_view name) const {
    return fmt::format("{}, tensor '{}'", where, io_internal::printable(name));
  }
  void parse(std::span<const std::byte> bytes);
  Json parse_json(std::string_view text) const;
  void add_metadata(const Json& values);
  void add_tensor(const std::string& name, const Json& entry);
  Shape parse_shape(const std::string& name, const Json& values) const;
  void check_coverage() const;
};

void SafetensorsFile::State::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < 8) damaged("{} bytes are too few", bytes.size());
  const std::uint64_t size = io_internal::load_le(bytes, 0, 8);
  if (size > bytes.size() - 8) {
    damaged("cut short: a header of {} bytes in a file of {}", size, bytes.size());
  }
  if (size > kMaxHeader) damaged("a header of {} bytes; at most {} are allowed", size, kMaxHeader);
  const auto header_size = static_cast<std::size_t>(size);
  elements = bytes.subspan(8 + header_size);
  const Json header = parse_json(io_internal::as_text(bytes.subspan(8, header_size)));
  if (!header.is_object()) damaged("the header is no JSON object");
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadata) {
      add_metadata(entry);
    } else {
      add_tensor(name, entry);
    }
  }
  check_coverage();
}

// Objects with a key twice, and anything deeper than a tensor's lists, end the parsing at once.
Json SafetensorsFile::State::parse_json(std::string_view text) const {
  std::array<std::set<std::string>, 3> keys;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    // The depth is the number of open lists and objects before a new one, and with it for a key.
    const bool starts =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (starts && depth > 2) damaged("the header is nested too deeply");
    if (event == Json::parse_event_t::object_start) {
      keys[static_cast<std::size_t>(depth)].clear();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys[static_cast<std::size_t>(depth) - 1].insert(key).second) {
        damaged("the name '{}' appears twice", key);
      }
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), check);
  } catch (const Json::exception& error) {
    damaged("the header is no JSON: {}", reason(error));
  }
}

void SafetensorsFile::State::add_metadata(const Json& values) {
  if (!values.is_object()) damaged("{} is no JSON object", kMetadata);
  for (const auto& [key, value] : values.items()) {
    if (!value.is_string()) damaged("{} '{}' is no string", kMetadata, key);
    metadata[key] = value.get<std::string>();
  }
}

Shape SafetensorsFile::State::parse_shape(const std::string& name, const Json& values) const {
  if (!values.is_array()) damaged("tensor '{}': shape is no list", name);
  Shape shape;
  if (values.size() > kMaxRank) damaged("tensor '{}' has more than {} dimensions", name, kMaxRank);
  for (const Json& value : values) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMax) {
      damaged("tensor '{}': extent {} is not within 0 to 2^63-1", name, value.dump());
    }
    shape.push_back(value.get<std::int64_t>());
  }
  return shape;
}

void SafetensorsFile::State::add_tensor(const std::string& name, const Json& entry) {
  if (!entry.is_object()) damaged("tensor '{}' is no JSON object", name);
  for (const char* key : {"dtype", "shape", "data_offsets"}) {
    if (!entry.contains(key)) damaged("tensor '{}' has no {}", name, key);
  }
  if (entry.size() != 3)
    damaged("tensor '{}' has keys besides dtype, shape and data_offsets", name);
  const Json& dtype = entry["dtype"];
  if (!dtype.is_string()) damaged("tensor '{}': dtype is no string", name);
  const auto* type = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& candidate) {
    return candidate.name == dtype.get_ref<const std::string&>();
  });
  if (type == kTypes.end()) {
    damaged("tensor '{}' has the unknown dtype {}", name, dtype.dump());
  }
  const Json& range = entry["data_offsets"];
  if (!range.is_array() || range.size() != 2 || !range[0].is_number_unsigned() ||
      !range[1].is_number_unsigned()) {
    damaged("tensor '{}': data_offsets are not two offsets", name);
  }
  const auto begin = range[0].get<std::uint64_t>();
  const auto end = range[1].get<std::uint64_t>();
  if (begin > end || end > elements.size()) {
    damaged("tensor '{}': data_offsets {} to {} lie outside of the {} bytes of elements", name,
            begin, end, elements.size());
  }
  Shape shape = parse_shape(name, entry["shape"]);
  const auto count = static_cast<std::uint64_t>(element_count(shape, tensor_place(name)));
  const std::uint64_t bytes = count * static_cast<std::uint64_t>(type->bytes);
  if (bytes != end - begin) {
    damaged("tensor '{}': {} of shape {} takes {} bytes, but data_offsets give {}", name,
            type->name, shape_text(shape), bytes, end - begin);
  }
  types.push_back({type->kind, type->bytes, false, std::string(type->name), type->dtype});
  infos.push_back({name, std::string(type->name), type->dtype, std::move(shape), bytes,
                   types.back().narrowed()});
  offsets.push_back(begin);
}

void SafetensorsFile::State::check_coverage() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    ranges.emplace_back(offsets[i], offsets[i] + infos[i].bytes);
  }
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t covered = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin < covered) damaged("tensors overlap at offset {}", begin);
    if (begin > covered) damaged("bytes {} to {} belong to no tensor", covered, begin);
    covered = end;
  }
  if (covered != elements.size()) {
    damaged("bytes {} to {} belong to no tensor", covered, elements.size());
  }
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : state_(std::make_unique<State>()) {
  state_->file.emplace(path);
  state_->where = fmt::format("'{}'", path.string());
  state_->parse(state_->file->bytes());
}

SafetensorsFile::SafetensorsFile(std::span<const std::byte> bytes, std::string_view where)
    : state_(std::make_unique<State>()) {
  state_->where = where;
  state_->parse(bytes);
}

SafetensorsFile::~SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;

const std::vector<TensorInfo>& SafetensorsFile::tensors() const {
  return state_->infos;
}

const std::map<std::string, std::string>& SafetensorsFile::metadata() const {
  return state_->metadata;
}

Tensor SafetensorsFile::read(std::string_view name, std::optional<Dtype> dtype) const {
  const std::size_t index = find_tensor(state_->infos, name, state_->where);
  const TensorInfo& info = state_->infos[index];
  const StoredType& type = state_->types[index];
  const std::string place = state_->tensor_place(name);
  const Dtype resolved = io_internal::resolve_dtype(type, dtype, place);
  const auto bytes = state_->elements.subspan(static_cast<std::size_t>(state_->offsets[index]),
                                              static_cast<std::size_t>(info.bytes));
  std::vector<std::byte> elements(bytes.begin(), bytes.end());
  if (state_->file) state_->file->forget(bytes);
  return io_internal::make_tensor(type, resolved, info.shape, std::move(elements), place);
}

std::string io_internal::place_safetensors(std::vector<PlacedTensor*>& tensors,
                                           const std::map<std::string, std::string>& metadata) {
  std::set<std::string_view> names;
  for (const PlacedTensor* tensor : tensors) {
    if (tensor->name == kMetadata) user_error("the name '{}' is reserved by the format", kMetadata);
    if (!names.insert(tensor->name).second)
      user_error("the name '{}' appears twice", io_internal::printable(tensor->name));
  }
  std::ranges::stable_sort(tensors, [](const PlacedTensor* a, const PlacedTensor* b) {
    return dtype_bits(a->dtype) > dtype_bits(b->dtype);
  });
  Json header = Json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  std::uint64_t offset = 0;
  for (PlacedTensor* tensor : tensors) {
    tensor->offset = offset;
    offset += tensor->bytes;
    header[tensor->name] = {{"dtype", type_name_of(tensor->dtype)},
                            {"shape", tensor->shape},
                            {"data_offsets", {tensor->offset, offset}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception& error) {
    user_error("names and metadata must be UTF-8: {}", reason(error));
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  std::vector<std::byte> length;
  io_internal::append_le(length, text.size(), 8);
  return std::string(io_internal::as_text(length)) + text;
}

void write_safetensors_file(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                            const std::map<std::string, std::string>& metadata) {
  std::vector<PlacedTensor> places;
  for (const NamedTensor& entry : tensors) {
    check_tensor(entry.tensor, tr("tensor '{}'", entry.name));
    const bool is_nibbles = dtype_bits(entry.tensor.dtype) == 4;
    places.push_back(
        {entry.name, entry.tensor.dtype, entry.tensor.shape, 0,
         is_nibbles ? static_cast<std::uint64_t>(element_count(entry.tensor.shape, entry.name))
                    : entry.tensor.data.size()});
  }
  std::vector<PlacedTensor*> order;
  for (PlacedTensor& place : places) order.push_back(&place);
  std::string header;
  try {
    header = io_internal::place_safetensors(order, metadata);
  } catch (const UserError& error) {
    throw UserError(fmt::format("'{}': {}", path.string(), error.what()));
  }
  AtomicFile file(path);
  file.write(std::string_view(header));
  for (const PlacedTensor* place : order) {
    std::vector<std::byte> buffer;
    const auto index = static_cast<std::size_t>(place - places.data());
    file.write(io_internal::stored_elements(tensors[index].tensor, buffer));
  }
  file.commit();
}

}  // namespace tensorlane
