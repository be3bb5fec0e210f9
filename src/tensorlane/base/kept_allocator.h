// Memory for large arrays that come and go with every command: a thread keeps what it gave back and
// takes it again, so that the system need not clear pages for it anew.
//
//   std::vector<double, KeptAllocator<double>> numbers(1 << 20);
//
// Elements that are made without a value (resize) are not set where their type allows that.
#ifndef TENSORLANE_BASE_KEPT_ALLOCATOR_H_
#define TENSORLANE_BASE_KEPT_ALLOCATOR_H_

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace tensorlane {

// At least so many bytes, aligned for any vector; every call of one thread that asks for as many
// may get what another one gave back.
void* take_kept_memory(std::size_t bytes);
// With the bytes that were asked for. Any thread may, also at its end.
void give_kept_memory(void* memory, std::size_t bytes) noexcept;

template <class T>
struct KeptAllocator {
  using value_type = T;
  KeptAllocator() = default;
  template <class U>
  KeptAllocator(const KeptAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(take_kept_memory(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    give_kept_memory(memory, count * sizeof(T));
  }
  template <class U>
  void construct(U* at) noexcept(std::is_nothrow_default_constructible_v<U>) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
  friend bool operator==(const KeptAllocator&, const KeptAllocator&) { return true; }
};

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_KEPT_ALLOCATOR_H_
