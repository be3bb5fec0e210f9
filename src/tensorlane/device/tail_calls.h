// Calls that leave no return address: where a function ends in a call, compilers put a jump, and
// what is called returns to the caller of that function.
//
// A kernel whose last statement is a device function, and a helper that ends in one, are such. The
// debug information knows these calls (DW_TAG_call_site), so their lines can be found.
#ifndef TENSORLANE_DEVICE_TAIL_CALLS_H_
#define TENSORLANE_DEVICE_TAIL_CALLS_H_

#include <elfutils/libdwfl.h>

#include <string>
#include <string_view>
#include <vector>

namespace tensorlane {

// The call of `callee` that `function` ends in, directly or through functions that it ends in.
struct TailCall {
  const void* function;  // its first instruction
  std::string callee;
};

// Stands for such a call where return addresses are kept: an address that is no code's and the same
// for the same call. Cheap but for the first time.
const void* tail_call_site(const void* function, std::string_view callee);
// What `site` stands for; null for the address of code. It lives for ever.
const TailCall* find_tail_call(const void* site);

// The addresses behind the jumps from `function` to `callee`, innermost first; empty when the debug
// information names none.
std::vector<Dwarf_Addr> tail_calls_from(Dwfl_Module* module, Dwarf_Addr function,
                                        std::string_view callee);
// The same from the function that was called before `return_address`; empty when that is `callee`.
std::vector<Dwarf_Addr> tail_calls_behind(Dwfl_Module* module, Dwarf_Addr return_address,
                                          std::string_view callee);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_TAIL_CALLS_H_
