#include "program_interface.h"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "tensorlane/base/error.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/io/file.h"

namespace tensorlane::cli {
namespace {

namespace fs = std::filesystem;

// Part `index` of the parts of a type that begin at `offset`; nothing beyond the end of the file.
template <class Part>
std::optional<Part> part_at(std::string_view file, std::uint64_t offset, std::uint64_t index = 0) {
  Part part;
  const std::uint64_t limit = file.size() / sizeof(Part);
  if (index > limit || offset > file.size() || file.size() - offset < (index + 1) * sizeof(Part))
    return std::nullopt;
  std::memcpy(&part, file.data() + offset + index * sizeof(Part), sizeof part);
  return part;
}

std::vector<std::string> names_in(std::string_view file) {
  std::vector<std::string> names;
  const auto header = part_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return names;
  for (std::uint64_t k = 0; k < header->e_shnum; ++k) {
    const auto section = part_at<Elf64_Shdr>(file, header->e_shoff, k);
    if (!section || section->sh_type != SHT_DYNSYM) continue;
    const auto strings = part_at<Elf64_Shdr>(file, header->e_shoff, section->sh_link);
    if (!strings) continue;
    for (std::uint64_t s = 0; s < section->sh_size / sizeof(Elf64_Sym); ++s) {
      const auto symbol = part_at<Elf64_Sym>(file, section->sh_offset, s);
      if (!symbol || symbol->st_shndx != SHN_UNDEF) continue;
      const std::uint64_t at = strings->sh_offset + symbol->st_name;
      if (at >= file.size()) continue;
      const std::string_view rest = file.substr(at);
      names.emplace_back(rest.substr(0, rest.find('\0')));
    }
  }
  return names;
}

// As the system finds a program.
std::string file_of(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  std::error_code error;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / program;
    if (fs::is_regular_file(file, error)) return file.string();
  }
  return {};
}

}  // namespace

std::vector<std::string> imported_names(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  try {
    return names_in(FileView(file).text());
  } catch (const UserError&) {  // it cannot be read; whether it runs is for others to say
    return {};
  }
}

const FrontEnd* interface_of_program(const std::string& program) {
  const std::vector<std::string> names = imported_names(file_of(program));
  // The library of these hosts is one with every interface.
  for (const std::string& name : names) {
    if (name.starts_with("tpuRt") || name.starts_with("tpudnn")) return nullptr;
  }
  const FrontEnd* found = nullptr;
  for (const FrontEnd* front_end : all_front_ends()) {
    if (std::ranges::none_of(
            names, [&](const std::string& name) { return name.starts_with(front_end->symbols); }))
      continue;
    if (found != nullptr) return nullptr;
    found = front_end;
  }
  return found;
}

}  // namespace tensorlane::cli
