#include "tensorlane/recording/recording.h"

#include <zlib.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"
#include "tensorlane/json/json.h"
#include "tensorlane/recording/recorded_api.h"

namespace tensorlane {
namespace {

const Op* find(const Chip& chip, const std::string& name) {
  const RecordedApi& api = recorded_api(chip);
  const std::string_view prefix = chip.api.prefix;
  if (const Op* op = api.find(std::string(prefix) + name)) return op;
  std::vector<std::string_view> names;
  for (const Op* op : api.all()) names.push_back(op->name().substr(prefix.size()));
  user_error("unknown function '{}' of the {}{}", name, chip.name, did_you_mean(name, names));
}

Arg decode_arg(const RecordedApi& api, const ArgType& type, const Json& value) {
  if (const auto own = api.decode(type.spelling, value)) return *own;
  Arg arg;
  if (value.is_null()) {
    if (type.kind == ArgKind::kPointer)
      user_error("a recording does not hold what a {} points to", type.spelling);
    arg.is_null = true;
    arg.has_value = type.spelling == "const dim2*" || type.spelling == "const Padding*" ||
                    type.spelling == "const padding_t*";
    arg.field.fill(type.null_default);
    return arg;
  }
  switch (type.kind) {
    case ArgKind::kStruct: {
      const int fields = list_fields(type);
      if (!value.is_array() || static_cast<int>(value.size()) != fields) {
        user_error("a list of {} numbers is expected, not {}", fields, value.dump());
      }
      for (int k = 0; k < fields; ++k)
        arg.field[static_cast<std::size_t>(k)] =
            recorded_integer(value[static_cast<std::size_t>(k)]);
      return arg;
    }
    case ArgKind::kFloat:
      arg.number = value.is_number() ? value.get<double>() : 0;
      arg.field[0] = std::bit_cast<std::uint32_t>(static_cast<float>(arg.number));
      return arg;
    case ArgKind::kValueOrAddress:
      // {"is_addr":1,"addr":4096} or {"is_addr":0,"val":bits}
      if (!value.is_object())
        user_error("an object with is_addr is expected, not {}", value.dump());
      arg.field[0] = recorded_integer(value.at("is_addr"));
      arg.field[arg.field[0] != 0 ? 1 : 2] =
          recorded_integer(value.at(arg.field[0] != 0 ? "addr" : "val"));
      return arg;
    default:
      arg.field[0] = recorded_integer(value);
      return arg;
  }
}

}  // namespace

std::int64_t recorded_integer(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_number()) user_error("a number is expected, not {}", value.dump());
  if (value.is_number_unsigned()) return static_cast<std::int64_t>(value.get<std::uint64_t>());
  if (!value.is_number_float()) return value.get<std::int64_t>();
  const double number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > 0x1p53)
    user_error("a whole number is expected, not {}", value.dump());
  return static_cast<std::int64_t>(number);
}

const RecordedApi& recorded_api(const Chip& chip) {
  return &chip == &bm1684x() ? tpukernel_api() : okkernel_api();
}

RecordingReader::RecordingReader(const std::string& path, const Chip* chip)
    : path_(path), file_(gzopen(path.c_str(), "rb")), chip_(chip != nullptr ? chip : &bm1684()) {
  if (file_ == nullptr) user_error("{}: cannot be opened: {}", path, std::strerror(errno));
  gzbuffer(static_cast<gzFile>(file_.get()), 1 << 17);
  std::string line;
  if (!read_line(line)) return;
  std::optional<Json> first = Json::try_parse(line);
  if (first && first->contains("header")) {
    header_ = *std::move(first);
    if (chip == nullptr && header_.contains("chip") && header_["chip"].is_string()) {
      try {
        chip_ = &find_chip(header_["chip"].get<std::string>());
      } catch (const UserError& error) {
        user_error("{}:1: {}", path_, error.what());
      }
    }
  } else {
    pending_ = std::move(line);
    --line_number_;
  }
}

void RecordingReader::Close::operator()(void* file) const {
  gzclose(static_cast<gzFile>(file));
}

bool RecordingReader::read_line(std::string& line) {
  line.clear();
  const auto file = static_cast<gzFile>(file_.get());
  for (int byte = gzgetc(file); byte != -1; byte = gzgetc(file)) {
    line += static_cast<char>(byte);
    if (byte == '\n') break;
    if (line.size() > (1u << 20))
      user_error("{}:{}: line longer than 1 MiB", path_, line_number_ + 1);
  }
  int code = Z_OK;
  const std::string_view problem = gzerror(file, &code);  // names the file in most cases
  if (code != Z_OK && code != Z_STREAM_END)
    user_error("{}{}", problem.starts_with(path_) ? "" : path_ + ": ", problem);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  if (line.empty() && gzeof(file) != 0) return false;
  ++line_number_;
  return true;
}

std::optional<RecordedCall> RecordingReader::next() {
  std::string line;
  for (;;) {
    if (pending_) {
      line = *std::exchange(pending_, std::nullopt);
      ++line_number_;
    } else if (!read_line(line)) {
      return std::nullopt;
    }
    if (line.empty()) continue;
    if (auto call = decode_line(line)) return call;
  }
}

std::optional<RecordedCall> RecordingReader::decode_line(const std::string& line) const {
  try {
    const Json object = Json::parse(line);
    const auto name = object.at("op").get<std::string>();
    if (name.starts_with("HOST")) return std::nullopt;  // the processor's own reads
    RecordedCall call{find(*chip_, name), {}};
    for (const Param& param : call.op->params()) {
      const Json* const value = object.find(param.name);
      if (value == nullptr)
        user_error("parameter '{}' of {} is missing", param.name, call.op->name());
      call.args.push_back(decode_arg(recorded_api(*chip_), arg_type(param.type), *value));
    }
    return call;
  } catch (const UserError& error) {
    user_error("{}:{}: {}", path_, line_number_, error.what());
  }
}

}  // namespace tensorlane
