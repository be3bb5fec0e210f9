#include <zlib.h>

#include <algorithm>
#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/stored_type_internal.h"
#include "tensorlane/io/zip_internal.h"

namespace tensorlane::io_internal {
namespace {

constexpr std::uint64_t kLocalHeader = 0x04034b50;
constexpr std::uint64_t kCentralHeader = 0x02014b50;
constexpr std::uint64_t kEnd = 0x06054b50;
constexpr std::uint64_t kEnd64 = 0x06064b50;
constexpr std::uint64_t kEnd64Locator = 0x07064b50;
constexpr std::size_t kLocalHeaderBytes = 30;
constexpr std::size_t kCentralHeaderBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kEnd64LocatorBytes = 20;
// What one byte of deflate can become at most (a match of 258 bytes in 2 bits), and a little for
// the block header.
constexpr std::uint64_t kMaxDeflateRatio = 1032;

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
  std::uint64_t end = 0;  // where the records after the directory begin
};

class ZipParser {
 public:
  ZipParser(std::span<const std::byte> archive, std::string_view where)
      : archive_(archive), where_(where) {}

  std::vector<ZipMember> parse() {
    const Directory directory = find_directory();
    std::vector<ZipMember> members;
    std::set<std::string_view> names;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    std::uint64_t position = directory.offset;
    const std::uint64_t end = directory.offset + directory.size;
    members.reserve(static_cast<std::size_t>(directory.entries));
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
      std::uint64_t header_offset = 0;
      members.push_back(central_entry(position, end, header_offset));
      ZipMember& member = members.back();
      locate_data(member, header_offset, directory.offset);
      if (!names.insert(member.name).second) damaged("two members are called '{}'", member.name);
      ranges.emplace_back(header_offset, member.offset + member.packed);
    }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i].first < ranges[i - 1].second) damaged("members share bytes of the archive");
    }
    return members;
  }

 private:
  template <class... Args>
  [[noreturn]] void damaged(fmt::format_string<Args...> format, Args&&... args) {
    user_error("{}: bad zip archive: {}", where_,
               printable(tr(format, std::forward<Args>(args)...)));
  }

  // A field of a record whose bytes were checked to be within the archive.
  std::uint64_t field(std::uint64_t offset, int size) const {
    return load_le(archive_, static_cast<std::size_t>(offset), size);
  }

  bool within(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) const {
    return offset <= limit && size <= limit - offset;
  }

  Directory find_directory() {
    const std::uint64_t total = archive_.size();
    if (total < kEndBytes) damaged("{} bytes are too few", total);
    // The end record is followed by a comment of at most 65535 bytes.
    const std::uint64_t lowest = total - std::min<std::uint64_t>(total, kEndBytes + 65535);
    std::uint64_t end = total - kEndBytes;
    while (field(end, 4) != kEnd || end + kEndBytes + field(end + 20, 2) != total) {
      if (end == lowest) damaged("no end record; the file is cut short or no zip archive");
      --end;
    }
    if (field(end + 4, 2) != field(end + 6, 2)) damaged("it is split over several files");
    Directory directory{field(end + 16, 4), field(end + 12, 4), field(end + 10, 2), end};
    const bool is_zip64 = directory.offset == 0xffffffff || directory.size == 0xffffffff ||
                          directory.entries == 0xffff;
    if (is_zip64) directory = find_directory64(end);
    if (!within(directory.offset, directory.size, directory.end)) {
      damaged("the directory of {} bytes at offset {} lies outside of the file", directory.size,
              directory.offset);
    }
    if (directory.entries > directory.size / kCentralHeaderBytes) {
      damaged("a directory of {} bytes cannot have {} members", directory.size, directory.entries);
    }
    return directory;
  }

  Directory find_directory64(std::uint64_t end) {
    if (end < kEnd64LocatorBytes || field(end - kEnd64LocatorBytes, 4) != kEnd64Locator) {
      damaged("the zip64 locator is missing");
    }
    const std::uint64_t locator = end - kEnd64LocatorBytes;
    const std::uint64_t record = field(locator + 8, 8);
    if (!within(record, kEnd64Bytes, locator) || field(record, 4) != kEnd64) {
      damaged("the zip64 end record is not where the locator says");
    }
    return {field(record + 48, 8), field(record + 40, 8), field(record + 32, 8), record};
  }

  // Reads one entry of the directory and moves `position` behind it.
  ZipMember central_entry(std::uint64_t& position, std::uint64_t end,
                          std::uint64_t& header_offset) {
    if (!within(position, kCentralHeaderBytes, end) || field(position, 4) != kCentralHeader) {
      damaged("a directory entry is damaged at offset {}", position);
    }
    const std::uint64_t name_size = field(position + 28, 2);
    const std::uint64_t extra_size = field(position + 30, 2);
    const std::uint64_t comment_size = field(position + 32, 2);
    const std::uint64_t name_offset = position + kCentralHeaderBytes;
    if (!within(name_offset, name_size + extra_size + comment_size, end)) {
      damaged("a directory entry reaches beyond the directory");
    }
    ZipMember member;
    member.name = as_text(archive_.subspan(static_cast<std::size_t>(name_offset),
                                           static_cast<std::size_t>(name_size)));
    if ((field(position + 8, 2) & 1) != 0) damaged("member '{}' is encrypted", member.name);
    member.method = static_cast<int>(field(position + 10, 2));
    member.crc = static_cast<std::uint32_t>(field(position + 16, 4));
    member.packed = field(position + 20, 4);
    member.size = field(position + 24, 4);
    header_offset = field(position + 42, 4);
    read_zip64_extra(name_offset + name_size, extra_size, member, header_offset);
    check_sizes(member);
    position = name_offset + name_size + extra_size + comment_size;
    return member;
  }

  // The 64-bit values of those fields that are all ones, in this order.
  void read_zip64_extra(std::uint64_t offset, std::uint64_t size, ZipMember& member,
                        std::uint64_t& header_offset) {
    std::vector<std::uint64_t*> missing;
    for (std::uint64_t* value : {&member.size, &member.packed, &header_offset}) {
      if (*value == 0xffffffff) missing.push_back(value);
    }
    if (missing.empty()) return;
    const std::uint64_t end = offset + size;
    while (within(offset, 4, end)) {
      const std::uint64_t id = field(offset, 2);
      const std::uint64_t length = field(offset + 2, 2);
      offset += 4;
      if (!within(offset, length, end)) break;
      if (id == 1 && length >= missing.size() * 8) {
        for (std::size_t i = 0; i < missing.size(); ++i) *missing[i] = field(offset + i * 8, 8);
        return;
      }
      offset += length;
    }
    damaged("member '{}' lacks its 64-bit sizes", member.name);
  }

  void check_sizes(const ZipMember& member) {
    if (member.method != 0 && member.method != 8) {
      damaged("member '{}' is packed by method {}; stored (0) and deflated (8) are supported",
              member.name, member.method);
    }
    const bool possible = member.method == 0 ? member.size == member.packed
                                             : member.size / kMaxDeflateRatio <= member.packed;
    if (!possible) {
      damaged("member '{}' claims {} bytes, which {} packed bytes cannot hold", member.name,
              member.size, member.packed);
    }
  }

  void locate_data(ZipMember& member, std::uint64_t header_offset, std::uint64_t limit) {
    if (!within(header_offset, kLocalHeaderBytes, limit) ||
        field(header_offset, 4) != kLocalHeader) {
      damaged("member '{}' is not at offset {}, where the directory says", member.name,
              header_offset);
    }
    const std::uint64_t name_size = field(header_offset + 26, 2);
    const std::uint64_t extra_size = field(header_offset + 28, 2);
    const std::uint64_t name_offset = header_offset + kLocalHeaderBytes;
    member.offset = name_offset + name_size + extra_size;
    if (!within(member.offset, member.packed, limit)) {
      damaged("member '{}' of {} packed bytes reaches beyond the archive", member.name,
              member.packed);
    }
    const std::string_view name = as_text(archive_.subspan(static_cast<std::size_t>(name_offset),
                                                           static_cast<std::size_t>(name_size)));
    if (name != member.name) damaged("member '{}' has another name in its header", member.name);
  }

  std::span<const std::byte> archive_;
  std::string_view where_;
};

