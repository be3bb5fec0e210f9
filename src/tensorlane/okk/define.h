// How an OKKernel function enters the ops list.
//
//   TL_OKK_OP(void, okk_bdc_relu, (local_addr_t, dst_addr), (local_addr_t, src_addr),
//             (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride)) = {
//       .engine = Engine::kBdc,
//       .group = "bdc-nn",
//       .doc = {"...", "..."},
//       ...
//   };
//
// The macro declares the entry, names its parameters once for everything that needs them, and
// defines the C function okk_bdc_relu, which encodes its arguments and hands them to the front end.
// A signature that differs from okk.h does not compile. Entries stand in files that begin with
// TL_OKK_OPS_FILE(name); op_list.cc lists the files.
#ifndef TENSORLANE_OKK_DEFINE_H_
#define TENSORLANE_OKK_DEFINE_H_

#ifndef USING_CMODEL
#define USING_CMODEL
#endif
#include <initializer_list>
#include <type_traits>

#include "okk.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::okk {

// Arguments of the C types of okk.h in the form of the ops list; see ops/args.cc for the fields.
Arg encode(int value);
Arg encode(unsigned int value);
Arg encode(unsigned long long value);
Arg encode(bool value);
Arg encode(float value);
Arg encode(op_type_t value);
Arg encode(mul_type_t value);
Arg encode(x32 value);
Arg encode(x16 value);
Arg encode(x8 value);
Arg encode(const dim4* value);
Arg encode(dim4* value);
Arg encode(const dim2* value);
Arg encode(const Padding* value);
Arg encode(const fp32_or_addr_t* value);
Arg encode(const x32_or_addr_t* value);
Arg encode(const char* value);
Arg encode(const void* value);
Arg encode(okk_kernel_func_t value);

// Runs a call for the current launch. Where the call is illegal the launch ends here and control
// does not return (outside a launch: a message on stderr, and 0).
std::int64_t call(const OpFile::Entry& entry, std::span<const Arg> args, const void* call_site);

template <class R>
R decode_result(std::int64_t value) {
  if constexpr (std::is_pointer_v<R>) {
    return reinterpret_cast<R>(value);
  } else {
    return static_cast<R>(value);
  }
}
template <>
inline void decode_result<void>(std::int64_t) {}

// The compiled entry (compiled on first use).
const Op& compiled(const OpFile::Entry& entry);
// Every entry, file by file.
std::span<const Op* const> op_list();
// The entry called `name`, null when there is none.
const Op* find_op(std::string_view name);
// Calls an entry with encoded arguments, as the C function would. `session` is null outside a
// launch. Throws UserError where the call is illegal.
std::int64_t call_in_session(Session* session, const Op& op, std::span<const Arg> args,
                             const void* call_site);

}  // namespace tensorlane::okk

// TL_MAP(f, (a, b), (c, d)): f(a, b) f(c, d); TL_LIST separates with commas.
#define TL_PARENS ()
#define TL_EXPAND(...) TL_EXPAND2(TL_EXPAND2(TL_EXPAND2(TL_EXPAND2(__VA_ARGS__))))
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
#define TL_PARAM_ENCODED(type, name) ::tensorlane::okk::encode(name)

#define TL_OKK_OPS_FILE(name) \
  namespace tensorlane::okk { \
  OpFile name(#name);         \
  }                           \
  static ::tensorlane::OpFile& tl_ops_file = ::tensorlane::okk::name

// The entry without the C function, for the one function that must work before main.
#define TL_OKK_ENTRY(result, name, ...)                        \
  extern const ::tensorlane::OpSpec name##_spec;               \
  static const std::vector<::tensorlane::Param> name##_params{ \
      TL_LIST(TL_PARAM_DESCRIPTION, __VA_ARGS__)};             \
  static const ::tensorlane::OpFile::Entry& name##_entry =     \
      *tl_ops_file.add(#name, #result, name##_params, &name##_spec)

#define TL_OKK_OP(result, name, ...)                                                             \
  TL_OKK_ENTRY(result, name, __VA_ARGS__);                                                       \
  extern "C" result name(TL_LIST(TL_PARAM_DECLARATION, __VA_ARGS__)) {                           \
    const std::initializer_list<::tensorlane::Arg> args{TL_LIST(TL_PARAM_ENCODED, __VA_ARGS__)}; \
    return ::tensorlane::okk::decode_result<result>(::tensorlane::okk::call(                     \
        name##_entry, {args.begin(), args.size()}, __builtin_return_address(0)));                \
  }                                                                                              \
  const ::tensorlane::OpSpec name##_spec

#endif  // TENSORLANE_OKK_DEFINE_H_
