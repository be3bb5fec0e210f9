#include "tensorlane/device/source_location.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>

#include "tensorlane/base/language.h"
#include "tensorlane/device/call_stack.h"
#include "tensorlane/device/debug_session.h"
#include "tensorlane/device/tail_calls.h"

namespace tensorlane {
namespace {

namespace fs = std::filesystem;

// Scopes of the debug information: blocks and functions, innermost first.
class Scopes {
 public:
  Scopes(Dwarf_Die* unit, Dwarf_Addr address) {
    Dwarf_Die* around = nullptr;
    if (dwarf_getscopes(unit, address, &around) > 0) {
      // From here on those around it in the machine code; behind an inlined function that list goes
      // on in the source.
      count_ = dwarf_getscopes_die(around, &scopes_);
    }
    std::free(around);
  }
  ~Scopes() { std::free(scopes_); }
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;

  std::span<Dwarf_Die> all() const {
    return {scopes_, static_cast<std::size_t>(count_ < 0 ? 0 : count_)};
  }

 private:
  Dwarf_Die* scopes_ = nullptr;
  int count_ = 0;
};

std::string function_name(Dwarf_Die* function) {
  Dwarf_Attribute attribute;
  for (const unsigned int name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    if (const char* text = dwarf_formstring(dwarf_attr_integrate(function, name, &attribute)))
      return demangled(text);
  }
  const char* const name = dwarf_diename(function);
  return name == nullptr ? "" : name;
}

// Where an inlined function was called.
void find_call(Dwarf_Die* unit, Dwarf_Die* inlined, SourceLocation& call) {
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0, line = 0;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  call.file.clear();
  call.line = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
      dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
      dwarf_getsrcfiles(unit, &files, &count) != 0) {
    return;
  }
  if (const char* const name = dwarf_filesrc(files, file, nullptr, nullptr)) {
    call.file = name;
    call.line = static_cast<int>(line);
  }
}

// `place` holds what is known without the functions that were inlined.
std::vector<SourceLocation> unfold(Dwfl_Module* module, Dwarf_Addr address, SourceLocation place) {
  std::vector<SourceLocation> frames;
  Dwarf_Addr bias = 0;
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias)) {
    const Scopes scopes(unit, address - bias);
    for (Dwarf_Die& scope : scopes.all()) {
      const int tag = dwarf_tag(&scope);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      if (std::string name = function_name(&scope); !name.empty()) place.function = std::move(name);
      frames.push_back(place);
      if (tag == DW_TAG_subprogram) break;
      find_call(unit, &scope, place);
    }
  }
  if (frames.empty()) frames.push_back(std::move(place));
  return frames;
}

std::vector<SourceLocation> look_up(DebugSession& modules, const void* return_address) {
  SourceLocation result;
  // The call itself stands before the address it returns to.
  const Dwarf_Addr address = reinterpret_cast<Dwarf_Addr>(return_address) - 1;
  Dwfl_Module* module = modules.find(address);
  if (module == nullptr) return {result};
  if (const char* name =
          dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)) {
    result.module = fs::path(name).filename();
  }
  GElf_Off offset = 0;
  GElf_Sym symbol;
  if (const char* name =
          dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr)) {
    result.function = demangled(name);
    result.offset = offset + 1;
  }
  if (Dwfl_Line* line = dwfl_module_getsrc(module, address)) {
    if (const char* file = dwfl_lineinfo(line, nullptr, &result.line, nullptr, nullptr, nullptr))
      result.file = file;
    if (const char* directory = dwfl_line_comp_dir(line)) result.directory = directory;
  }
  return unfold(module, address, std::move(result));
}

// The frames of a chain of jumps, as return addresses.
void append_frames(DebugSession& modules, std::span<const Dwarf_Addr> chain,
                   std::vector<SourceLocation>& frames) {
  for (const Dwarf_Addr address : chain) {
    const auto* const at =
        reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
    std::ranges::move(look_up(modules, at), std::back_inserter(frames));
  }
}

std::vector<SourceLocation> look_up(DebugSession& modules, const TailCall& call) {
  std::vector<SourceLocation> frames;
  const auto entry = reinterpret_cast<Dwarf_Addr>(call.function);
  if (Dwfl_Module* const module = modules.find(entry))
    append_frames(modules, tail_calls_from(module, entry, call.callee), frames);
  if (!frames.empty()) return frames;
  // Somewhere in the function.
  return look_up(modules, static_cast<const std::byte*>(call.function) + 1);
}

// Everything that was found, and where to look. Never destroyed: devices that end with the program
// still look places up for their reports.
class Places {
 public:
  static Places& instance() {
    static Places& places = *new Places;
    return places;
  }