// Unpacks a member from its beginning, piece by piece.
class MemberStream {
 public:
  MemberStream(std::span<const std::byte> archive, const ZipMember& member, std::string_view where)
      : member_(member),
        where_(where),
        input_(archive.subspan(static_cast<std::size_t>(member.offset),
                               static_cast<std::size_t>(member.packed))) {
    if (member.method == 0) return;
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    inflating_ = true;
  }
  ~MemberStream() {
    if (inflating_) inflateEnd(&stream_);
  }
  MemberStream(const MemberStream&) = delete;
  MemberStream& operator=(const MemberStream&) = delete;

  // Fills all of `out`.
  void read(std::span<std::byte> out) {
    if (member_.method == 0) {
      if (out.size() > input_.size()) damaged();
      std::copy_n(input_.begin(), out.size(), out.begin());
      input_ = input_.subspan(out.size());
    } else {
      inflate_to(out);
    }
    crc_ = extend_crc(crc_, out);
  }

  // Throws unless the member ends here and its crc is right.
  void finish() {
    std::byte extra{};
    const bool more = member_.method == 0 ? !input_.empty() : inflate_some({&extra, 1}) != 0;
    if (more) damaged();
    if (crc_ != member_.crc) {
      user_error("{}: bad zip archive: member '{}' has crc {:08x}, its content {:08x}", where_,
                 printable(member_.name), member_.crc, crc_);
    }
  }

