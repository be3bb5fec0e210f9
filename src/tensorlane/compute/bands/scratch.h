// Working memory of the fast paths.
#ifndef TENSORLANE_COMPUTE_BANDS_SCRATCH_H_
#define TENSORLANE_COMPUTE_BANDS_SCRATCH_H_

#include <hwy/aligned_allocator.h>

#include <cstddef>

namespace tensorlane {

// Words that grow on demand and are kept between uses. The contents do not survive growth.
template <class Word>
class GrowingBuffer {
 public:
  Word* reserve(std::size_t count) {
    if (count > capacity_) {
      data_ = hwy::AllocateAligned<Word>(count);
      capacity_ = count;
    }
    return data_.get();
  }

 private:
  hwy::AlignedFreeUniquePtr<Word[]> data_;
  std::size_t capacity_ = 0;
};

// The calling thread's buffer number kSlot. Only for code that starts no parallel work while it
// uses the buffer: a thread that waits for such work may run another task of the same kind.
template <int kSlot, class Word = float>
Word* thread_scratch(std::size_t count) {
  thread_local GrowingBuffer<Word> buffer;
  return buffer.reserve(count);
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_SCRATCH_H_
