// Fast windows of every type: the rows a band needs become words, these become phase planes, and
// one tile computes all positions of the band.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <span>
#include <type_traits>
#include <vector>

#include "tensorlane/products/any_type_window.h"
#include "tensorlane/products/any_type_window_tile.h"
#include "tensorlane/products/dense_words.h"
#include "tensorlane/products/inserted_rows.h"
#include "tensorlane/products/integer_store.h"
#include "tensorlane/tiles/phase_planes.h"
#include "tensorlane/tiles/scratch.h"
#include "tensorlane/tiles/tasks.h"

namespace tensorlane {
namespace {

// A band's planes and results stay in the first-level cache.
constexpr std::int64_t kBandWords = 4 * 1024;
constexpr std::int64_t kMostBandWords = 1LL << 26;
// What laying out and storing one output costs, in multiply-adds.
constexpr std::int64_t kLayoutCost = 32;

// Word: float for floating point inputs, std::int32_t for integers.
template <class Word>
class FastWindows {
 public:
  explicit FastWindows(const AnyTypeWindowArgs& args)
      : args_(args),
        rows_{args.input,   args.input_type, args.input_h,
              args.input_w, args.insert_h,   args.insert_w},
        band_rows_(choose_band_rows()),
        planes_(args.window, rows_.h(), rows_.w(), band_rows_),
        most_(kIsFloat ? 0 : most_sum()),
        in_pairs_(fits_pairs()) {
    for_each_position([&](int kh, int kw) { offsets_.push_back(planes_.offset(kh, kw)); });
    for (std::size_t t = 0; in_pairs_ && t < offsets_.size(); ++t) {
      firsts_.push_back(t);
      pair_offsets_.push_back(offsets_[t]);
      if (t + 1 < offsets_.size() && offsets_[t + 1] == offsets_[t] + 1) ++t;
    }
  }

  bool fits() const {
    return args_.output.w == 1 && planes_.channel_size() <= kMostBandWords &&
           std::int64_t{rows_.h()} * rows_.w() <= kMostBandWords &&
           (kIsFloat || args_.rule == WindowRule::kMaximum ||
            exact_in_words(args_.finish, static_cast<std::int64_t>(offsets_.size()),
                           args_.input_type, args_.weight_type));
  }

  void run() const {
    const int output_h = args_.window.output_h;
    const int bands = (output_h + band_rows_ - 1) / band_rows_;
    const std::int64_t tasks = std::int64_t{args_.n} * args_.c * bands;
    const std::int64_t outputs = std::int64_t{args_.n} * args_.c * output_h * args_.window.output_w;
    const auto work = outputs * (kLayoutCost + static_cast<std::int64_t>(offsets_.size()));
    for_each_task(tasks, work, [&](std::int64_t i) {
      const int first_row = static_cast<int>(i % bands) * band_rows_;
      const int c = static_cast<int>(i / bands % args_.c);
      const int n = static_cast<int>(i / bands / args_.c);
      run_band(n, c, first_row, std::min(band_rows_, output_h - first_row));
    });
  }

 private:
  static constexpr bool kIsFloat = std::is_same_v<Word, float>;

  template <class Visit>
  void for_each_position(Visit visit) const {
    for (int kh = 0; kh < args_.window.kernel_h; ++kh) {
      for (int kw = 0; kw < args_.window.kernel_w; ++kw) visit(kh, kw);
    }
  }

  int choose_band_rows() const {
    const PhasePlanes one_row(args_.window, rows_.h(), rows_.w(), 1);
    const PhasePlanes two_rows(args_.window, rows_.h(), rows_.w(), 2);
    const std::int64_t row = two_rows.channel_size() - one_row.channel_size();
    return static_cast<int>(std::clamp<std::int64_t>(
        (kBandWords - one_row.channel_size()) / row + 1, 1, args_.window.output_h));
  }

  Word padding_word(int c) const {
    if constexpr (kIsFloat) return bits_to_float(args_.padding_bits, args_.input_type);
    return static_cast<Word>(args_.padding.of(c));
  }

  Word inserted_word(int c) const {
    if constexpr (kIsFloat) return 0;
    return static_cast<Word>(args_.insert_value.of(c));
  }

