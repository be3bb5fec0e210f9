#include "tensorlane/compute/rows/word_rows.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/base/parallel.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kWord = 4;
// Below this many words a command stays on one thread.
constexpr std::int64_t kParallelWords = 8192;

// The rows of one box: the first of them, and loops over them.
struct WordNest {
  WordRow row;
  std::vector<Loop> loops;

  std::int64_t rows() const {
    std::int64_t count = row.rows;
    for (const Loop& loop : loops) count *= loop.extent;
    return count;
  }
};

// The nests of a command whose call comes again, found once.
class KeptWords final : public Lowering {
 public:
  KeptWords(const Invocation& invocation, std::span<const std::string_view> names)
      : memory_(invocation.memory), operands_(names.size()) {
    std::vector<const Layout*> layouts;
    for (const std::string_view name : names) {
      const Operand& operand = *invocation.command.find(name);
      // The host may write beside a tensor in other memories.
      fits_ = fits_ && operand.layout.nested() && operand.space == Space::kLocal;
      layouts.push_back(&operand.layout);
      widths_.push_back(operand.layout.element_units());
      bases_.push_back(invocation.base(operand));
    }
    for (const Box& box : fits_ ? fold(layouts) : std::vector<Box>()) fits_ = fits_ && add(box);
  }

  bool fits() const { return fits_; }
  bool is_of(const Invocation& invocation) const { return memory_ == invocation.memory; }
  void set_function(WordFunction function) { function_ = std::move(function); }
  void run() const {
    for (const WordNest& nest : nests_) run(nest);
  }

 private:
  // Images of a word are loops of steps below a word in operand 0, words one behind the other a
  // loop of that step in all operands; the others have whole words.
  bool add(const Box& box) {
    WordNest nest;
    WordRow& row = nest.row;
    row.count = 1;
    for (std::size_t k = 0; k < operands_; ++k) row.at[k] = bases_[k] + box.base[k];
    std::vector<Loop> inside;
    for (const Loop& loop : box.nest()) {
      const auto has_step = [&](std::int64_t step) {
        return std::all_of(loop.stride.begin(),
                           loop.stride.begin() + static_cast<std::ptrdiff_t>(operands_),
                           [step](std::int64_t stride) { return stride == step; });
      };
      if (loop.stride[0] == 1 || loop.stride[0] == 2) {
        inside.insert(inside.begin(), loop);  // the smaller step first
      } else if (has_step(kWord) && row.count == 1) {
        row.count = loop.extent;
      } else {
        nest.loops.push_back(loop);
      }
    }
    for (const Loop& loop : inside) {
      if (loop.stride[0] != row.images || loop.extent > 4 / row.images) return false;
      for (std::int64_t i = row.images; i < row.images * loop.extent; ++i) {
        for (std::size_t k = 0; k < operands_; ++k) {
          row.next[k][static_cast<std::size_t>(i)] =
              row.next[k][static_cast<std::size_t>(i % row.images)] +
              i / row.images * loop.stride[k];
        }
      }
      row.images *= static_cast<int>(loop.extent);
    }
    take_rows(nest);
    nests_.push_back(std::move(nest));
    return has_whole_words(nests_.back());
  }

  // The longest loop into the row, so that a call of the function has much to do.
  void take_rows(WordNest& nest) const {
    const auto longest = std::ranges::max_element(nest.loops, {}, &Loop::extent);
    if (longest == nest.loops.end()) return;
    nest.row.rows = longest->extent;
    nest.row.step = longest->stride;
    nest.loops.erase(longest);
  }

  // Whether each image has its place in words of 32 bits. Steps of images become those of words.
  bool has_whole_words(WordNest& nest) const {
    WordRow& row = nest.row;
    if (row.images == 3) return false;
    const auto keeps_places = [this](const auto& steps) {
      return std::all_of(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(operands_),
                         [](std::int64_t step) { return step % kWord == 0; });
    };
    if (!keeps_places(row.step)) return false;
    for (const Loop& loop : nest.loops) {
      if (!keeps_places(loop.stride)) return false;
    }
    row.first = static_cast<int>(inside_word(row.at[0]));
    if (row.first % row.images != 0) return false;
    for (std::size_t k = 0; k < operands_; ++k) {
      const std::int64_t inside = inside_word(row.at[k]);
      const std::array<std::int64_t, 4> places = row.next[k];
      row.at[k] -= inside;
      for (int i = 0; i < row.images; ++i) {
        const std::int64_t place = places[static_cast<std::size_t>(i)] + inside;
        if (place % kWord != (row.first + i) * widths_[k] % kWord) return false;
        const std::int64_t next = place - place % kWord;
        const bool shares_word = widths_[k] == 1 || (widths_[k] == 2 && (row.first + i) % 2 == 1);
        if (i > 0 && shares_word && next != row.next[k][static_cast<std::size_t>(i - 1)])
          return false;
        row.next[k][static_cast<std::size_t>(i)] = next;
      }
    }
    return true;
  }
  static std::int64_t inside_word(const std::byte* at) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at) % kWord);
  }

  void run(const WordNest& nest) const {
    const std::int64_t rows = nest.rows();
    const auto range = [&](std::int64_t begin, std::int64_t end) {
      const ChipFloatScope flush;
      while (begin < end) {
        WordRow row = nest.row;
        const std::int64_t first = begin % row.rows;
        const auto advance = [&](std::int64_t steps, const auto& stride) {
          for (std::size_t k = 0; k < operands_; ++k) row.at[k] += steps * stride[k];
        };
        advance(first, row.step);
        std::int64_t rest = begin / row.rows;
        for (std::size_t d = nest.loops.size(); d-- > 0; rest /= nest.loops[d].extent)
          advance(rest % nest.loops[d].extent, nest.loops[d].stride);
        row.rows = std::min(row.rows - first, end - begin);
        function_(row);
        begin += row.rows;
      }
    };
    const std::int64_t enough = least_parallel_work(kParallelWords);
    if (rows * nest.row.count < 2 * enough) return range(0, rows);
    parallel_ranges(rows, std::max<std::int64_t>(1, enough / nest.row.count), range);
  }

  decltype(Invocation::memory) memory_;
  std::size_t operands_;
  std::vector<std::byte*> bases_;
  std::vector<std::int64_t> widths_;
  std::vector<WordNest> nests_;
  WordFunction function_;
  bool fits_ = true;
};

}  // namespace

bool run_known_word_rows(const Invocation& invocation) {
  const auto* const kept = dynamic_cast<const KeptWords*>(invocation.command.known.lowering());
  if (kept == nullptr || invocation.moved != nullptr || !kept->is_of(invocation)) return false;
  kept->run();
  return true;
}

bool run_word_rows(const Invocation& invocation, std::span<const std::string_view> names,
                   const std::function<WordFunction()>& make) {
  if (run_known_word_rows(invocation)) return true;
  auto words = std::make_unique<KeptWords>(invocation, names);
  if (!words->fits()) return false;
  words->set_function(make());
  words->run();
  KnownCall& call = invocation.command.known;
  if (invocation.moved == nullptr && call.keeps_coming() && call.lowering() == nullptr)
    call.keep(std::move(words));
  return true;
}

}  // namespace tensorlane
