#include "tensorlane/compute/rows/byte_table_rows.h"

#include <numeric>

#include "tensorlane/base/fp_environment.h"

namespace tensorlane {
namespace {

constexpr std::size_t kBytes = 256;

template <class T>
using Table = std::array<T, kBytes>;

// Words of 64 bits are read and written: of results one by one, each store would take as long.
template <class T>
void look_up_dense(const Table<T>& table, const std::byte* from, std::byte* to,
                   std::int64_t count) {
  constexpr unsigned kInWord = 8 / sizeof(T);
  constexpr std::int64_t kAtOnce = 8;
  std::int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    auto bytes = load_element<std::uint64_t>(from + i);
    for (unsigned first = 0; first < kAtOnce; first += kInWord) {
      std::uint64_t word = 0;
      for (unsigned k = 0; k < kInWord; ++k, bytes >>= 8U)
        word |= std::uint64_t{table[bytes & 0xffU]} << (8 * sizeof(T) * k);
      store_element(to + (i + first) * static_cast<std::int64_t>(sizeof(T)), word);
    }
  }
  for (; i < count; ++i) {
    store_element(to + i * static_cast<std::int64_t>(sizeof(T)),
                  table[static_cast<std::uint8_t>(from[i])]);
  }
}

template <class T>
RowFunction row_of(const RowFunction& row, const Row& constants) {
  Table<std::uint8_t> bytes{};
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  Table<T> table{};
  Row every = constants;
  every.src[0] = reinterpret_cast<const std::byte*>(bytes.data());
  every.src_step[0] = 1;
  every.dst = reinterpret_cast<std::byte*>(table.data());
  every.dst_step = sizeof(T);
  every.count = kBytes;
  row(every);
  return [table](const Row& frame) {
    each_row(frame, [&](const Row& each) {
      if (each.dst_step == sizeof(T) && each.src_step[0] == 1)
        return look_up_dense(table, each.src[0], each.dst, each.count);
      for (std::int64_t i = 0; i < each.count; ++i) {
        const auto byte = static_cast<std::uint8_t>(each.src[0][i * each.src_step[0]]);
        store_element(each.dst + i * each.dst_step, table[byte]);
      }
    });
  };
}

}  // namespace

RowFunction byte_table_row(const RowFunction& row, const Row& constants,
                           std::int64_t result_bytes) {
  const ChipFloatScope flush;
  if (result_bytes == 1) return row_of<std::uint8_t>(row, constants);
  return result_bytes == 2 ? row_of<std::uint16_t>(row, constants)
                           : row_of<std::uint32_t>(row, constants);
}

std::vector<Implementation> with_byte_table(std::string_view dst, std::string_view src,
                                            std::string_view constant,
                                            std::function<RowFunction(const Command&)> row,
                                            std::vector<Implementation> rest) {
  const auto run = [=, row = std::move(row)](const Invocation& invocation) {
    const Command& command = invocation.command;
    const auto bits = static_cast<std::uint32_t>(command.arg(constant).value());
    Row constants{};
    constants.src[1] = reinterpret_cast<const std::byte*>(&bits);
    const std::array<std::string_view, 1> names = {src};
    return run_rows(
        invocation, dst, names,
        byte_table_row(row(command), constants, dtype_bytes(command.find(dst)->layout.dtype())));
  };
  rest.insert(rest.begin(), {"table", run, kAnyOperands});
  return rest;
}

}  // namespace tensorlane