  // The planes of a band, in the calling thread's scratch memory.
  const Word* lay_out(int n, int c, int first_row, int rows) const {
    const Window2d& window = args_.window;
    const std::int64_t size = planes_.channel_size();
    Word* planes = thread_scratch<0, Word>(static_cast<std::size_t>(size + kWindowSlack));
    if (args_.input_type == Dtype::kFp32 && args_.insert_h == 0 && args_.insert_w == 0) {
      planes_.fill(args_.input, n, c, first_row, padding_word(c), planes);
    } else {
      Word* words = thread_scratch<1, Word>(static_cast<std::size_t>(rows_.h()) * rows_.w());
      const int begin = std::clamp(window.input_row(first_row, 0), 0, rows_.h());
      const int last = window.input_row(first_row + rows - 1, window.kernel_h - 1);
      const int end = std::clamp(last + 1, begin, rows_.h());
      rows_.fill(n, c, begin, end, inserted_word(c),
                 words + static_cast<std::ptrdiff_t>(begin) * rows_.w());
      const LocalView view{reinterpret_cast<std::byte*>(words), 1, 0, 0, 0, 0, 0, rows_.w(), 1};
      planes_.fill(view, 0, 0, first_row, padding_word(c), planes);
    }
    std::fill_n(planes + size, kWindowSlack, Word{});
    if constexpr (!kIsFloat) {
      if (in_pairs_) pair_neighbours(planes, size);
    }
    return planes;
  }

  void run_band(int n, int c, int first_row, int rows) const {
    const Word* planes = lay_out(n, c, first_row, rows);
    const std::int64_t positions = planes_.positions(rows);
    Word* out = thread_scratch<2, Word>(static_cast<std::size_t>(positions + kWindowSlack));
    compute({planes, offsets_.data(), static_cast<int>(offsets_.size()), positions, out}, c);
    thread_local std::vector<std::byte*> to;
    to.clear();
    std::byte* const first = args_.output.address(n, c, first_row, 0);
    const std::int64_t row_bytes = args_.output.h * args_.output.element_bytes;
    for (int row = 0; row < rows; ++row) to.push_back(first + row * row_bytes);
    if constexpr (kIsFloat) {
      if (stores_rows_at_once()) return store_dense(out, rows, to.front());
      for (std::byte* const row : to) {
        store_floats(out, args_.window.output_w, args_.output_type, row);
        if (args_.rule == WindowRule::kMaximum && dtype_bytes(args_.output_type) == 2)
          restore_bits(out, n, c, first_row, row);
        ++first_row;
        out += planes_.pitch();
      }
    } else {
      store_integers(out, c, to);
    }
  }

  bool stores_rows_at_once() const {
    return args_.output.h == args_.window.output_w && args_.rule == WindowRule::kSum;
  }
  // Rows that follow each other.
  void store_dense(const float* out, int rows, std::byte* to) const {
    const int width = args_.window.output_w;
    float* dense = thread_scratch<1>(static_cast<std::size_t>(rows) * width);
    for (int row = 0; row < rows; ++row)
      std::copy_n(out + std::ptrdiff_t{row} * planes_.pitch(), width,
                  dense + std::ptrdiff_t{row} * width);
    store_floats(dense, rows * width, args_.output_type, to);
  }

  // Rows of results of a channel.
  void store_integers(const std::int32_t* out, int c, std::span<std::byte* const> to) const {
    const bool sums = args_.rule == WindowRule::kSum;
    const std::int64_t bias =
        sums && args_.has_bias ? load_integer(args_.bias.address(0, c, 0, 0), args_.bias_type) : 0;
    thread_local std::vector<std::int64_t> terms;
    terms.assign(bias == 0 ? 0 : to.size(), bias);
    const IntegerFinish largest_stay{.output = args_.output_type};
    IntegerStore(sums ? args_.finish : largest_stay, false, terms, {}, {}, most_)
        .store({.sums = out,
                .stride = planes_.pitch(),
                .rows = static_cast<int>(to.size()),
                .columns = args_.window.output_w,
                .to = to.data()});
  }

  // The largest sum of a window of bytes.
  std::int64_t most_sum() const {
    constexpr std::int64_t kMostByte = 255;
    const std::int64_t weight =
        args_.weight_is_constant ? std::abs(bits_to_integer(args_.weight_bits, args_.weight_type))
                                 : kMostByte;
    return std::int64_t{args_.window.kernel_h} * args_.window.kernel_w * kMostByte * weight;
  }

