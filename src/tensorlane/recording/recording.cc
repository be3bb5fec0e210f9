#include "tensorlane/recording/recording.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"
#include "tensorlane/base/system_text.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/json/json.h"
#include "tensorlane/recording/recorded_args.h"

namespace tensorlane {
namespace {

const Op* find(const Chip& chip, const std::string& name) {
  const OpList& ops = front_end_of(chip).ops();
  const std::string_view prefix = chip.api.prefix;
  if (const Op* op = ops.find(std::string(prefix) + name)) return op;
  std::vector<std::string_view> names;
  for (const Op* op : ops.all()) names.push_back(op->name().substr(prefix.size()));
  user_error("unknown function '{}' of the {}{}", name, chip.name, did_you_mean(name, names));
}

}  // namespace

RecordingReader::RecordingReader(const std::string& path, const Chip* chip)
    : path_(path),
      file_(gzopen(path.c_str(), "rb")),
      chip_(chip != nullptr ? chip : &all_front_ends().front()->chip) {
  if (file_ == nullptr) user_error("{}: cannot be opened: {}", path, error_number_text(errno));
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
    const ArgDecoder decoder{front_end_of(*chip_)};
    for (const Param& param : call.op->params()) {
      const Json* const value = object.find(param.name);
      if (value == nullptr)
        user_error("parameter '{}' of {} is missing", param.name, call.op->name());
      call.args.push_back(decoder.decode(arg_type(param.type), *value));
    }
    return call;
  } catch (const UserError& error) {
    user_error("{}:{}: {}", path_, line_number_, error.what());
  }
}

}  // namespace tensorlane
