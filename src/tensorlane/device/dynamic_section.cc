#include "tensorlane/device/dynamic_section.h"

namespace tensorlane {

DynamicSection::DynamicSection(const link_map& module) {
  const ElfW(Rela)* first_call = nullptr;
  const ElfW(Rela)* first_data = nullptr;
  std::size_t call_bytes = 0, data_bytes = 0;
  for (const ElfW(Dyn)* entry = module.l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        break;
      case DT_JMPREL:
        first_call = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        call_bytes = entry->d_un.d_val;
        break;
      case DT_RELA:
        first_data = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        data_bytes = entry->d_un.d_val;
        break;
      case DT_BIND_NOW:
        bound_at_once = true;
        break;
      case DT_FLAGS:
        bound_at_once |= (entry->d_un.d_val & DF_BIND_NOW) != 0;
        break;
      case DT_FLAGS_1:
        bound_at_once |= (entry->d_un.d_val & DF_1_NOW) != 0;
        break;
      default:
        break;
    }
  }
  if (first_call != nullptr) calls = {first_call, call_bytes / sizeof *first_call};
  if (first_data != nullptr) data = {first_data, data_bytes / sizeof *first_data};
}

}  // namespace tensorlane
