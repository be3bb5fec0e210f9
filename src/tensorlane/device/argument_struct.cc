#include "tensorlane/device/argument_struct.h"
#include "tensorlane/base/language.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "tensorlane/chip/chip.h"
#include "tensorlane/device/debug_presence.h"
#include "tensorlane/device/debug_session.h"

namespace tensorlane {
namespace {

// The type that a variable has, or a type refers to.
std::optional<Dwarf_Die> type_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &type) == nullptr)
    return std::nullopt;
  return type;
}

std::string text_of(const char* text) {
  return text == nullptr ? std::string() : text;
}

// The interface's own: dim4 and the like.
bool is_of_interface(Dwarf_Die* type) {
  const std::filesystem::path file = text_of(dwarf_decl_file(type));
  const std::string name = file.filename(), folder = file.parent_path().filename().string() + "/";
  return std::ranges::any_of(all_chips(), [&](const Chip* chip) {
    return std::ranges::any_of(chip->api.headers, [&](std::string_view header) {
      return !header.empty() && (header == name || header == folder);
    });
  });
}

// Without typedefs and qualifiers.
std::optional<Dwarf_Die> plain_type_of(Dwarf_Die* die) {
  std::optional<Dwarf_Die> type = type_of(die);
  while (type) {
    const int tag = dwarf_tag(&*type);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type) break;
    type = type_of(&*type);
  }
  return type;
}

ArgumentStruct::Field::Kind kind_of(Dwarf_Die* type) {
  using Kind = ArgumentStruct::Field::Kind;
  const int tag = dwarf_tag(type);
  if (tag == DW_TAG_pointer_type) return Kind::kUnsigned;
  if (tag == DW_TAG_enumeration_type) return Kind::kEnumeration;
  Dwarf_Attribute attribute;
  Dwarf_Word encoding = 0;
  if (tag != DW_TAG_base_type ||
      dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute), &encoding) != 0) {
    return Kind::kOther;
  }
  switch (encoding) {
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_boolean:
    case DW_ATE_UTF:
    case DW_ATE_address:
      return Kind::kUnsigned;
    case DW_ATE_signed:
    case DW_ATE_signed_char:
      return Kind::kSigned;
    case DW_ATE_float:
      return Kind::kFloat;
    default:
      return Kind::kOther;
  }
}

// Elements of an array of any rank; 0 where the type does not say.
std::size_t elements_of(Dwarf_Die* array) {
  std::size_t elements = 1;
  Dwarf_Die range;
  if (dwarf_child(array, &range) != 0) return 0;
  do {
    if (dwarf_tag(&range) != DW_TAG_subrange_type) continue;
    Dwarf_Attribute attribute;
    Dwarf_Word count = 0;
    if (dwarf_formudata(dwarf_attr(&range, DW_AT_count, &attribute), &count) != 0) {
      if (dwarf_formudata(dwarf_attr(&range, DW_AT_upper_bound, &attribute), &count) != 0) return 0;
      ++count;
    }
    elements *= count;
  } while (dwarf_siblingof(&range, &range) == 0);
  return elements;
}

class FieldCollector {
 public:
  explicit FieldCollector(std::vector<ArgumentStruct::Field>& fields) : fields_(fields) {}

  void collect(Dwarf_Die* structure, const std::string& prefix, std::size_t base, bool in_union) {
    in_union = in_union || dwarf_tag(structure) == DW_TAG_union_type;
    Dwarf_Die member;
    if (dwarf_child(structure, &member) != 0) return;
    do {
      if (dwarf_tag(&member) != DW_TAG_member) continue;
      Dwarf_Attribute attribute;
      Dwarf_Word offset = 0;
      dwarf_formudata(dwarf_attr(&member, DW_AT_data_member_location, &attribute), &offset);
      std::optional<Dwarf_Die> type = plain_type_of(&member);
      if (!type) continue;
      ArgumentStruct::Field field{prefix + text_of(dwarf_diename(&member)), base + offset};
      field.in_union = in_union;
      const bool is_bit_field = dwarf_hasattr(&member, DW_AT_bit_size) != 0;
      add(*type, std::move(field), is_bit_field);
    } while (dwarf_siblingof(&member, &member) == 0);
  }

 private:
  static bool has_members(Dwarf_Die* type) {
    const int tag = dwarf_tag(type);
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
  }

