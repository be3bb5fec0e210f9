#include "tensorlane/device/argument_struct.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace tensorlane {
namespace {

using DebugSession = std::unique_ptr<Dwfl, decltype(&dwfl_end)>;

DebugSession this_process() {
  static char* debug_path = nullptr;
  static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_linux_proc_find_elf,
      .find_debuginfo = dwfl_standard_find_debuginfo,
      .section_address = nullptr,
      .debuginfo_path = &debug_path,
  };
  DebugSession session(dwfl_begin(&callbacks), dwfl_end);
  dwfl_linux_proc_report(session.get(), getpid());
  dwfl_report_end(session.get(), nullptr, nullptr);
  return session;
}

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
  const std::string name = file.filename();
  return name == "okk.h" || name == "tpu_kernel.h" || name == "tpu_defs.h" ||
         file.parent_path().filename() == "tpu_kernel";
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

void collect_fields(Dwarf_Die* structure, const std::string& prefix, std::size_t base,
                    std::vector<ArgumentStruct::Field>& fields) {
  Dwarf_Die member;
  if (dwarf_child(structure, &member) != 0) return;
  do {
    if (dwarf_tag(&member) != DW_TAG_member) continue;
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    dwarf_formudata(dwarf_attr(&member, DW_AT_data_member_location, &attribute), &offset);
    std::optional<Dwarf_Die> type = plain_type_of(&member);
    if (!type) continue;
    const std::string name = prefix + text_of(dwarf_diename(&member));
    const int tag = dwarf_tag(&*type);
    if (tag == DW_TAG_structure_type) {
      collect_fields(&*type, name + ".", base + offset, fields);
    } else if ((tag == DW_TAG_base_type || tag == DW_TAG_pointer_type) &&
               dwarf_bytesize(&*type) == sizeof(std::uint64_t)) {
      fields.push_back({name, base + offset});
    }
  } while (dwarf_siblingof(&member, &member) == 0);
}

// The struct that a variable points to.
std::optional<ArgumentStruct> pointee(Dwarf_Die* variable) {
  std::optional<Dwarf_Die> type = type_of(variable);
  std::string name;
  bool pointer = false;
  while (type) {
    const int tag = dwarf_tag(&*type);
    if (tag == DW_TAG_pointer_type) {
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
  if (!type || !pointer || is_of_interface(&*type)) return std::nullopt;
  const int bytes = dwarf_bytesize(&*type);
  if (bytes <= 0) return std::nullopt;
  if (name.empty()) name = "struct " + text_of(dwarf_diename(&*type));
  int line = 0;
  dwarf_decl_line(&*type, &line);
  const std::string file = std::filesystem::path(text_of(dwarf_decl_file(&*type))).filename();
  ArgumentStruct found{name, static_cast<std::size_t>(bytes), fmt::format("{}:{}", file, line)};
  collect_fields(&*type, "", 0, found.fields);
  return found;
}

void collect(Dwarf_Die* scope, std::vector<ArgumentStruct>& structs) {
  Dwarf_Die child;
  if (dwarf_child(scope, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable) {
      if (auto found = pointee(&child)) structs.push_back(std::move(*found));
    } else if (tag == DW_TAG_lexical_block) {
      collect(&child, structs);
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

std::vector<ArgumentStruct> argument_structs(const void* function, std::string_view kernel) {
  std::vector<ArgumentStruct> structs;
  const DebugSession session = this_process();
  Dwfl_Module* const module =
      dwfl_addrmodule(session.get(), reinterpret_cast<Dwarf_Addr>(function));
  if (module == nullptr) return structs;
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr;) {
    Dwarf_Die child;
    if (dwarf_child(unit, &child) != 0) continue;
    do {
      if (dwarf_tag(&child) == DW_TAG_subprogram && text_of(dwarf_diename(&child)) == kernel)
        collect(&child, structs);
    } while (structs.empty() && dwarf_siblingof(&child, &child) == 0);
    if (!structs.empty()) break;
  }
  return structs;
}

std::string argument_mismatch(const std::vector<ArgumentStruct>& structs, std::size_t bytes) {
  if (structs.empty() || std::ranges::find(structs, bytes, &ArgumentStruct::bytes) != structs.end())
    return {};
  const ArgumentStruct& first = structs.front();
  return fmt::format("the launch passes {} bytes, the kernel reads {} of {} ({})", bytes,
                     first.name, first.bytes, first.place);
}

}  // namespace tensorlane
