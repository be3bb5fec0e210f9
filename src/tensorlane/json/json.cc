#include "tensorlane/json/json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"

namespace tensorlane {
namespace {

constexpr std::size_t kMostOpen = 200;

// The library composes its texts itself, in English: in another language the place alone is shown.
std::string in_language(std::string_view text) {
  unsigned long line = 0, column = 0;
  if (language() == Language::kEnglish ||
      std::sscanf(std::string(text).c_str(), "parse error at line %lu, column %lu", &line,
                  &column) != 2)
    return std::string(text);
  return tr("parse error at line {}, column {}", line, column);
}

// Builds a document while nlohmann_json reads its text.
class Builder : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& /*digits*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }  // not in texts
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& value) override {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*last_token*/,
                   const nlohmann::json::exception& error) override {
    const std::string_view text = error.what();  // "[json.exception.parse_error.101] parse error"
    const std::size_t begin = text.find("] ");
    user_error("{}", in_language(begin == std::string_view::npos ? text : text.substr(begin + 2)));
  }

 private:
  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_object()) {
      Json& member = parent[key_];
      member = std::move(value);
      return &member;
    }
    parent.push_back(std::move(value));
    return &parent[parent.size() - 1];
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() == kMostOpen) user_error("more than {} lists and objects are open", kMostOpen);
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;  // each the last element of the one before it, so that none moves
  std::string key_;
};

nlohmann::ordered_json written(const Json& json) {
  if (json.is_object()) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto& [name, value] : json.items()) object.push_back({name, written(value)});
    return object;
  }
  if (json.is_array()) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Json& each : json) list.push_back(written(each));
    return list;
  }
  if (json.is_string()) return json.text();
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_number()) return json.get<std::int64_t>();
  return nullptr;
}

}  // namespace

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json::~Json() = default;

Json& Json::operator=(Json other) noexcept {
  value_ = std::move(other.value_);
  return *this;
}

Json::Json(std::initializer_list<Item> items) {
  const bool members = std::all_of(items.begin(), items.end(), [](const Item& item) {
    return item.value_.is_array() && item.value_.size() == 2 && item.value_.front().is_string();
  });
  if (!members) {
    *this = array(items);
    return;
  }
  as_object();
  for (const Item& item : items) (*this)[item.value_[0].text()] = std::move(item.value_[1]);
}

Json Json::array() {
  Json list;
  list.as_list();
  return list;
}

Json Json::array(std::initializer_list<Item> items) {
  Json list = array();
  for (const Item& item : items) list.push_back(std::move(item.value_));
  return list;
}

Json Json::object() {
  Json object;
  object.as_object();
  return object;
}

Json Json::parse(std::string_view text) {
  Builder builder;
  nlohmann::ordered_json::sax_parse(text, &builder);
  return builder.take();
}

std::optional<Json> Json::try_parse(std::string_view text) {
  try {
    return parse(text);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::string Json::dump(int indent) const {
  return written(*this).dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

const std::string& Json::text() const {
  if (!is_string()) wrong_type(msg("a text"));
  return std::get<std::string>(value_);
}

std::size_t Json::size() const {
  if (is_object()) return items().size();
  if (is_array() || is_null()) return elements().size();
  return 1;
}

const std::vector<Json>& Json::elements() const {
  static const std::vector<Json> none;
  if (is_null()) return none;
  if (!is_array()) wrong_type(msg("a list"));
  return std::get<std::vector<Json>>(value_);
}

const Json& Json::element(std::size_t index) const {
  if (index >= elements().size()) {
    user_error("there is no element {} in {}", index, dump());
  }
  return elements()[index];
}

std::vector<Json>& Json::as_list() {
  if (is_null()) value_ = std::vector<Json>();
  if (!is_array()) wrong_type(msg("a list"));
  return std::get<std::vector<Json>>(value_);
}

void Json::push_back(Json value) {
  as_list().push_back(std::move(value));
}

void Json::erase_element(std::size_t index) {
  element(index);
  as_list().erase(as_list().begin() + static_cast<std::ptrdiff_t>(index));
}

const std::vector<Json::Member>& Json::items() const {
  static const std::vector<Member> none;
  if (is_null()) return none;
  if (!is_object()) wrong_type(msg("an object"));
  return std::get<std::vector<Member>>(value_);
}

std::vector<Json::Member>& Json::as_object() {
  if (is_null()) value_ = std::vector<Member>();
  if (!is_object()) wrong_type(msg("an object"));
  return std::get<std::vector<Member>>(value_);
}

const Json* Json::find(std::string_view name) const {
  if (!is_object()) return nullptr;
  for (const Member& member : items()) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

const Json& Json::at(std::string_view name) const {
  if (!is_object()) wrong_type(msg("an object"));
  const Json* const member = find(name);
  if (member == nullptr) user_error("there is no member '{}' in {}", name, dump());
  return *member;
}

Json& Json::operator[](std::string_view name) {
  std::vector<Member>& members = as_object();
  for (Member& member : members) {
    if (member.first == name) return member.second;
  }
  return members.emplace_back(name, Json()).second;
}

void Json::update(const Json& members) {
  for (const auto& [name, value] : members.items()) (*this)[name] = value;
}

void Json::erase(std::string_view name) {
  std::erase_if(as_object(), [&](const Member& member) { return member.first == name; });
}

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_number_float() || b.is_number_float()) return a.get<double>() == b.get<double>();
    if (a.is_number_unsigned() == b.is_number_unsigned()) return a.value_ == b.value_;
    return a.get<std::int64_t>() >= 0 && b.get<std::int64_t>() >= 0 &&
           a.get<std::uint64_t>() == b.get<std::uint64_t>();
  }
  if (!a.is_object() || !b.is_object()) return a.value_ == b.value_;
  return a.size() == b.size() &&
         std::all_of(a.items().begin(), a.items().end(), [&](const Json::Member& member) {
           const Json* const other = b.find(member.first);
           return other != nullptr && *other == member.second;
         });
}

std::ostream& operator<<(std::ostream& out, const Json& json) {
  return out << json.dump();
}

void Json::wrong_type(std::string_view expected) const {
  user_error("{} is expected, not {}", translated(expected), dump());
}

}  // namespace tensorlane
