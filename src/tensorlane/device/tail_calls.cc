#include "tensorlane/device/tail_calls.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <sys/mman.h>

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace tensorlane {
namespace {

// The calls that have an address of ours, in the order of these. Never destroyed.
struct Sites {
  static constexpr std::size_t kMost = 1 << 20;
  std::mutex mutex;
  std::deque<TailCall> calls;
  std::map<std::pair<const void*, std::string>, std::size_t, std::less<>> numbers;
  // Nothing is ever there.
  const std::byte* const begin = static_cast<const std::byte*>(
      mmap(nullptr, kMost, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
};
Sites& sites() {
  static Sites* const instance = new Sites;
  return *instance;
}

std::string_view name_of(Dwarf_Die* function) {
  const char* const name = dwarf_diename(function);  // its origin's, where it has none
  return name == nullptr ? "" : name;
}

struct CallSite {
  Dwarf_Addr behind;  // the instruction
  bool is_jump;
  Dwarf_Die callee;
};

std::optional<CallSite> read_call_site(Dwarf_Die* die) {
  const bool is_gnu = dwarf_tag(die) == DW_TAG_GNU_call_site;
  if (!is_gnu && dwarf_tag(die) != DW_TAG_call_site) return {};
  CallSite site{};
  Dwarf_Attribute attribute;
  if (dwarf_formaddr(dwarf_attr(die, is_gnu ? DW_AT_low_pc : DW_AT_call_return_pc, &attribute),
                     &site.behind) != 0 ||
      dwarf_formref_die(
          dwarf_attr(die, is_gnu ? DW_AT_abstract_origin : DW_AT_call_origin, &attribute),
          &site.callee) == nullptr) {
    return {};  // a call through a pointer
  }
  site.is_jump = dwarf_hasattr(die, is_gnu ? DW_AT_GNU_tail_call : DW_AT_call_tail_call) != 0;
  return site;
}

// Calls `visit` for each child of `parent`.
template <class Visit>
void for_each_child(Dwarf_Die* parent, const Visit& visit) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do {
    visit(&child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

// Those of blocks and inlined functions too.
void collect_call_sites(Dwarf_Die* scope, std::vector<CallSite>& found) {
  for_each_child(scope, [&](Dwarf_Die* child) {
    const int tag = dwarf_tag(child);
    if (const auto site = read_call_site(child)) found.push_back(*site);
    if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
      collect_call_sites(child, found);
  });
}

// The function of `unit` that `is_it` is true of and that has code.
template <class IsIt>
std::optional<Dwarf_Die> find_function(Dwarf_Die* unit, const IsIt& is_it) {
  std::optional<Dwarf_Die> found;
  for_each_child(unit, [&](Dwarf_Die* child) {
    Dwarf_Addr entry = 0;
    if (!found && dwarf_tag(child) == DW_TAG_subprogram && dwarf_entrypc(child, &entry) == 0 &&
        is_it(child))
      found = *child;
  });
  return found;
}

std::optional<Dwarf_Die> function_at(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
  if (unit == nullptr) return {};
  return find_function(unit, [&](Dwarf_Die* die) { return dwarf_haspc(die, address - bias) == 1; });
}

// In its own source file, or by its symbol in another one.
std::optional<Dwarf_Die> definition_of(Dwfl_Module* module, Dwarf_Die* callee) {
  Dwarf_Die unit;
  if (dwarf_diecu(callee, &unit, nullptr, nullptr) == nullptr) return {};
  const Dwarf_Off offset = dwarf_dieoffset(callee);
  const auto here = find_function(&unit, [&](Dwarf_Die* die) {
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    return dwarf_dieoffset(die) == offset ||
           (dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &origin) !=
                nullptr &&
            dwarf_dieoffset(&origin) == offset);
  });
  if (here) return here;
  const int symbols = dwfl_module_getsymtab(module);
  for (int k = 0; k < symbols; ++k) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* const name =
        dwfl_module_getsym_info(module, k, &symbol, &address, nullptr, nullptr, nullptr);
    if (name != nullptr && name_of(callee) == name && symbol.st_shndx != SHN_UNDEF &&
        GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
      return function_at(module, address);
  }
  return {};
}

// In addresses of the file.
std::vector<Dwarf_Addr> chain_from(Dwfl_Module* module, Dwarf_Die function, std::string_view callee,
                                   int depth) {
  std::vector<CallSite> sites;
  collect_call_sites(&function, sites);
  std::erase_if(sites, [](const CallSite& site) { return !site.is_jump; });
  // Of several the last in the code: all of them end the function.
  for (auto site = sites.rbegin(); site != sites.rend(); ++site) {
    if (name_of(&site->callee) == callee) return {site->behind};
  }
  for (CallSite& site : sites) {
    const auto next = depth > 0 ? definition_of(module, &site.callee) : std::nullopt;
    if (!next) continue;
    std::vector<Dwarf_Addr> chain = chain_from(module, *next, callee, depth - 1);
    if (chain.empty()) continue;
    chain.push_back(site.behind);
    return chain;
  }
  return {};
}

constexpr int kDeepest = 8;

std::vector<Dwarf_Addr> in_memory(Dwfl_Module* module, std::vector<Dwarf_Addr> addresses) {
  Dwarf_Addr bias = 0;
  dwfl_module_getdwarf(module, &bias);
  for (Dwarf_Addr& address : addresses) address += bias;
  return addresses;
}

}  // namespace

const void* tail_call_site(const void* function, std::string_view callee) {
  Sites& all = sites();
  const std::lock_guard lock(all.mutex);
  const auto [entry, is_new] =
      all.numbers.emplace(std::pair(function, std::string(callee)), all.calls.size());
  if (is_new && all.calls.size() < Sites::kMost)
    all.calls.push_back({function, entry->first.second});
  return all.begin + entry->second;
}

const TailCall* find_tail_call(const void* site) {
  Sites& all = sites();
  const auto number = static_cast<std::size_t>(static_cast<const std::byte*>(site) - all.begin);
  if (number >= Sites::kMost) return nullptr;
  const std::lock_guard lock(all.mutex);
  return number < all.calls.size() ? &all.calls[number] : nullptr;
}

std::vector<Dwarf_Addr> tail_calls_from(Dwfl_Module* module, Dwarf_Addr function,
                                        std::string_view callee) {
  const auto die = function_at(module, function);
  if (!die) return {};
  return in_memory(module, chain_from(module, *die, callee, kDeepest));
}

std::vector<Dwarf_Addr> tail_calls_behind(Dwfl_Module* module, Dwarf_Addr return_address,
                                          std::string_view callee) {
  auto caller = function_at(module, return_address - 1);
  if (!caller) return {};
  Dwarf_Addr bias = 0;
  dwfl_module_getdwarf(module, &bias);
  std::vector<CallSite> sites;
  collect_call_sites(&*caller, sites);
  for (CallSite& site : sites) {
    if (site.behind != return_address - bias || site.is_jump) continue;
    if (name_of(&site.callee) == callee) return {};
    const auto called = definition_of(module, &site.callee);
    if (!called) return {};
    return in_memory(module, chain_from(module, *called, callee, kDeepest));
  }
  return {};
}

}  // namespace tensorlane
