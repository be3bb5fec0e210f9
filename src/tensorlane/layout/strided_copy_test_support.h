// Laws of the strided copy: over boxes of all kinds, every path writes what the definition says and
// touches nothing else.
#ifndef TENSORLANE_LAYOUT_STRIDED_COPY_TEST_SUPPORT_H_
#define TENSORLANE_LAYOUT_STRIDED_COPY_TEST_SUPPORT_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "tensorlane/layout/strided_copy.h"

namespace tensorlane::strided_copy_test {

// Lowest and one past the highest byte that operand k of the box touches.
std::pair<std::int64_t, std::int64_t> reach(const Box& box, int k, std::int64_t bytes);

std::vector<std::byte> noise(std::size_t size, unsigned seed);

// Runs every path on memory that ends exactly where the elements end (so that an address sanitizer
// sees a byte too far) and compares with the definition, gaps included.
void check(const Box& box, std::int64_t bytes);

// Boxes nested without overlap in the destination: the order of the loops and gaps are drawn at
// random.
class BoxMaker {
 public:
  explicit BoxMaker(unsigned seed) : random_(seed) {}

  int pick(int low, int high);
  // Of elements of `bytes`, up to five loops of `most` at most.
  Box make(std::int64_t bytes, int most);

 private:
  void set_strides(Box& box, int k, std::int64_t bytes, bool distinct, int gap_odds);
  std::mt19937 random_;
};

// Copies to aligned lines, of `size` bytes at most on either side.
class AlignedCopies {
 public:
  explicit AlignedCopies(std::size_t size);

  // Every target does what the reference does, and nothing beside.
  void check(const Box& box, std::int64_t bytes);

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  static Memory allocate(std::size_t size) {
    return Memory(static_cast<std::byte*>(std::aligned_alloc(64, size)));
  }
  std::size_t size_;
  Memory expected_, result_;
  std::vector<std::byte> source_;
};

}  // namespace tensorlane::strided_copy_test

#endif  // TENSORLANE_LAYOUT_STRIDED_COPY_TEST_SUPPORT_H_
