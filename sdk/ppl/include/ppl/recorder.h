// SPDX-License-Identifier: Apache-2.0
//
// What a kernel has said so far: commands over virtual tensors, the loops they stand in, the lines
// they come from.
//
// A call of dma:: or tiu:: adds a command: which engine carries it out, what it reads and writes,
// and how it is issued once addresses are known. `issue` is run by emit.h, after memory.h has given
// every buffer its place and stages.h has put the commands in order.

#ifndef TENSORLANE_PPL_RECORDER_H_
#define TENSORLANE_PPL_RECORDER_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ppl/view.h"
#include "tensorlane_recorded.h"

namespace ppl {
namespace detail {

enum class Engine : std::uint8_t { kTiu, kDma, kSdma };

// Bytes of local memory that a tensor takes in every NPU.
struct Buffer {
  std::int64_t bytes = 0;
  std::int64_t address = -1;  // -1: none yet
  int first = -1, last = -1;  // the steps it lives from and to; -1: not used
  int made = -1;              // path of the tensor's own line
  int handles = 0;            // objects of the kernel that can still name it
  bool given = false;         // the kernel says where it lies
  bool kept = false;          // lives on from before a flush
  bool listed = true;         // among those of the next flush
  dim4 block = {0, 0, 0, 0};  // of a tensor whose real shape is not within it, which none may use
};

// Marks a text that TensorLane has in other languages, too.
constexpr const char* msg(const char* text) {
  return text;
}

template <class Number>
std::string text_of(Number number) {
  return std::to_string(number);
}
inline std::string text_of(const std::string& text) {
  return text;
}
inline std::string text_of(const dim4& shape) {
  return "{" + std::to_string(shape.n) + ", " + std::to_string(shape.c) + ", " +
         std::to_string(shape.h) + ", " + std::to_string(shape.w) + "}";
}

struct Access {
  View view;
  bool writes = false;
};
inline Access reads(const View& view) {
  return {view, false};
}
inline Access writes(const View& view) {
  return {view, true};
}

struct Command {
  Engine engine = Engine::kTiu;
  int path = -1;
  int loop = -1;       // -1: in none that is to be pipelined
  int iteration = -1;  // of that loop
  int region = -1;     // of the kernel's own parallel_start and parallel_end
  std::size_t accesses = 0, accesses_end = 0;
  std::function<void()> issue;
};

struct Iteration {
  std::size_t begin, end;  // commands
};
// Turns of a loop that follow each other, from the calls of enable_pipeline() at one place.
struct Loop {
  const void* place = nullptr;
  std::vector<Iteration> iterations;
  bool pipelined = true;  // no other loop inside wants to be
};

// Thrown where a kernel is only planned, not run.
struct Refused {
  Error code;
};
// Thrown where nothing but that is asked of a kernel.
struct CoresAsked {
  int count;
};

// A view that the kernel refers to, of whatever class.
struct KeptView {
  KeptView() = default;
  KeptView(const KeptView&) = delete;
  KeptView& operator=(const KeptView&) = delete;
  virtual ~KeptView() = default;
};

class Recorder {
 public:
  std::vector<std::unique_ptr<KeptView>> views;
  std::vector<Command> commands;
  std::vector<Access> accesses;
  std::vector<Buffer> buffers;
  std::vector<int> current;  // those that the next flush may have to place
  std::vector<Loop> loops;
  std::vector<int> open_loops;
  std::int64_t l2_used = 0;
  int region = -1, regions = 0;
  bool planning = false;
  bool asking = false;                               // how many cores the kernel wants
  int path = -1;                                     // of the call in hand
  const void* kernel_frame = nullptr;                // of the function that calls the kernel
  int tables[8] = {-1, -1, -1, -1, -1, -1, -1, -1};  // buffers of coefficients, once loaded
  std::int64_t peak = 0;  // bytes of local memory that were in use at once

  // Everything from the launch before is forgotten.
  void begin(const void* frame, bool plan) {
    views.clear();
    *this = Recorder();
    kernel_frame = frame;
    planning = plan;
  }

  int make_buffer(std::int64_t bytes) {
    Buffer buffer;
    buffer.bytes = (bytes + row_bytes() - 1) / row_bytes() * row_bytes();
    buffer.made = path;
    buffers.push_back(buffer);
    current.push_back(static_cast<int>(buffers.size()) - 1);
    return current.back();
  }

  void record(Engine engine, std::initializer_list<Access> touched, std::function<void()> issue) {
    Command command;
    command.engine = engine;
    command.path = path;
    command.region = region;
    if (region < 0 && !open_loops.empty() && open_loops.back() >= 0) {
      command.loop = open_loops.back();
      command.iteration = static_cast<int>(loops[command.loop].iterations.size()) - 1;
    }
    command.accesses = accesses.size();
    for (const Access& access : touched) {
      check_bounds(access.view);
      accesses.push_back(access);
    }
    command.accesses_end = accesses.size();
    command.issue = std::move(issue);
    commands.push_back(std::move(command));
  }

  // Ends the launch. `text` has its Chinese in TensorLane; {} in it are the values, in their order.
  template <class... Values>
  [[noreturn]] void refuse(Error code, const char* text, const Values&... values) {
    refuse_with(code, text, {text_of(values)...});
  }

