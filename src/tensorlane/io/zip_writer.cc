#include <zlib.h>

#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/io/stored_type_internal.h"
#include "tensorlane/io/zip_internal.h"

namespace tensorlane::io_internal {
namespace {

constexpr std::uint64_t kMax32 = 0xffffffff;
constexpr std::uint64_t kMax16 = 0xffff;
// 1980-01-01 00:00, the zero of the format: equal tensors give equal files.
constexpr std::uint64_t kDate = 0x0021;

std::vector<std::byte> deflate_parts(std::span<const std::span<const std::byte>> parts) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
  std::vector<std::byte> packed;
  std::vector<std::byte> buffer(std::size_t{1} << 18);
  const auto run = [&](int flush) {
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      deflate(&stream, flush);
      const auto got = static_cast<std::ptrdiff_t>(buffer.size() - stream.avail_out);
      packed.insert(packed.end(), buffer.begin(), buffer.begin() + got);
    } while (stream.avail_out == 0);
  };
  for (std::span<const std::byte> part : parts) {
    while (!part.empty()) {
      const std::size_t piece = std::min(part.size(), std::size_t{1} << 30);
      stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(part.data()));
      stream.avail_in = static_cast<uInt>(piece);
      run(Z_NO_FLUSH);
      part = part.subspan(piece);
    }
  }
  run(Z_FINISH);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

void ZipWriter::add(const std::string& name, std::span<const std::span<const std::byte>> parts,
                    bool compress) {
  if (name.empty() || name.size() > kMax16) {
    user_error("a name of {} bytes for a member of an archive; 1 to 65535 are allowed",
               name.size());
  }
  for (const Written& other : written_) {
    if (other.member.name == name) user_error("two members of an archive are called '{}'", name);
  }
  ZipMember member;
  member.name = name;
  for (std::span<const std::byte> part : parts) {
    member.crc = extend_crc(member.crc, part);
    member.size += part.size();
  }
  member.packed = member.size;
  std::vector<std::byte> packed;
  if (compress) {
    packed = deflate_parts(parts);
    member.method = 8;
    member.packed = packed.size();
  }
  const std::uint64_t header_offset = file_.position();
  file_.write(zip_header(member, header_offset, false, force_zip64_));
  if (compress) {
    file_.write(packed);
  } else {
    for (std::span<const std::byte> part : parts) file_.write(part);
  }
  written_.push_back({std::move(member), header_offset});
}

void ZipWriter::finish() {
  const std::uint64_t offset = file_.position();
  for (const Written& written : written_)
    file_.write(zip_header(written.member, written.header_offset, true, force_zip64_));
  file_.write(zip_end(offset, file_.position() - offset, written_.size(), force_zip64_));
}

std::vector<std::byte> zip_header(const ZipMember& member, std::uint64_t header_offset,
                                  bool central, bool force_zip64) {
  const bool wide_sizes = force_zip64 || member.size >= kMax32 || member.packed >= kMax32;
  const bool wide_offset = central && (force_zip64 || header_offset >= kMax32);
  const bool ascii = std::all_of(member.name.begin(), member.name.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::vector<std::byte> extra;
  if (wide_sizes || wide_offset) {
    append_le(extra, 1, 2);
    append_le(extra, (wide_sizes ? 16 : 0) + (wide_offset ? 8 : 0), 2);
    if (wide_sizes) append_le(extra, member.size, 8);
    if (wide_sizes) append_le(extra, member.packed, 8);
    if (wide_offset) append_le(extra, header_offset, 8);
  }
  std::vector<std::byte> header;
  append_le(header, central ? 0x02014b50 : 0x04034b50, 4);
  if (central) append_le(header, 45, 2);  // made by version 4.5
  append_le(header, extra.empty() ? 20 : 45, 2);
  append_le(header, ascii ? 0 : 0x800, 2);  // bit 11: the name is UTF-8
  append_le(header, static_cast<std::uint64_t>(member.method), 2);
  append_le(header, 0, 2);
  append_le(header, kDate, 2);
  append_le(header, member.crc, 4);
  append_le(header, wide_sizes ? kMax32 : member.packed, 4);
  append_le(header, wide_sizes ? kMax32 : member.size, 4);
  append_le(header, member.name.size(), 2);
  append_le(header, extra.size(), 2);
  if (central) {
    append_le(header, 0, 2);  // comment
    append_le(header, 0, 2);  // disk
    append_le(header, 0, 2);  // internal attributes
    append_le(header, 0, 4);  // external attributes
    append_le(header, wide_offset ? kMax32 : header_offset, 4);
  }
  const std::span<const std::byte> name = std::as_bytes(std::span(member.name));
  header.insert(header.end(), name.begin(), name.end());
  header.insert(header.end(), extra.begin(), extra.end());
  return header;
}

std::vector<std::byte> zip_end(std::uint64_t offset, std::uint64_t size, std::uint64_t count,
                               bool force_zip64) {
  std::vector<std::byte> record;
  const bool wide = force_zip64 || offset >= kMax32 || size >= kMax32 || count >= kMax16;
  if (wide) {
    append_le(record, 0x06064b50, 4);
    append_le(record, 44, 8);  // bytes of this record that follow
    append_le(record, 45, 2);
    append_le(record, 45, 2);
    append_le(record, 0, 4);
    append_le(record, 0, 4);
    append_le(record, count, 8);
    append_le(record, count, 8);
    append_le(record, size, 8);
    append_le(record, offset, 8);
    append_le(record, 0x07064b50, 4);  // the locator
    append_le(record, 0, 4);
    append_le(record, offset + size, 8);
    append_le(record, 1, 4);
  }
  append_le(record, 0x06054b50, 4);
  append_le(record, 0, 4);
  append_le(record, wide ? kMax16 : count, 2);
  append_le(record, wide ? kMax16 : count, 2);
  append_le(record, wide ? kMax32 : size, 4);
  append_le(record, wide ? kMax32 : offset, 4);
  append_le(record, 0, 2);
  return record;
}

}  // namespace tensorlane::io_internal