  void add(Dwarf_Die type, ArgumentStruct::Field field, bool is_bit_field) {
    if (dwarf_tag(&type) == DW_TAG_array_type) {
      const std::size_t elements = elements_of(&type);
      std::optional<Dwarf_Die> element = plain_type_of(&type);
      if (!element) return;
      const auto bytes = static_cast<std::size_t>(std::max(0, dwarf_bytesize(&*element)));
      if (has_members(&*element)) {
        for (std::size_t k = 0; k < std::min(elements, kMostElements); ++k) {
          collect(&*element, fmt::format("{}[{}].", field.name, k), field.offset + k * bytes,
                  field.in_union);
        }
        return;
      }
      field.count = elements;
      field.is_array = true;
      type = *element;
    } else if (has_members(&type)) {
      // Members of an unnamed one belong to the struct around it.
      const bool unnamed = field.name.empty() || field.name.back() == '.';
      return collect(&type, unnamed ? field.name : field.name + ".", field.offset, field.in_union);
    }
    field.bytes = static_cast<std::size_t>(std::max(0, dwarf_bytesize(&type)));
    if (!is_bit_field) field.kind = kind_of(&type);
    if (dwarf_tag(&type) == DW_TAG_pointer_type) note_target(&type, field);
    fields_.push_back(std::move(field));
  }

  static void note_target(Dwarf_Die* pointer, ArgumentStruct::Field& field) {
    std::optional<Dwarf_Die> number = plain_type_of(pointer);
    if (!number) return;
    const ArgumentStruct::Field::Kind kind = kind_of(&*number);
    if (dwarf_tag(&*number) == DW_TAG_structure_type) {
      // Element types that are classes; see sdk/ppl/include/ppl/types.h.
      constexpr std::string_view kElements[] = {"fp16",    "bf16", "fp8e4m3",
                                                "fp8e5m2", "int4", "uint4"};
      const std::string name = text_of(dwarf_diename(&*number));
      if (std::ranges::find(kElements, name) == std::end(kElements)) return;
      field.target = name;
      field.target_bytes = static_cast<std::size_t>(std::max(0, dwarf_bytesize(&*number)));
      return;
    }
    if (dwarf_tag(&*number) != DW_TAG_base_type || kind == ArgumentStruct::Field::Kind::kOther)
      return;
    field.target_kind = kind;
    field.target_bytes = static_cast<std::size_t>(std::max(0, dwarf_bytesize(&*number)));
    // As the source spells it.
    for (std::optional<Dwarf_Die> named = type_of(pointer); named && field.target.empty();
         named = type_of(&*named)) {
      const int tag = dwarf_tag(&*named);
      if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
        field.target = text_of(dwarf_diename(&*named));
    }
  }

  static constexpr std::size_t kMostElements = 64;  // structs of an array that are listed
  std::vector<ArgumentStruct::Field>& fields_;
};

// What leads from a variable to its struct.
enum class Way : std::uint8_t {
  kPointer,  // a pointer
  kAny,      // or the struct itself, or a reference
};

// The struct of a variable.
std::optional<ArgumentStruct> struct_of(Dwarf_Die* variable, Way way) {
  std::optional<Dwarf_Die> type = type_of(variable);
  std::string name;
  bool pointer = false;
  while (type) {
    const int tag = dwarf_tag(&*type);
    if (tag == DW_TAG_pointer_type || (way == Way::kAny && tag == DW_TAG_reference_type)) {
      if (pointer) return std::nullopt;
      pointer = true;
    } else if (tag == DW_TAG_structure_type) {
      break;
    } else if (tag == DW_TAG_typedef) {
      if (name.empty()) name = text_of(dwarf_diename(&*type));
    } else if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
               tag != DW_TAG_restrict_type) {
      return std::nullopt;
    }
    type = type_of(&*type);
  }
  if (!type || (way == Way::kPointer && !pointer) || is_of_interface(&*type)) return std::nullopt;
  const int bytes = dwarf_bytesize(&*type);
  if (bytes <= 0) return std::nullopt;
  if (name.empty()) name = fmt::format("struct {}", text_of(dwarf_diename(&*type)));
  if (name.ends_with(' ')) name.pop_back();
  int line = 0;
  dwarf_decl_line(&*type, &line);
  const std::string file = std::filesystem::path(text_of(dwarf_decl_file(&*type))).filename();
  ArgumentStruct found{name, static_cast<std::size_t>(bytes), fmt::format("{}:{}", file, line)};
  FieldCollector(found.fields).collect(&*type, "", 0, false);
  return found;
}

