#include "tensorlane/bmlib/linked_front_ends.h"

#include <link.h>

#include <cstdlib>
#include <vector>

#include "tensorlane/base/error.h"

namespace tensorlane::bmlib {
namespace {

std::vector<const FrontEnd*>& linked() {
  static std::vector<const FrontEnd*>& all = *new std::vector<const FrontEnd*>;
  return all;
}

#if __ELF_NATIVE_CLASS == 64
constexpr std::size_t symbol_of(ElfW(Xword) info) {
  return ELF64_R_SYM(info);
}
#else
constexpr std::size_t symbol_of(ElfW(Word) info) {
  return ELF32_R_SYM(info);
}
#endif

// The parts of an object's dynamic section that say what it imports.
struct Imports {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  std::span<const ElfW(Rela)> data, functions;
};

Imports imports_of(ElfW(Addr) base, const ElfW(Dyn) * dynamic) {
  Imports found;
  const ElfW(Rela)* data = nullptr, *functions = nullptr;
  std::size_t data_bytes = 0, function_bytes = 0;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    // Most linkers have added the load address already.
    const ElfW(Addr) address = dynamic->d_un.d_ptr + (dynamic->d_un.d_ptr < base ? base : 0);
    if (dynamic->d_tag == DT_STRTAB) found.strings = reinterpret_cast<const char*>(address);
    if (dynamic->d_tag == DT_SYMTAB) found.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
    if (dynamic->d_tag == DT_RELA) data = reinterpret_cast<const ElfW(Rela)*>(address);
    if (dynamic->d_tag == DT_RELASZ) data_bytes = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_JMPREL) functions = reinterpret_cast<const ElfW(Rela)*>(address);
    if (dynamic->d_tag == DT_PLTRELSZ) function_bytes = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_PLTREL && dynamic->d_un.d_val != DT_RELA) return {};
  }
  if (data != nullptr) found.data = {data, data_bytes / sizeof *data};
  if (functions != nullptr) found.functions = {functions, function_bytes / sizeof *functions};
  return found;
}

struct Search {
  std::string_view prefix;
  bool found = false;
};

int search_object(dl_phdr_info* object, std::size_t, void* context) {
  Search& search = *static_cast<Search*>(context);
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)& header = object->dlpi_phdr[k];
    if (header.p_type != PT_DYNAMIC) continue;
    const Imports imports = imports_of(
        object->dlpi_addr, reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + header.p_vaddr));
    if (imports.strings == nullptr || imports.symbols == nullptr) continue;
    for (const auto relocations : {imports.functions, imports.data}) {
      for (const ElfW(Rela) & relocation : relocations) {
        const ElfW(Sym)& symbol = imports.symbols[symbol_of(relocation.r_info)];
        if (symbol.st_shndx != SHN_UNDEF) continue;
        const std::string_view name = imports.strings + symbol.st_name;
        search.found = search.found || name.starts_with(search.prefix);
      }
    }
  }
  return search.found ? 1 : 0;
}

}  // namespace

LinkedFrontEnd::LinkedFrontEnd(const FrontEnd& front_end) {
  linked().push_back(&front_end);
}

bool is_imported(std::string_view prefix) {
  Search search{prefix};
  dl_iterate_phdr(search_object, &search);
  return search.found;
}

const FrontEnd& front_end() {
  const std::vector<const FrontEnd*>& all = linked();
  TL_INTERNAL_CHECK(!all.empty());
  if (all.size() == 1) return *all.front();
  const char* const chip = std::getenv("TENSORLANE_CHIP");
  if (chip != nullptr && *chip != '\0') {
    for (const FrontEnd* front_end : all) {
      if (front_end->api.name == find_chip(chip).api.name) return *front_end;
    }
  }
  for (const FrontEnd* front_end : all) {
    if (is_imported(front_end->symbols)) return *front_end;
  }
  return *all.front();
}

}  // namespace tensorlane::bmlib