  // A conversion to 16 bits makes NaN quiet and denormal bf16 zero; maxima keep their bits.
  static bool changes_bits(float value) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFU;
    return (magnitude != 0 && magnitude < 0x00800000U) || magnitude > 0x7F800000U;
  }
  void restore_bits(const float* out, int n, int c, int oh, std::byte* to) const {
    const int output_w = args_.window.output_w;
    bool any = false;  // found without a branch per element
    for (int ow = 0; ow < output_w; ++ow) any |= changes_bits(out[ow]);
    if (!any) return;
    const int bytes = dtype_bytes(args_.output_type);
    for (int ow = 0; ow < output_w; ++ow, to += bytes) {
      if (changes_bits(out[ow]))
        store_bits(to, args_.output_type, any_type_window_maximum(args_, n, c, oh, ow));
    }
  }

  void compute(const WindowTile<Word>& tile, int c) const {
    if (args_.rule == WindowRule::kMaximum) {
      if constexpr (kIsFloat) return max_float_windows(tile);
      if constexpr (!kIsFloat) return max_integer_windows(tile);
    }
    const std::vector<Word>& weights = weights_of(c);
    if constexpr (kIsFloat) {
      const float bias =
          args_.has_bias ? load_float(args_.bias.address(0, c, 0, 0), args_.bias_type) : 0.0F;
      sum_rounded_windows(tile, weights.data(), bias, args_.input_type);
    } else if (in_pairs_) {
      WindowTile<Word> pairs = tile;
      pairs.offsets = pair_offsets_.data();
      pairs.length = static_cast<int>(pair_offsets_.size());
      sum_pair_windows(pairs, pair_weights(weights).data());
    } else {
      sum_integer_windows(tile, weights.data());
    }
  }

  const std::vector<Word>& weights_of(int c) const {
    thread_local std::vector<Word> weights;
    weights.resize(offsets_.size());
    const LocalView& from = args_.weight;
    if (!args_.weight_is_constant && from.w == 1 && from.h == args_.window.kernel_w) {
      widen(from.address(0, c, 0, 0), 1, args_.weight_type, static_cast<int>(weights.size()),
            weights.data());
      if (args_.rotate) std::ranges::reverse(weights);
    } else {
      auto to = weights.begin();
      for_each_position([&](int kh, int kw) {
        *to++ = word_of<Word>(args_.weight_bits_at(c, kh, kw), args_.weight_type);
      });
    }
    return weights;
  }

  // The weights of firsts_, with those of the positions between them in the high bits.
  const std::vector<std::int32_t>& pair_weights(const std::vector<std::int32_t>& weights) const {
    thread_local std::vector<std::int32_t> pairs;
    pairs.clear();
    for (std::size_t k = 0; k < firsts_.size(); ++k) {
      const std::size_t first = firsts_[k];
      const std::size_t end = k + 1 < firsts_.size() ? firsts_[k + 1] : weights.size();
      const std::uint32_t second =
          end - first == 2 ? static_cast<std::uint32_t>(weights[first + 1]) : 0;
      pairs.push_back(static_cast<std::int32_t>(
          (static_cast<std::uint32_t>(weights[first]) & 0xFFFF) | second << 16));
    }
    return pairs;
  }

  // Whether inputs and weights fit 16 bits with sign, so that two positions share a word.
  bool fits_pairs() const {
    constexpr std::int64_t kMost = INT16_MAX;
    return !kIsFloat && args_.rule == WindowRule::kSum && dtype_bytes(args_.input_type) == 1 &&
           dtype_bytes(args_.weight_type) == 1 && std::abs(args_.padding.value) <= kMost &&
           std::abs(args_.insert_value.value) <= kMost && fits_int16(args_.padding.type) &&
           fits_int16(args_.insert_value.type);
  }

  const AnyTypeWindowArgs& args_;
  const InsertedRows rows_;
  const int band_rows_;
  const PhasePlanes planes_;
  const std::int64_t most_;
  const bool in_pairs_;
  std::vector<std::int32_t> offsets_;
  std::vector<std::size_t> firsts_;  // positions of the first of each pair
  std::vector<std::int32_t> pair_offsets_;
};

}  // namespace

bool any_type_window_simd(const AnyTypeWindowArgs& args) {
  const auto run = [](const auto& fast) {
    if (!fast.fits()) return false;
    fast.run();
    return true;
  };
  return args.is_float() ? run(FastWindows<float>(args)) : run(FastWindows<std::int32_t>(args));
}

}  // namespace tensorlane