void collect(Dwarf_Die* scope, std::vector<ArgumentStruct>& structs, Way way) {
  Dwarf_Die child;
  if (dwarf_child(scope, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
      if (auto found = struct_of(&child, way)) structs.push_back(std::move(*found));
    } else if (tag == DW_TAG_lexical_block) {
      collect(&child, structs, way);
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

std::vector<ArgumentStruct> argument_structs(const void* function, std::string_view kernel) {
  std::vector<ArgumentStruct> structs;
  if (!may_have_debug_information(function)) return structs;
  DebugSession session;
  Dwfl_Module* const module = session.find(reinterpret_cast<Dwarf_Addr>(function));
  if (module == nullptr) return structs;
  Dwarf_Addr bias = 0;
  // A function written for the registry, with the struct in it, or one that calls the kernel.
  const auto entry = reinterpret_cast<Dwarf_Addr>(function);
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module, entry, &bias)) {
    Dwarf_Die child;
    for (int more = dwarf_child(unit, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
      Dwarf_Addr begin = 0;
      if (dwarf_tag(&child) != DW_TAG_subprogram || dwarf_lowpc(&child, &begin) != 0) continue;
      if (begin + bias == entry) collect(&child, structs, Way::kPointer);
    }
    if (!structs.empty()) return structs;
  }
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr;) {
    Dwarf_Die child;
    if (dwarf_child(unit, &child) != 0) continue;
    do {
      if (dwarf_tag(&child) == DW_TAG_subprogram && text_of(dwarf_diename(&child)) == kernel)
        collect(&child, structs, Way::kPointer);
    } while (structs.empty() && dwarf_siblingof(&child, &child) == 0);
    if (!structs.empty()) break;
  }
  return structs;
}

std::vector<ArgumentStruct> structs_around(const void* call_site) {
  std::vector<ArgumentStruct> structs;
  DebugSession session;
  const auto address = reinterpret_cast<Dwarf_Addr>(call_site) - 1;  // in the call, not behind it
  Dwfl_Module* const module = session.find(address);
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = module == nullptr ? nullptr : dwfl_module_addrdie(module, address, &bias);
  Dwarf_Die* scopes = nullptr;
  const int count = unit == nullptr ? 0 : dwarf_getscopes(unit, address - bias, &scopes);
  for (int k = 0; k < count; ++k) {
    const int tag = dwarf_tag(&scopes[k]);
    if (tag == DW_TAG_compile_unit) break;
    collect(&scopes[k], structs, Way::kAny);
    if (tag == DW_TAG_subprogram) break;
  }
  std::free(scopes);  // NOLINT(cppcoreguidelines-no-malloc): libdw's
  return structs;
}

std::size_t ArgumentStruct::end_of_fields() const {
  std::size_t end = 0;
  for (const Field& field : fields) end = std::max(end, field.offset + field.bytes * field.count);
  return end;
}

namespace {

// A place in the kernel's struct that is something else in the host's; by names where they have
// some in common, else by where numbers begin and end.
std::optional<StructConflict> compare(const ArgumentStruct& host, const ArgumentStruct& kernel) {
  using Field = ArgumentStruct::Field;
  const auto same_place = [](const Field& a, const Field& b) {
    return a.offset == b.offset && a.bytes == b.bytes;
  };
  bool named = false;
  for (const Field& mine : kernel.fields) {
    const auto theirs = std::ranges::find(host.fields, mine.name, &Field::name);
    if (theirs == host.fields.end()) continue;
    named = true;
    if (!same_place(mine, *theirs)) return StructConflict{&host, &kernel, &*theirs, &mine};
  }
  if (named) return std::nullopt;
  for (const Field& mine : kernel.fields) {
    if (mine.offset + mine.bytes > host.end_of_fields()) break;
    const auto theirs = std::ranges::find_if(host.fields, [&](const Field& field) {
      const std::size_t inside = mine.offset - field.offset;
      return mine.offset >= field.offset && field.bytes == mine.bytes && field.bytes > 0 &&
             inside % field.bytes == 0 && inside / field.bytes < field.count;
    });
    if (theirs == host.fields.end()) return StructConflict{&host, &kernel, nullptr, &mine};
  }
  return std::nullopt;
}

bool has_union(const ArgumentStruct& structure) {
  return std::ranges::any_of(structure.fields, &ArgumentStruct::Field::in_union);
}

}  // namespace

std::optional<StructConflict> find_conflict(const std::vector<ArgumentStruct>& host,
                                            const std::vector<ArgumentStruct>& kernel,
                                            std::size_t bytes) {
  std::optional<StructConflict> first;
  for (const ArgumentStruct& mine : kernel) {
    if (mine.bytes == bytes || has_union(mine)) return std::nullopt;
    for (const ArgumentStruct& theirs : host) {
      if (theirs.bytes != bytes) continue;
      const auto conflict = compare(theirs, mine);
      if (!conflict || has_union(theirs)) return std::nullopt;
      if (!first) first = conflict;
    }
  }
  return first;
}

std::string argument_mismatch(const std::vector<ArgumentStruct>& structs, std::size_t bytes) {
  if (structs.empty() || std::ranges::find(structs, bytes, &ArgumentStruct::bytes) != structs.end())
    return {};
  const ArgumentStruct& first = structs.front();
  return tr("the launch passes {} bytes, the kernel reads {} of {} ({})", bytes, first.name,
            first.bytes, first.place);
}

}  // namespace tensorlane