 private:
  [[noreturn]] void damaged() {
    user_error("{}: bad zip archive: the packed bytes of member '{}' are not those of {} bytes",
               where_, printable(member_.name), member_.size);
  }

  void inflate_to(std::span<std::byte> out) {
    while (!out.empty()) {
      const std::size_t got = inflate_some(out);
      if (got == 0) damaged();
      out = out.subspan(got);
    }
  }

  // As many bytes as one call gives; 0 at the end of the data.
  std::size_t inflate_some(std::span<std::byte> out) {
    constexpr std::size_t kPiece = std::size_t{1} << 30;  // zlib counts in 32 bits
    const std::size_t room = std::min(out.size(), kPiece);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(room);
    while (!ended_ && stream_.avail_out == room) {
      const std::size_t piece = std::min(input_.size(), kPiece);
      // zlib reads through this pointer only.
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input_.data()));
      stream_.avail_in = static_cast<uInt>(piece);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t used = piece - stream_.avail_in;
      input_ = input_.subspan(used);
      ended_ = status == Z_STREAM_END;
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END) damaged();
    }
    return room - stream_.avail_out;
  }

  const ZipMember& member_;
  std::string_view where_;
  std::span<const std::byte> input_;
  z_stream stream_{};
  bool inflating_ = false;
  bool ended_ = false;
  std::uint32_t crc_ = 0;
};

}  // namespace

std::uint32_t extend_crc(std::uint32_t crc, std::span<const std::byte> bytes) {
  // zlib takes a null pointer, which an empty span may have, as a wish to start anew.
  if (bytes.empty()) return crc;
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32_z(crc, data, bytes.size()));
}

std::vector<ZipMember> list_zip(std::span<const std::byte> archive, std::string_view where) {
  return ZipParser(archive, where).parse();
}

std::vector<std::byte> read_zip_prefix(std::span<const std::byte> archive, const ZipMember& member,
                                       std::uint64_t count, std::string_view where) {
  std::vector<std::byte> bytes;
  MemberStream stream(archive, member, where);
  const auto wanted = static_cast<std::size_t>(std::min(count, member.size));
  while (bytes.size() < wanted) {
    const std::size_t start = bytes.size();
    bytes.resize(std::min(wanted, start + 65536));
    stream.read(std::span(bytes).subspan(start));
  }
  return bytes;
}

std::vector<std::byte> read_zip_rest(std::span<const std::byte> archive, const ZipMember& member,
                                     std::uint64_t skip, std::string_view where) {
  MemberStream stream(archive, member, where);
  std::vector<std::byte> skipped(static_cast<std::size_t>(skip));
  stream.read(skipped);
  const auto wanted = static_cast<std::size_t>(member.size - skip);
  std::vector<std::byte> bytes;
  // Stored bytes are there; of deflated ones at most twice of what came so far is believed.
  std::size_t step = member.method == 0 ? wanted : std::size_t{1} << 20;
  while (bytes.size() < wanted) {
    const std::size_t start = bytes.size();
    bytes.resize(std::min(wanted, start + step));
    stream.read(std::span(bytes).subspan(start));
    step = bytes.size();
  }
  stream.finish();
  return bytes;
}

}  // namespace tensorlane::io_internal
