// JSON documents: what reports, recordings and the command line write and read.
//
//   Json row{{"file", path}, {"seconds", 0.5}, {"shape", {2, 3}}};  // an object, see below
//   row["note"] = "warm";
//   text += row.dump();  // {"file":"a.npy","seconds":0.5,"shape":[2,3],"note":"warm"}
//   const Json line = Json::parse(text);
//   const auto seconds = line.at("seconds").get<double>();
//
// A braced list is an object where each of its elements is a list of two that begins with a text,
// else a list. Objects keep the order in which their members were added.
//
// Errors: UserError for a text that is no JSON, a member or element that is missing, a value of
// another type than asked for. The message names the member or quotes the value; for texts it
// gives line and column.
//
// The library nlohmann_json reads and writes the texts, in json.cc alone: a file that uses its
// types takes four seconds to compile, and fifty files use JSON.
#ifndef TENSORLANE_JSON_JSON_H_
#define TENSORLANE_JSON_JSON_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tensorlane {

class Json {
 public:
  using Member = std::pair<std::string, Json>;
  class Item;  // an element of a braced list

  Json();  // null
  Json(std::nullptr_t);
  Json(std::string text);
  Json(std::string_view text);
  Json(const char* text);
  template <class T>
  requires std::is_arithmetic_v<T> Json(T value);
  // A list, or the members of a map by name.
  template <class Range>
  requires(!std::same_as<Range, Json> && !std::convertible_to<Range, std::string_view> &&
           requires(const Range& range) { range.begin(); }) Json(const Range& range);
  Json(std::initializer_list<Item> items);

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json();

  static Json array();
  static Json array(std::initializer_list<Item> items);
  static Json object();

  // At most 200 lists and objects may be open at once.
  static Json parse(std::string_view text);
  static std::optional<Json> try_parse(std::string_view text);  // nothing for what is no JSON
  // In one line, or with line breaks and `indent` spaces per level. Bytes that are no UTF-8 become
  // U+FFFD; infinity and NaN become null.
  std::string dump(int indent = -1) const;

  bool is_null() const { return holds<std::nullptr_t>(); }
  bool is_boolean() const { return holds<bool>(); }
  bool is_number() const {
    return is_number_float() || holds<std::int64_t>() || is_number_unsigned();
  }
  bool is_number_float() const { return holds<double>(); }
  bool is_number_unsigned() const { return holds<std::uint64_t>(); }
  bool is_string() const { return holds<std::string>(); }
  bool is_array() const { return holds<std::vector<Json>>(); }
  bool is_object() const { return holds<std::vector<Member>>(); }

  // T: bool, std::string, a number (converted as by static_cast), Json, or a vector of these.
  template <class T>
  T get() const;
  const std::string& text() const;  // of a string, without a copy

  // The number of elements or members; 0 for null, 1 for anything else.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // Lists. null is an empty one.
  const Json* begin() const { return elements().data(); }
  const Json* end() const { return begin() + elements().size(); }
  const Json& front() const { return element(0); }
  template <std::integral Index>
  const Json& operator[](Index index) const {
    return element(static_cast<std::size_t>(index));
  }
  template <std::integral Index>
  Json& operator[](Index index) {
    return const_cast<Json&>(element(static_cast<std::size_t>(index)));
  }
  void push_back(Json value);
  void erase(std::integral auto index) { erase_element(static_cast<std::size_t>(index)); }

  // Objects. null is an empty one.
  const std::vector<Member>& items() const;
  const Json* find(std::string_view name) const;  // nullptr where there is none
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  const Json& at(std::string_view name) const;
  const Json& operator[](std::string_view name) const { return at(name); }
  const Json& operator[](const char* name) const { return at(name); }
  Json& operator[](std::string_view name);  // adds it as null where there is none
  Json& operator[](const char* name) { return (*this)[std::string_view(name)]; }
  void update(const Json& members);
  void erase(std::string_view name);
  // The member as T, `otherwise` where there is none.
  template <class T>
  T value(std::string_view name, T otherwise) const {
    const Json* const member = find(name);
    return member == nullptr ? otherwise : member->get<T>();
  }
  std::string value(std::string_view name, const char* otherwise) const {
    return value(name, std::string(otherwise));
  }

  // Numbers are equal by value, whatever their type; objects whatever the order of their members.
  friend bool operator==(const Json& a, const Json& b);
  friend std::ostream& operator<<(std::ostream& out, const Json& json);  // dump()

 private:
  template <class T>
  bool holds() const {
    return std::holds_alternative<T>(value_);
  }
  const std::vector<Json>& elements() const;
  const Json& element(std::size_t index) const;
  void erase_element(std::size_t index);
  std::vector<Json>& as_list();
  std::vector<Member>& as_object();
  [[noreturn]] void wrong_type(std::string_view expected) const;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
               std::vector<Json>, std::vector<Member>>
      value_;
};

class Json::Item {
 public:
  template <class T>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): nothing makes a Json of an Item
  requires std::constructible_from<Json, T> Item(T&& value) : value_(std::forward<T>(value)) {}
  Item(std::initializer_list<Item> items) : value_(items) {}

 private:
  friend class Json;
  mutable Json value_;  // moved out of the braced list, whose elements are const
};

template <class T>
requires std::is_arithmetic_v<T> Json::Json(T value) {
  if constexpr (std::same_as<T, bool>) {
    value_ = value;
  } else if constexpr (std::floating_point<T>) {
    value_ = static_cast<double>(value);
  } else if constexpr (std::unsigned_integral<T>) {
    value_ = static_cast<std::uint64_t>(value);
  } else {
    value_ = static_cast<std::int64_t>(value);
  }
}

template <class Range>
requires(!std::same_as<Range, Json> && !std::convertible_to<Range, std::string_view> &&
         requires(const Range& range) { range.begin(); }) Json::Json(const Range& range) {
  if constexpr (requires { std::string_view(range.begin()->first); }) {
    as_object();
    for (const auto& [name, value] : range) (*this)[name] = Json(value);
  } else {
    as_list();
    for (const auto& each : range) push_back(Json(each));
  }
}

template <class T>
T Json::get() const {
  if constexpr (std::same_as<T, bool>) {
    if (!is_boolean()) wrong_type("true or false");
    return std::get<bool>(value_);
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (const auto* number = std::get_if<std::int64_t>(&value_)) return static_cast<T>(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value_)) return static_cast<T>(*number);
    if (const auto* number = std::get_if<double>(&value_)) return static_cast<T>(*number);
    wrong_type("a number");
  } else if constexpr (std::same_as<T, std::string>) {
    return text();
  } else if constexpr (std::same_as<T, Json>) {
    return *this;
  } else {
    T list;
    for (const Json& each : *this) list.push_back(each.get<typename T::value_type>());
    return list;
  }
}

}  // namespace tensorlane

#endif  // TENSORLANE_JSON_JSON_H_
