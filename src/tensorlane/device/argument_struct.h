// What a kernel takes its arguments for, by its debug information: to be compared with what the
// host launched.
#ifndef TENSORLANE_DEVICE_ARGUMENT_STRUCT_H_
#define TENSORLANE_DEVICE_ARGUMENT_STRUCT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane {

struct ArgumentStruct {
  // A number in it, or an array of them; "part.input" inside of a struct, "parts[1].input" in an
  // array of such.
  struct Field {
    enum class Kind : std::uint8_t {
      kUnsigned,  // and pointers
      kSigned,
      kEnumeration,  // signed or not, as its constants ask for
      kFloat,
      kOther,  // a bit field, a complex number, ...
    };
    std::string name;
    std::size_t offset = 0;
    std::size_t bytes = 0;  // of one number
    std::size_t count = 1;
    Kind kind = Kind::kOther;
    bool is_array = false;
    bool in_union = false;
    // What a pointer leads to, where that is a number: "float", "int8_t".
    std::string target = {};
    std::size_t target_bytes = 0;
    Kind target_kind = Kind::kOther;

    // Of global memory, which needs 8 bytes.
    bool may_be_address() const {
      return bytes == sizeof(std::uint64_t) && !is_array &&
             (kind == Kind::kUnsigned || kind == Kind::kSigned);
    }
  };

  std::string name;       // of the type, as the kernel calls it
  std::size_t bytes = 0;  // that it reads
  std::string place;      // "kernel.c:7", where the type is declared
  std::vector<Field> fields = {};

  // Behind the last number in it: what follows is padding, which nobody reads.
  std::size_t end_of_fields() const;
};

// The structs that a function called `kernel`, in the module of the address `function`, points to
// by its variables; those of the interface's own headers are left out. Empty without debug
// information.
std::vector<ArgumentStruct> argument_structs(const void* function, std::string_view kernel);

// The structs that the variables around a place in the code of a host are, point or refer to.
std::vector<ArgumentStruct> structs_around(const void* call_site);

// A number that host and kernel do not find in the same place of an argument block.
struct StructConflict {
  const ArgumentStruct* host = nullptr;
  const ArgumentStruct* kernel = nullptr;
  const ArgumentStruct::Field* in_host = nullptr;  // may be null: nothing of the host lies there
  const ArgumentStruct::Field* in_kernel = nullptr;
};
// Where the structs of a host of `bytes` bytes, which it may have launched, and those of a kernel
// have other sizes and numbers in other places; nothing where a pair of them agrees on all that
// both have, and where one has a union.
std::optional<StructConflict> find_conflict(const std::vector<ArgumentStruct>& host,
                                            const std::vector<ArgumentStruct>& kernel,
                                            std::size_t bytes);

// "the launch passes 16 bytes, the kernel reads args_t of 24 (kernel.c:7)", for the first of the
// structs; empty when one of them has this size, or there is none.
std::string argument_mismatch(const std::vector<ArgumentStruct>& structs, std::size_t bytes);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_ARGUMENT_STRUCT_H_
