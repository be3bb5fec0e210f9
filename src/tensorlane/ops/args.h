// Arguments of a device function in one form for all front ends.
//
// A front end encodes each C argument as an `Arg`: up to six integer fields and a null flag. The C
// type's spelling decides what the fields are called ("const dim4*" has n, c, h, w), so that the
// limits in the ops list can say `shape.c` and the command line can read recorded calls.
#ifndef TENSORLANE_OPS_ARGS_H_
#define TENSORLANE_OPS_ARGS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tensorlane/layout/local.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

inline constexpr int kMaxArgFields = 6;
// Where the fields of some types stand; args.cc has the names of all.
inline constexpr int kDtypeField = 5;      // of a data_type_t
inline constexpr int kIsAddressField = 0;  // of a value or address
inline constexpr int kAddressField = 1;
inline constexpr int kConstantField = 2;

struct Arg {
  std::array<std::int64_t, kMaxArgFields> field{};
  bool is_null = false;     // a NULL pointer; the fields then hold the documented defaults
  bool has_value = true;    // false: NULL where no default is documented
  void* pointer = nullptr;  // pointers that are written through or stored
  double number = 0;        // value of a floating-point argument, whose bits are in field 0

  std::int64_t value() const { return field[0]; }
  // Of a dim4*.
  Shape4 shape() const { return {field[0], field[1], field[2], field[3]}; }
  Stride4 stride() const { return {field[0], field[1], field[2], field[3]}; }
  // Of a data_type_t that the chip knows.
  Dtype dtype() const { return static_cast<Dtype>(field[kDtypeField]); }
  // Of a value or address; the one that it is not is 0.
  bool is_address() const { return field[kIsAddressField] != 0; }
  std::int64_t address() const { return field[kAddressField]; }
  std::int64_t constant() const { return field[kConstantField]; }
  friend bool operator==(const Arg&, const Arg&) = default;
};

// What a C parameter type means.
enum class ArgKind : std::uint8_t {
  kInteger,         // int, bool, enum, short, ...; field "" is the value
  kLocalAddress,    // local_addr_t
  kSystemAddress,   // system_addr_t
  kFloat,           // float; field "" holds the bits
  kStruct,          // const T*: named fields; NULL has a documented meaning
  kUnion,           // x32, x16, x8 by value: bits
  kValueOrAddress,  // fp32_or_addr_t*, x32_or_addr_t*, variable_t*: is_addr, address, value
  kDtype,           // data_type_t; field kDtypeField holds the Dtype
  kPointer,         // anything else
};

struct ArgType {
  std::string_view spelling;
  ArgKind kind;
  std::array<std::string_view, kMaxArgFields> fields;
  // What every field counts as when the pointer is NULL; nothing where no default is documented.
  std::optional<std::int64_t> null_default = {};
};

// The description of a C parameter type; internal error for an unknown spelling.
const ArgType& arg_type(std::string_view spelling);
// Index of a field, -1 when there is none of that name. "" is field 0.
int field_index(const ArgType& type, std::string_view field);
// How many fields have a name.
int field_count(const ArgType& type);

// A C parameter as it stands in the header.
struct Param {
  std::string_view type;
  std::string_view name;
};

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_ARGS_H_
