// From a return address to the kernel's source line.
//
// Commands carry the bare return address; it is looked up in the debug information (libdw) only
// when something is said to a user. Without -g the function and its offset are given instead.
#ifndef TENSORLANE_DEVICE_SOURCE_LOCATION_H_
#define TENSORLANE_DEVICE_SOURCE_LOCATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/device/call_stack.h"

namespace tensorlane {

struct SourceLocation {
  std::string file;  // as the compiler recorded it; empty without debug information
  int line = 0;
  std::string function;           // empty when even the symbol is unknown
  std::string module;             // program or shared library
  unsigned long long offset = 0;  // of the call inside the function
  std::string directory{};        // where the compiler ran, from which a relative `file` goes on

  // "plus_one.c:42 in plus_one", or "plus_one+0x1c in libkernel.so" without debug information.
  std::string text() const;
  // Where `file` was when it was compiled, whatever the current folder is now: absolute and without
  // "..", but `file` as it is where the compiler's folder is not known.
  std::string path() const;
};

// "kernel(void const*)" for a symbol of C++; others as they are.
std::string demangled(const char* symbol);

// Thread safe; results are cached. Null is an unknown place.
SourceLocation find_source_location(const void* return_address);
// The same with the calls inside the machine function, innermost first: more than one where the
// compiler put functions into their callers. Never empty.
std::vector<SourceLocation> find_source_frames(const void* return_address);
// The same when it is known which function returns there: with those that ended in its call, for
// which the compiler put a jump (see tail_calls.h).
std::vector<SourceLocation> find_source_frames(const void* return_address, std::string_view callee);

// An address that stands for a place in a program of another language, in an interpreter's script
// for one, and that all of the above find. Equal places have one address. Null when there are too
// many.
const void* address_of_place(const std::string& file, int line, const std::string& function);

// Around the unloading of a library, with any address in it: before it goes, what look-ups need of
// it is read; afterwards its addresses stay unused, so that they still name what they named.
Module keep_places(const void* address);
void keep_addresses(const Module& unloaded);
// A library with this address in it was loaded, maybe where another one was: forgets what was found
// there.
void forget_places(const void* address);
// Counts how often an address has come to mean another place.
std::uint64_t place_generation();

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_SOURCE_LOCATION_H_
