#include "tensorlane/recording/recording.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
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

std::int64_t whole_number(const Json& object, std::string_view name, int least, int most) {
  const Json& value = object.at(name);
  const double number = value.is_number() ? value.get<double>() : least - 1;
  if (number != std::floor(number) || number < least || number > most)
    user_error("'{}' is {}; it is a whole number from {} to {}", name, value.dump(), least, most);
  return static_cast<std::int64_t>(number);
}

MessageEvent message_of(const Json& object, int cores) {
  using Kind = MessageEvent::Kind;
  if (cores == 1) user_error("a message; the chip has one core and no messages");
  constexpr std::string_view kKinds[] = {"send", "wait", "join"};
  const std::string kind = object.at("message").get<std::string>();
  const auto found = std::ranges::find(kKinds, kind);
  if (found == std::end(kKinds))
    user_error("'message' is \"{}\"{}", kind, did_you_mean(kind, kKinds));
  MessageEvent event;
  event.kind = static_cast<Kind>(found - std::begin(kKinds));
  if (event.kind == Kind::kJoin) return event;
  constexpr Engine kEngines[] = {Engine::kGdma, Engine::kBdc, Engine::kHau, Engine::kSdma};
  std::vector<std::string_view> names;
  for (const Engine engine : kEngines) names.push_back(engine_name(engine));
  const std::string engine = object.at("engine").get<std::string>();
  const auto at = std::ranges::find(names, engine);
  if (at == names.end()) user_error("'engine' is \"{}\"{}", engine, did_you_mean(engine, names));
  event.engine = kEngines[at - names.begin()];
  event.slot = static_cast<int>(whole_number(object, "slot", 0, kMessageSlots - 1));
  event.count = static_cast<int>(whole_number(object, "count", 0, kMostMessages));
  return event;
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
    cores_ = cores_of_header();
  } else {
    pending_ = std::move(line);
    --line_number_;
  }
}

int RecordingReader::cores_of_header() const {
  const Json* const given = header_.find("cores");
  if (given == nullptr) return 1;
  const double cores = given->is_number() ? given->get<double>() : 0;
  if (cores != std::floor(cores) || cores < 1 || cores > chip_->cores)
    user_error("{}:1: 'cores' is {}; the {} has 1 to {}", path_, given->dump(), chip_->name,
               chip_->cores);
  return static_cast<int>(cores);
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
    if (object.contains("core"))
      return RecordedCall{.core = static_cast<int>(whole_number(object, "core", 0, cores_ - 1))};
    if (object.contains("message"))
      return RecordedCall{.message = message_of(object, chip_->cores)};
    const auto name = object.at("op").get<std::string>();
    if (name.starts_with("HOST")) return std::nullopt;  // the processor's own reads
    RecordedCall call{.op = find(*chip_, name)};
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
