// What a loaded program or library asks the loader for: the relocations that name functions.
#ifndef TENSORLANE_DEVICE_DYNAMIC_SECTION_H_
#define TENSORLANE_DEVICE_DYNAMIC_SECTION_H_

#include <link.h>

#include <span>

namespace tensorlane {

struct DynamicSection {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  std::span<const ElfW(Rela)> calls;  // relocations of the procedure linkage table
  std::span<const ElfW(Rela)> data;   // all others: pointers to functions, calls without that table
  bool bound_at_once = false;

  explicit DynamicSection(const link_map& module);
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_DYNAMIC_SECTION_H_
