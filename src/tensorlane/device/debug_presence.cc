#include "tensorlane/device/debug_presence.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

namespace tensorlane {
namespace {

// A file that is read in parts, from anywhere.
class Parts {
 public:
  explicit Parts(const std::string& name) : file_(open(name.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Parts() {
    if (file_ >= 0) close(file_);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  // Nothing where the file has not as much.
  template <class T>
  std::optional<std::vector<T>> read(std::uint64_t at, std::uint64_t count) const {
    constexpr std::uint64_t kMost = 1 << 24;
    if (file_ < 0 || count > kMost) return std::nullopt;
    std::vector<T> all(count);
    const auto bytes = static_cast<ssize_t>(count * sizeof(T));
    if (pread(file_, all.data(), static_cast<std::size_t>(bytes), static_cast<off_t>(at)) != bytes)
      return std::nullopt;
    return all;
  }

 private:
  int file_;
};

// Where a distribution keeps the debug information of a build.
bool is_stored(const std::vector<std::uint8_t>& note) {
  if (note.size() < sizeof(Elf64_Nhdr)) return false;
  const auto* const header = reinterpret_cast<const Elf64_Nhdr*>(note.data());
  const std::size_t begin = sizeof *header + (header->n_namesz + 3) / 4 * 4;
  if (begin + header->n_descsz > note.size() || header->n_descsz < 2) return false;
  std::string name = fmt::format("/usr/lib/debug/.build-id/{:02x}/", note[begin]);
  for (std::size_t i = 1; i < header->n_descsz; ++i) name += fmt::format("{:02x}", note[begin + i]);
  struct stat status {};
  return stat((name + ".debug").c_str(), &status) == 0;
}

struct Search {
  std::uintptr_t address;
  bool found = false;
  std::string file = {};  // empty: the program itself
};
int find_object(dl_phdr_info* object, std::size_t /*bytes*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)& header = object->dlpi_phdr[k];
    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_LOAD || search.address - begin >= header.p_memsz) continue;
    search.found = true;
    search.file = object->dlpi_name == nullptr ? "" : object->dlpi_name;
    return 1;
  }
  return 0;
}

// Servers that may know of any build.
bool has_servers() {
  const char* const servers = std::getenv("DEBUGINFOD_URLS");
  return servers != nullptr && *servers != '\0';
}

bool by_headers(const std::string& name) {
  const Parts file(name);
  const auto header = file.read<Elf64_Ehdr>(0, 1);
  if (!header || header->front().e_ident[EI_CLASS] != ELFCLASS64 ||
      header->front().e_shentsize != sizeof(Elf64_Shdr))
    return true;
  const Elf64_Ehdr& elf = header->front();
  const auto sections = file.read<Elf64_Shdr>(elf.e_shoff, elf.e_shnum);
  if (!sections || elf.e_shstrndx >= sections->size()) return true;
  const Elf64_Shdr& of_names = (*sections)[elf.e_shstrndx];
  const auto names = file.read<char>(of_names.sh_offset, of_names.sh_size);
  if (!names || names->empty() || names->back() != '\0') return true;
  return std::ranges::any_of(*sections, [&](const Elf64_Shdr& section) {
    if (section.sh_name >= names->size()) return true;
    const std::string_view title(names->data() + section.sh_name);
    if (title.ends_with("debug_info") || title == ".gnu_debuglink") return true;
    if (title != ".note.gnu.build-id") return false;
    const auto note = file.read<std::uint8_t>(section.sh_offset, section.sh_size);
    return !note || is_stored(*note);
  });
}

}  // namespace

bool may_have_debug_information(const std::string& name) {
  return has_servers() || by_headers(name);
}

bool program_may_have_debug_information() {
  static const bool may_have = by_headers("/proc/self/exe");
  return has_servers() || may_have;
}

bool may_have_debug_information(const void* address) {
  Search search{reinterpret_cast<std::uintptr_t>(address)};
  dl_iterate_phdr(find_object, &search);
  return search.found && (search.file.empty() ? program_may_have_debug_information()
                                              : may_have_debug_information(search.file));
}

}  // namespace tensorlane
