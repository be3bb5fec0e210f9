// Zip archives, as far as .npz files need them: stored and deflated members, zip64.
//
// The reader trusts nothing: every offset and size is checked against the archive before it is
// used, members may not overlap, a member may not claim more than deflate can pack into its bytes,
// and memory grows with what was really unpacked.
#ifndef TENSORLANE_IO_ZIP_INTERNAL_H_
#define TENSORLANE_IO_ZIP_INTERNAL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/io/file.h"

namespace tensorlane::io_internal {

struct ZipMember {
  std::string name;
  int method = 0;  // 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::uint64_t size = 0;    // unpacked
  std::uint64_t packed = 0;  // bytes in the archive
  std::uint64_t offset = 0;  // of the packed bytes in the archive
};

// The crc of bytes that follow others whose crc is `crc` (0 for none).
std::uint32_t extend_crc(std::uint32_t crc, std::span<const std::byte> bytes);

// The members in the order of the central directory. Throws UserError for anything out of order.
std::vector<ZipMember> list_zip(std::span<const std::byte> archive, std::string_view where);

// The first `count` bytes of a member, or all of it if it has fewer; without a check of the crc.
std::vector<std::byte> read_zip_prefix(std::span<const std::byte> archive, const ZipMember& member,
                                       std::uint64_t count, std::string_view where);

// Bytes `skip` to the end of a member. The crc is checked over the whole of it.
std::vector<std::byte> read_zip_rest(std::span<const std::byte> archive, const ZipMember& member,
                                     std::uint64_t skip, std::string_view where);

// The header that stands at `header_offset` before a member's bytes, or its entry in the directory.
std::vector<std::byte> zip_header(const ZipMember& member, std::uint64_t header_offset,
                                  bool central, bool force_zip64 = false);
// What ends an archive whose directory of `count` members takes `size` bytes from `offset` on.
std::vector<std::byte> zip_end(std::uint64_t offset, std::uint64_t size, std::uint64_t count,
                               bool force_zip64 = false);

// Writes an archive member by member. finish() must be called after the last.
class ZipWriter {
 public:
  // `force_zip64` writes the 64-bit fields even where 32 bits do.
  explicit ZipWriter(AtomicFile& file, bool force_zip64 = false)
      : file_(file), force_zip64_(force_zip64) {}

  // A member whose content is the concatenation of `parts`.
  void add(const std::string& name, std::span<const std::span<const std::byte>> parts,
           bool compress);
  void finish();

 private:
  struct Written {
    ZipMember member;
    std::uint64_t header_offset;
  };

  AtomicFile& file_;
  bool force_zip64_;
  std::vector<Written> written_;
};

}  // namespace tensorlane::io_internal

#endif  // TENSORLANE_IO_ZIP_INTERNAL_H_
