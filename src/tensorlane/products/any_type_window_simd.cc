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
        most_(kIsFloat ? 0 : most_sum()) {
    for_each_position([&](int kh, int kw) { offsets_.push_back(planes_.offset(kh, kw)); });
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
    return planes;
  }

  void run_band(int n, int c, int first_row, int rows) const {
    const Word* planes = lay_out(n, c, first_row, rows);
    const std::int64_t positions = planes_.positions(rows);
    Word* out = thread_scratch<2, Word>(static_cast<std::size_t>(positions + kWindowSlack));
    compute({planes, offsets_.data(), static_cast<int>(offsets_.size()), positions, out}, c);
    thread_local std::vector<std::byte*> to;
    to.clear();
    for (int row = 0; row < rows; ++row)
      to.push_back(args_.output.address(n, c, first_row + row, 0));
    if constexpr (kIsFloat) {
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
    thread_local std::vector<Word> weights;
    weights.clear();
    for_each_position([&](int kh, int kw) {
      weights.push_back(word_of<Word>(args_.weight_bits_at(c, kh, kw), args_.weight_type));
    });
    if constexpr (kIsFloat) {
      const float bias =
          args_.has_bias ? load_float(args_.bias.address(0, c, 0, 0), args_.bias_type) : 0.0F;
      sum_rounded_windows(tile, weights.data(), bias, args_.input_type);
    } else {
      sum_integer_windows(tile, weights.data());
    }
  }

  const AnyTypeWindowArgs& args_;
  const InsertedRows rows_;
  const int band_rows_;
  const PhasePlanes planes_;
  const std::int64_t most_;
  std::vector<std::int32_t> offsets_;
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
