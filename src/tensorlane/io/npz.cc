#include "tensorlane/io/npz.h"

#include <array>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/io/file.h"
#include "tensorlane/io/npy_internal.h"
#include "tensorlane/io/zip_internal.h"

namespace tensorlane {

using io_internal::NpyHeader;
using io_internal::ZipMember;

struct NpzFile::State {
  std::optional<FileView> file;
  std::span<const std::byte> archive;
  std::string where;
  std::vector<ZipMember> members;  // those that are arrays, like the next two
  std::vector<NpyHeader> headers;
  std::vector<TensorInfo> infos;

  std::string where_member(const ZipMember& member) const {
    return fmt::format("{}, member '{}'", where, io_internal::printable(member.name));
  }
  void read_headers();
};

void NpzFile::State::read_headers() {
  for (ZipMember& member : io_internal::list_zip(archive, where)) {
    if (!member.name.ends_with(".npy")) continue;
    const std::string place = where_member(member);
    const auto prefix =
        io_internal::read_zip_prefix(archive, member, io_internal::kNpyPrefix, place);
    const std::uint64_t header_bytes = io_internal::npy_header_bytes(prefix, place);
    if (header_bytes > member.size) {
      user_error("{}: cut short: a npy header of {} bytes in {} bytes", place, header_bytes,
                 member.size);
    }
    NpyHeader header = io_internal::parse_npy_header(
        io_internal::read_zip_prefix(archive, member, header_bytes, place), place);
    io_internal::check_npy_size(header, member.size, place);
    infos.push_back({member.name.substr(0, member.name.size() - 4), header.type.spelling,
                     header.type.dtype, header.shape, header.data_bytes, header.type.narrowed()});
    headers.push_back(std::move(header));
    members.push_back(std::move(member));
  }
}

NpzFile::NpzFile(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->file.emplace(path);
  state_->archive = state_->file->bytes();
  state_->where = fmt::format("'{}'", path.string());
  state_->read_headers();
}

NpzFile::NpzFile(std::span<const std::byte> archive, std::string_view where)
    : state_(std::make_unique<State>()) {
  state_->archive = archive;
  state_->where = where;
  state_->read_headers();
}

NpzFile::~NpzFile() = default;
NpzFile::NpzFile(NpzFile&&) noexcept = default;

const std::vector<TensorInfo>& NpzFile::tensors() const {
  return state_->infos;
}

Tensor NpzFile::read(std::string_view name, std::optional<Dtype> dtype) const {
  const std::size_t index = find_tensor(state_->infos, name, state_->where);
  const ZipMember& member = state_->members[index];
  const NpyHeader& header = state_->headers[index];
  const std::string place = state_->where_member(member);
  io_internal::resolve_dtype(header.type, dtype, place);
  return io_internal::make_npy_tensor(
      header, dtype,
      io_internal::read_zip_rest(state_->archive, member, header.header_bytes, place), place);
}

void write_npz_file(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                    const NpzOptions& options) {
  for (const NamedTensor& entry : tensors) {
    if (entry.name.empty()) user_error("'{}': a tensor without a name", path.string());
    check_tensor(entry.tensor, tr("tensor '{}'", entry.name));
  }
  AtomicFile file(path);
  io_internal::ZipWriter zip(file, options.force_zip64);
  for (const NamedTensor& entry : tensors) {
    const std::vector<std::byte> header =
        io_internal::make_npy_header(entry.tensor.dtype, entry.tensor.shape);
    std::vector<std::byte> buffer;
    const std::array<std::span<const std::byte>, 2> parts = {
        header, io_internal::stored_elements(entry.tensor, buffer)};
    zip.add(entry.name + ".npy", parts, options.compress);
  }
  zip.finish();
  file.commit();
}

std::size_t find_tensor(std::span<const TensorInfo> tensors, std::string_view name,
                        std::string_view where) {
  std::vector<std::string_view> similar;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string_view candidate = tensors[i].name;
    if (candidate == name) return i;
    // Longer ones are no slips of the pen, and the distance costs their length squared.
    if (candidate.size() <= 200) similar.push_back(candidate);
  }
  std::string hint = tr("; it has {} tensors", tensors.size());
  const std::string nearest = did_you_mean(name, similar);
  if (nearest.starts_with("; did") || similar.size() <= 10) hint += nearest;
  user_error("{}: no tensor '{}'{}", where, name, io_internal::printable(hint));
}

}  // namespace tensorlane
