#include "tensorlane/observe/why/question.h"

namespace tensorlane::why {
namespace {

std::optional<std::uint64_t> number(const Json& json, std::string_view name) {
  const Json* const member = json.find(name);
  if (member == nullptr) return std::nullopt;
  return member->get<std::uint64_t>();
}

}  // namespace

Json json(const Question& question) {
  Json open = Json::array();
  for (const Question::Open& each : question.open) {
    open.push_back(Json{{"id", each.id},
                        {"depth", each.depth},
                        {"event", each.event},
                        {"read_by", each.read_by},
                        {"memory", static_cast<int>(each.place.space)},
                        {"offset", each.place.offset},
                        {"bit", each.place.bit}});
  }
  Json result = {{"place", question.place},
                 {"name", question.name},
                 {"element", question.element},
                 {"shape", question.shape},
                 {"dtype", question.dtype},
                 {"at_end", question.at_end},
                 {"depth", question.limits.depth},
                 {"width", question.limits.width},
                 {"terms", question.limits.terms},
                 {"steps", question.limits.steps},
                 {"memory_bytes", question.memory_bytes},
                 {"open", open},
                 {"next_id", question.next_id}};
  if (!question.samples.empty()) {
    Json samples = Json::array();
    for (const Question::Sample& each : question.samples) {
      samples.push_back(
          Json{{"address", each.address}, {"expected", each.expected}, {"wrong", each.wrong}});
    }
    result["samples"] = std::move(samples);
  }
  if (question.read) result["read"] = *question.read;
  if (question.launch) result["launch"] = *question.launch;
  if (question.expected) result["expected"] = *question.expected;
  if (question.device) result["device"] = *question.device;
  return result;
}

Question question_of(const Json& json) {
  Question question;
  question.place = json.value("place", "");
  question.name = json.value("name", "");
  question.element = json.value("element", std::vector<std::int64_t>{});
  question.shape = json.value("shape", std::vector<std::int64_t>{});
  question.dtype = json.value("dtype", question.dtype);
  question.read = number(json, "read");
  question.launch = number(json, "launch");
  if (const auto device = number(json, "device")) question.device = static_cast<int>(*device);
  if (const Json* const expected = json.find("expected"))
    question.expected = expected->get<double>();
  question.at_end = json.value("at_end", false);
  question.limits = {.depth = json.value("depth", question.limits.depth),
                     .width = json.value("width", question.limits.width),
                     .terms = json.value("terms", question.limits.terms),
                     .steps = json.value("steps", question.limits.steps)};
  for (const Json& each : json.value("samples", Json::array())) {
    question.samples.push_back({each["address"].get<std::uint64_t>(),
                                each["expected"].get<double>(), each["wrong"].get<bool>()});
  }
  question.memory_bytes = json.value("memory_bytes", question.memory_bytes);
  question.next_id = json.value("next_id", 0);
  for (const Json& each : json.value("open", Json::array())) {
    question.open.push_back({each["id"].get<int>(),
                             each["depth"].get<int>(),
                             each["event"].get<trail::Writer>(),
                             each["read_by"].get<trail::Writer>(),
                             {static_cast<Space>(each["memory"].get<int>()),
                              each["offset"].get<std::uint64_t>(), each["bit"].get<int>()}});
  }
  return question;
}

}  // namespace tensorlane::why