  // The calls from a function of these headers, whose frame it is, back to the kernel.
  int path_from(const void* frame);
  const std::vector<const void*>& calls(int of) const { return paths_[of]; }
  void say_place(int of) const {
    if (tensorlane_place == nullptr) return;
    if (of < 0) {
      tensorlane_place(nullptr, 0);
    } else {
      tensorlane_place(paths_[of].data(), static_cast<unsigned>(paths_[of].size()));
    }
  }

 private:
  void check_bounds(const View& view) {
    if (view.memory != Memory::kLocal || view.buffer < 0) return;
    const Buffer& buffer = buffers[view.buffer];
    if (buffer.block.n != 0) {
      path = buffer.made;
      refuse(PplSetMemRefShapeErr, msg("the real shape {} is not within the block shape {}"),
             view.shape, buffer.block);
    }
    if (buffer.bytes == 0)
      refuse(PplShapeInferErr,
             msg("a tensor without a shape is used before anything is computed into it"));
    const std::int64_t end = view.offset + local_extent(view);
    if (view.offset >= 0 && (end <= buffer.bytes || buffer.given)) return;
    refuse(PplSetMemRefShapeErr, msg("an operand ends at byte {} of an NPU, its tensor has {}"),
           end, buffer.bytes);
  }
  [[noreturn]] void refuse_with(Error code, const char* text,
                                const std::vector<std::string>& values);

  std::vector<std::vector<const void*>> paths_;
  std::unordered_map<std::uint64_t, std::vector<int>> known_;  // paths, by a hash of theirs
};

// Of this thread, a plain pointer: an object whose destructor waits for the end of the thread would
// keep the library in memory until then, though it was unloaded.
inline Recorder*& recorder_of_thread() {
  static thread_local Recorder* instance = nullptr;
  return instance;
}
inline Recorder& recorder() {
  Recorder*& instance = recorder_of_thread();
  if (instance == nullptr) instance = new Recorder();
  return *instance;
}
// Once a launch has ended. One that was refused leaves its own to the next.
inline void forget_recorder() {
  Recorder*& instance = recorder_of_thread();
  if (instance == nullptr) return;
  instance->views.clear();
  delete instance;
  instance = nullptr;
}

inline int Recorder::path_from(const void* frame) {
  constexpr int kDeepest = 24;
  const void* calls[kDeepest];
  int count = 0;
  std::uint64_t hash = 0;
  // Kernels are compiled with frame pointers: each frame holds its caller's and the way back.
  const auto* at = static_cast<const void* const*>(frame);
  while (count < kDeepest) {
    calls[count] = at[1];
    hash = (hash ^ reinterpret_cast<std::uintptr_t>(at[1])) * 0x9e3779b97f4a7c15u;
    ++count;
    const auto* const caller = static_cast<const void* const*>(at[0]);
    if (caller <= at || caller >= kernel_frame || caller[0] >= kernel_frame) break;
    at = caller;
  }
  for (const int known : known_[hash]) {
    if (paths_[known] == std::vector<const void*>(calls, calls + count)) return known;
  }
  paths_.emplace_back(calls, calls + count);
  known_[hash].push_back(static_cast<int>(paths_.size()) - 1);
  return static_cast<int>(paths_.size()) - 1;
}

inline void Recorder::refuse_with(Error code, const char* text,
                                  const std::vector<std::string>& values) {
  const char* const name = code == PplLocalAddrAssignErr  ? "PplLocalAddrAssignErr (0x11)"
                           : code == PplL2AddrAssignErr   ? "PplL2AddrAssignErr (0x1a)"
                           : code == PplShapeInferErr     ? "PplShapeInferErr (0x1b)"
                           : code == PplSetMemRefShapeErr ? "PplSetMemRefShapeErr (0x1c)"
                                                          : "PplTensorConvErr (0x1e)";
  if (planning) throw Refused{code};
  say_place(path);
  constexpr std::size_t kMost = 8;
  const char* words[kMost] = {};
  const std::size_t count = values.size() < kMost ? values.size() : kMost;
  for (std::size_t k = 0; k < count; ++k) words[k] = values[k].c_str();
  if (tensorlane_refuse != nullptr)
    tensorlane_refuse(name, text, words, static_cast<unsigned>(count));
  tpu_assert_failed(name, "ppl", 0, "kernel");
}

// In every function that a kernel calls: the call counts as the kernel's, and not as the call of
// the function of these headers that it is made of.
class Here {
 public:
  explicit Here(const void* frame) : outermost_(recorder().path < 0) {
    if (outermost_) recorder().path = recorder().path_from(frame);
  }
  ~Here() {
    if (outermost_) recorder().path = -1;
  }
  Here(const Here&) = delete;
  Here& operator=(const Here&) = delete;

 private:
  const bool outermost_;
};

}  // namespace detail
}  // namespace ppl

// A function that kernels call: never part of its caller, so that there is a call to be found.
#define PPL_CALL [[gnu::noinline]] inline
#define PPL_HERE const ::ppl::detail::Here ppl_here(__builtin_frame_address(0))

#endif  // TENSORLANE_PPL_RECORDER_H_
