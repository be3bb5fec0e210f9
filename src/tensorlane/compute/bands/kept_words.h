// Operands in another form, in memory that is kept for the next command (kept_memory.h).
#ifndef TENSORLANE_COMPUTE_BANDS_KEPT_WORDS_H_
#define TENSORLANE_COMPUTE_BANDS_KEPT_WORDS_H_

#include <cstddef>
#include <span>
#include <utility>

#include "tensorlane/compute/bands/kept_memory.h"

namespace tensorlane {

// So many words, as they come, in memory that is kept for the next command.
template <class Word>
class Words {
 public:
  Words() = default;
  explicit Words(std::size_t count)
      : data_(static_cast<Word*>(take_kept(count * sizeof(Word)))), count_(count) {}
  ~Words() {
    if (data_ != nullptr) keep(data_, count_ * sizeof(Word));
  }
  Words(Words&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Words& operator=(Words&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  Word* data() { return data_; }
  const Word* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::span<const Word> all() const { return {data_, count_}; }

 private:
  Word* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_KEPT_WORDS_H_
