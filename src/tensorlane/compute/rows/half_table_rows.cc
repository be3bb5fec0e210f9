#include "tensorlane/compute/rows/half_table_rows.h"

#include <algorithm>
#include <numeric>

#include "tensorlane/base/fp_environment.h"

namespace tensorlane {
namespace {

// Elements after which a table is made: it takes as long as a fourth of them did.
constexpr std::int64_t kPays = 4 * kHalves;
// Of 128 KB each. The one that was not asked for the longest goes.
constexpr std::size_t kMostTables = 16;

constexpr std::int64_t kStep = 2;

// Results go out side by side in a vector: one by one, each store would take as long.
void look_up_dense(const HalfTable& table, const std::byte* from, std::byte* to,
                   std::int64_t count) {
  using Vector [[gnu::vector_size(16)]] = std::uint16_t;
  constexpr std::int64_t kAtOnce = 8;
  const auto result = [&table, from](std::int64_t i) {
    return table[load_element<std::uint16_t>(from + i * kStep)];
  };
  std::int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    const Vector results = {result(i),     result(i + 1), result(i + 2), result(i + 3),
                            result(i + 4), result(i + 5), result(i + 6), result(i + 7)};
    store_element(to + i * kStep, results);
  }
  for (; i < count; ++i) store_element(to + i * kStep, result(i));
}

}  // namespace

SharedHalfTable make_half_table(const RowFunction& row, const Row& constants, std::size_t source) {
  const ChipFloatScope flush;
  const auto halves = std::make_unique<HalfTable>();
  std::iota(halves->begin(), halves->end(), std::uint16_t{0});
  auto table = std::make_shared<HalfTable>();
  Row every = constants;
  every.src[source] = reinterpret_cast<const std::byte*>(halves->data());
  every.src_step[source] = kStep;
  every.dst = reinterpret_cast<std::byte*>(table->data());
  every.dst_step = kStep;
  every.count = kHalves;
  row(every);
  return table;
}

void look_up_halves(const HalfTable& table, const Row& frame) {
  const std::int64_t step = frame.src_step[0];
  const bool is_dense = frame.dst_step == kStep && step == kStep;
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    for (std::int64_t r = 0; r < frame.rows; ++r) {
      const std::byte* const from = frame.src[0] + b * frame.src_block[0] + r * frame.src_next[0];
      std::byte* const to = frame.dst + b * frame.dst_block + r * frame.dst_next;
      if (is_dense) {
        look_up_dense(table, from, to, frame.count);
        continue;
      }
      for (std::int64_t i = 0; i < frame.count; ++i) {
        store_element(to + i * frame.dst_step, table[load_element<std::uint16_t>(from + i * step)]);
      }
    }
  }
}

bool look_up_tensor(const HalfTable& table, const Invocation& invocation, std::string_view dst,
                    std::string_view src) {
  const std::array<std::string_view, 1> names = {src};
  release_other_rows(invocation, names);  // of calls before there was a table
  return run_rows(invocation, dst, names,
                  [&table](const Row& frame) { look_up_halves(table, frame); });
}

HalfTables& HalfTables::of_process() {
  static auto& tables = *new HalfTables;
  return tables;
}

HalfTables::Entry& HalfTables::entry_of(const Key& key) {
  auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found == entries_.end() && entries_.size() < kMostTables) {
    found = entries_.insert(entries_.end(), Entry{.key = key});
  } else if (found == entries_.end()) {
    found = std::ranges::min_element(entries_, {}, &Entry::used);
    *found = Entry{.key = key};
  }
  found->used = ++now_;
  return *found;
}

SharedHalfTable HalfTables::known(const Key& key, std::int64_t elements, bool& pays) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entry_of(key);
  entry.elements += elements;
  pays = entry.table == nullptr && (entry.elements >= kPays || always);
  return entry.table;
}

void HalfTables::keep(const Key& key, const SharedHalfTable& table) {
  const std::lock_guard lock(mutex_);
  entry_of(key).table = table;
}

}  // namespace tensorlane
