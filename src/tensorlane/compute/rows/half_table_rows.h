// Element-wise functions of one tensor of 16-bit elements: there are 65,536 results. A row looks
// its elements up among them.
//
// All of them take as long as a command on so many elements, so that they are computed once for the
// commands that come, and only where enough elements do: see HalfTables. The results are those of
// the row function that made the table, whether it is there or not.
#ifndef TENSORLANE_COMPUTE_ROWS_HALF_TABLE_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_HALF_TABLE_ROWS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "tensorlane/compute/rows/elementwise.h"

namespace tensorlane {

inline constexpr std::int64_t kHalves = 1 << 16;

// The results of all 16-bit elements, of 16 bits too.
using HalfTable = std::array<std::uint16_t, kHalves>;
using SharedHalfTable = std::shared_ptr<const HalfTable>;

// Of `row`, whose source `source` are the elements; the others stand in `constants`.
SharedHalfTable make_half_table(const RowFunction& row, const Row& constants, std::size_t source);

// Looks source 0 of a frame up, in rows of any form.
void look_up_halves(const HalfTable& table, const Row& frame);

// The tables of a process. Any thread may ask.
class HalfTables {
 public:
  // What decides all results: the function, the types, the constants.
  using Key = std::vector<std::uint64_t>;

  static HalfTables& of_process();

  // The table of `key` for a command on so many elements. `make` makes it once there were so many
  // that it pays; null until then.
  template <class Make>
  SharedHalfTable find(const Key& key, std::int64_t elements, const Make& make) {
    bool pays = false;
    SharedHalfTable table = known(key, elements, pays);
    if (pays) keep(key, table = make());  // others compute meanwhile, the same table too
    return table;
  }

  // Makes every table at once: for tests.
  std::atomic<bool> always = false;

 private:
  struct Entry {
    Key key;
    std::int64_t elements = 0;  // that came so far
    std::uint64_t used = 0;     // when it was last asked for
    SharedHalfTable table = nullptr;
  };
  SharedHalfTable known(const Key& key, std::int64_t elements, bool& pays);
  void keep(const Key& key, const SharedHalfTable& table);
  Entry& entry_of(const Key& key);

  std::mutex mutex_;
  std::uint64_t now_ = 0;
  std::vector<Entry> entries_;
};

// dst = the results of `table` for the elements of src, as the rows of one command.
bool look_up_tensor(const HalfTable& table, const Invocation& invocation, std::string_view dst,
                    std::string_view src);
// The same by the table of `key`, which `make` makes. False while none pays.
template <class Make>
bool look_up_tensor(const HalfTables::Key& key, const Make& make, const Invocation& invocation,
                    std::string_view dst, std::string_view src) {
  const std::int64_t elements = invocation.command.find(dst)->layout.size();
  const SharedHalfTable table = HalfTables::of_process().find(key, elements, make);
  return table != nullptr && look_up_tensor(*table, invocation, dst, src);
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_HALF_TABLE_ROWS_H_