  // Addresses that nothing lies at; what they stand for is in the cache from the start.
  const void* enter(const std::string& file, int line, const std::string& function) {
    const auto [entry, is_new] = entered_.try_emplace({file, line, function}, nullptr);
    if (!is_new) return entry->second;
    if (reserved_ == nullptr) {
      void* const pages = mmap(nullptr, kMostEntered, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (pages == MAP_FAILED) return nullptr;
      reserved_ = static_cast<const std::byte*>(pages);
    }
    if (entered_.size() >= kMostEntered) return nullptr;
    entry->second = reserved_ + entered_.size();
    cache_[entry->second] = {
        SourceLocation{.file = file, .line = line, .function = function, .module = {}}};
    return entry->second;
  }
  bool is_entered(const void* address) const {
    const auto* const at = static_cast<const std::byte*>(address);
    return reserved_ != nullptr && at >= reserved_ && at < reserved_ + kMostEntered;
  }

  const std::vector<SourceLocation>& find(const void* return_address) {
    const auto found = cache_.find(return_address);
    if (found != cache_.end()) return found->second;
    const TailCall* const tail = find_tail_call(return_address);
    return cache_
        .emplace(return_address, tail != nullptr
                                     ? look_up(modules_of(tail->function), *tail)
                                     : look_up(modules_of(return_address), return_address))
        .first->second;
  }

  // What stands between `return_address` and `callee`.
  std::vector<SourceLocation> find_jumps(const void* return_address, std::string_view callee) {
    std::vector<SourceLocation> frames;
    if (is_entered(return_address)) return frames;
    DebugSession& modules = modules_of(return_address);
    const auto address = reinterpret_cast<Dwarf_Addr>(return_address);
    if (Dwfl_Module* const module = modules.find(address - 1))
      append_frames(modules, tail_calls_behind(module, address, callee), frames);
    return frames;
  }

  Module keep(const void* address) {
    const Module module = module_of(address);
    if (module.end == 0) return module;
    if (unloaded_.size() == kKept) unloaded_.pop_front();
    unloaded_.push_back({module, std::make_unique<DebugSession>()});
    // What a look-up needs is read by the first one.
    look_up(*unloaded_.back().modules, static_cast<const std::byte*>(address) + 1);
    return module;
  }

  void forget(const void* address) {
    const Module module = module_of(address);
    const auto at = [](std::uintptr_t place) { return reinterpret_cast<const void*>(place); };
    std::erase_if(unloaded_, [&](const Unloaded& each) {
      return each.module.begin < module.end && module.begin < each.module.end;
    });
    const auto is_jump_there = [&](const auto& entry) {
      const TailCall* const tail = find_tail_call(entry.first);
      return tail != nullptr && module.contains(tail->function);
    };
    const std::size_t jumps = std::erase_if(cache_, is_jump_there);
    // Jumps may have been among these.
    const auto first = cache_.lower_bound(at(module.begin)),
               last = cache_.lower_bound(at(module.end));
    if (first == last && jumps == 0) return;
    cache_.erase(first, last);
    loaded_ = std::make_unique<DebugSession>();
    ++generation;
  }

  std::mutex mutex;
  std::atomic<std::uint64_t> generation = 0;

 private:
  static constexpr std::size_t kKept = 64;
  struct Unloaded {
    Module module;
    std::unique_ptr<DebugSession> modules;  // as they were before
  };

  DebugSession& modules_of(const void* address) {
    for (const Unloaded& each : unloaded_) {
      if (each.module.contains(address)) return *each.modules;
    }
    if (!loaded_) loaded_ = std::make_unique<DebugSession>();
    return *loaded_;
  }

  static constexpr std::size_t kMostEntered = std::size_t{1} << 20;
  std::map<std::tuple<std::string, int, std::string>, const void*> entered_;
  const std::byte* reserved_ = nullptr;
  std::map<const void*, std::vector<SourceLocation>> cache_;
  std::unique_ptr<DebugSession> loaded_;
  std::deque<Unloaded> unloaded_;
};

}  // namespace

std::string demangled(const char* symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : symbol;
  std::free(text);
  return result;
}

std::string SourceLocation::text() const {
  if (!file.empty()) {
    const std::string place = fmt::format("{}:{}", file, line);
    return function.empty() ? place : tr("{} in {}", place, function);
  }
  if (!function.empty())
    return tr("{}+{:#x} in {} (build with -g for lines)", function, offset, module);
  return module.empty() ? tr("an unknown place") : tr("{} (build with -g for lines)", module);
}

std::string SourceLocation::path() const {
  if (file.empty() || !fs::path(directory).is_absolute()) return file;
  return (fs::path(directory) / file).lexically_normal();  // an absolute `file` stays
}

std::vector<SourceLocation> find_source_frames(const void* return_address) {
  if (return_address == nullptr) return {SourceLocation{}};
  Places& places = Places::instance();
  const std::lock_guard lock(places.mutex);
  return places.find(return_address);
}

std::vector<SourceLocation> find_source_frames(const void* return_address,
                                               std::string_view callee) {
  if (return_address == nullptr) return {SourceLocation{}};
  Places& places = Places::instance();
  const std::lock_guard lock(places.mutex);
  std::vector<SourceLocation> frames;
  if (find_tail_call(return_address) == nullptr) frames = places.find_jumps(return_address, callee);
  std::ranges::copy(places.find(return_address), std::back_inserter(frames));
  return frames;
}

SourceLocation find_source_location(const void* return_address) {
  return find_source_frames(return_address).front();
}

const void* address_of_place(const std::string& file, int line, const std::string& function) {
  Places& places = Places::instance();
  const std::lock_guard lock(places.mutex);
  return places.enter(file, line, function);
}

Module keep_places(const void* address) {
  Places& places = Places::instance();
  const std::lock_guard lock(places.mutex);
  return places.keep(address);
}

void keep_addresses(const Module& unloaded) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = unloaded.begin / page * page;
  if (unloaded.end <= begin) return;
  // Fails where anything is, the library itself for one if others use it still.
  void* const at = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
  static_cast<void>(mmap(at, unloaded.end - begin, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0));
}

void forget_places(const void* address) {
  Places& places = Places::instance();
  const std::lock_guard lock(places.mutex);
  places.forget(address);
}

std::uint64_t place_generation() {
  return Places::instance().generation;
}

}  // namespace tensorlane
