// How a function enters an ops list, whichever front end it belongs to.
//
//   TL_OP(okk_bdc_relu) = {
//       .engine = Engine::kBdc,
//       .group = "bdc-nn",
//       .doc = {"...", "..."},
//       ...
//   };
//
// The macro declares the entry, knows its parameters from the public header and defines the C
// function, which encodes its arguments and hands them to the front end. Entries stand in files
// that begin with TL_OPS_FILE(name); the front end's op_list.cc lists the files.
//
// A front end's define.h includes its public header and tensorlane/<front end>/signatures.h, which
// tensorlane_signatures of its CMakeLists.txt makes of the header, declares in its namespace
//
//   using arguments::encode;  the types of every header, see ops/encode.h
//   Arg encode(T);            for each other C type of the header, see ops/args.cc for the fields
//   std::int64_t call(const OpFile::Entry&, std::span<const Arg>, const void* call_site);
//
// and defines TL_FRONT_END as that namespace before it includes this file.
#ifndef TENSORLANE_OPS_DEFINE_OP_H_
#define TENSORLANE_OPS_DEFINE_OP_H_

#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "tensorlane/ops/op.h"

#ifndef TL_FRONT_END
#error "a front end defines TL_FRONT_END; see above"
#endif

namespace tensorlane {

// What a C function returns, from the integer that the entry returned: pointers and small structs
// travel as their bits.
template <class R>
R decode_result(std::int64_t value) {
  if constexpr (std::is_pointer_v<R>) {
    return reinterpret_cast<R>(value);
  } else if constexpr (sizeof(R) > sizeof value) {
    return {};  // only functions that the chip lacks return so much
  } else if constexpr (std::is_class_v<R> || std::is_union_v<R>) {
    R result;
    std::memcpy(&result, &value, sizeof result);
    return result;
  } else {
    return static_cast<R>(value);
  }
}
template <>
inline void decode_result<void>(std::int64_t) {}

}  // namespace tensorlane

// TL_LIST(f, (a, b), (c, d)): f(a, b), f(c, d).
#define TL_PARENS ()
#define TL_EXPAND(...) TL_EXPAND3(TL_EXPAND3(TL_EXPAND3(__VA_ARGS__)))
#define TL_EXPAND3(...) TL_EXPAND2(TL_EXPAND2(TL_EXPAND2(__VA_ARGS__)))
#define TL_EXPAND2(...) TL_EXPAND1(TL_EXPAND1(TL_EXPAND1(TL_EXPAND1(__VA_ARGS__))))
#define TL_EXPAND1(...) __VA_ARGS__
#define TL_LIST(f, ...) __VA_OPT__(TL_EXPAND(TL_LIST_STEP(f, __VA_ARGS__)))
#define TL_LIST_STEP(f, first, ...) f first __VA_OPT__(, TL_LIST_AGAIN TL_PARENS(f, __VA_ARGS__))
#define TL_LIST_AGAIN() TL_LIST_STEP

#define TL_PARAM_DECLARATION(type, name) type name
#define TL_PARAM_DESCRIPTION(type, name) \
  ::tensorlane::Param {                  \
#type, #name                         \
  }
#define TL_PARAM_ENCODED(type, name) ::TL_FRONT_END::encode(name)

// A name of this file's own also where several files are compiled as one; see TENSORLANE_UNITY.
#define TL_THIS_FILE TL_JOIN(tl_ops_file_, TENSORLANE_FILE_ID)
#define TL_JOIN(a, b) TL_JOIN1(a, b)
#define TL_JOIN1(a, b) a##b

#define TL_OPS_FILE(name)  \
  namespace TL_FRONT_END { \
  OpFile name(#name);      \
  }                        \
  static ::tensorlane::OpFile& TL_THIS_FILE = ::TL_FRONT_END::name

// M(result, name, (type, parameter), ...) of a function that the header declares.
#define TL_OF_HEADER(m, function) TL_OF_HEADER1(m, TL_SIGNATURE_##function)
#define TL_OF_HEADER1(m, ...) m(__VA_ARGS__)

// The entry without the C function, for the one function that must work before main.
#define TL_ENTRY(function) TL_OF_HEADER(TL_ENTRY_OF, function)
#define TL_ENTRY_OF(result, name, ...)                         \
  extern const ::tensorlane::OpSpec name##_spec;               \
  static const std::vector<::tensorlane::Param> name##_params{ \
      TL_LIST(TL_PARAM_DESCRIPTION, __VA_ARGS__)};             \
  static const ::tensorlane::OpFile::Entry& name##_entry =     \
      *TL_THIS_FILE.add(#name, #result, name##_params, &name##_spec)

#define TL_OP(function) TL_OF_HEADER(TL_OP_OF, function)
#define TL_OP_OF(result, name, ...)                                                              \
  TL_ENTRY_OF(result, name, __VA_ARGS__);                                                        \
  extern "C" result name(TL_LIST(TL_PARAM_DECLARATION, __VA_ARGS__)) {                           \
    const std::initializer_list<::tensorlane::Arg> args{TL_LIST(TL_PARAM_ENCODED, __VA_ARGS__)}; \
    return ::tensorlane::decode_result<result>(::TL_FRONT_END::call(                             \
        name##_entry, {args.begin(), args.size()}, __builtin_return_address(0)));                \
  }                                                                                              \
  const ::tensorlane::OpSpec name##_spec

#endif  // TENSORLANE_OPS_DEFINE_OP_H_
