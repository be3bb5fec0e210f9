// Fast windows of every type: the rows a band needs become phase planes of words, and one tile
// computes all positions of the band.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "tensorlane/compute/bands/channel_bands.h"
#include "tensorlane/compute/bands/padded_rows.h"
#include "tensorlane/compute/bands/phase_planes.h"
#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/products/inserted_rows.h"
#include "tensorlane/compute/products/integer_store.h"
#include "tensorlane/compute/products/integer_words.h"
#include "tensorlane/compute/tiles/any_type_window_tile.h"
#include "tensorlane/compute/tiles/byte_window_tile.h"
#include "tensorlane/compute/tiles/half_window_tile.h"
#include "tensorlane/compute/windows/any_type_window.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kMostBandWords = 1LL << 26;
// Results in a row from which on it pays to finish rows one by one.
constexpr int kLongRow = 48;

using Half = std::uint16_t;
using Byte = std::uint8_t;

// Word is what planes hold: floats, std::int32_t for integers, and where the processor computes in
// them the bits of fp16 (Half) and bytes.
template <class Word>
class FastWindows {
 public:
  explicit FastWindows(const AnyTypeWindowArgs& args)
      : args_(args),
        rows_{args.input,   args.input_type, args.input_h,
              args.input_w, args.insert_h,   args.insert_w},
        bands_(args.n, args.c, args.window, rows_.h(), rows_.w()),
        planes_(args.window, rows_.h(), rows_.w(), bands_.most_rows()),
        most_(kIsInteger ? most_sum() : 0),
        in_pairs_(fits_pairs()),
        fours_(args.input_type, args.weight_type, true) {
    for_each_position([&](int kh, int kw) { offsets_.push_back(planes_.offset(kh, kw)); });
    if (kIsByte)
      for_each_four([&](int kh, int kw) { four_offsets_.push_back(planes_.offset(kh, kw)); });
    for (std::size_t t = 0; in_pairs_ && t < offsets_.size(); ++t) {
      firsts_.push_back(t);
      pair_offsets_.push_back(offsets_[t]);
      if (t + 1 < offsets_.size() && offsets_[t + 1] == offsets_[t] + 1) ++t;
    }
  }

  bool fits() const {
    if (kIsHalf && (args_.output_type != Dtype::kFp16 || args_.bias_is_last || args_.nan_loses))
      return false;
    if ((kIsHalf || kIsByte) && !planes_take_input()) return false;
    return has_dense_rows(args_.output) && planes_.channel_size() <= kMostBandWords &&
           std::int64_t{rows_.h()} * rows_.w() <= kMostBandWords &&
           (!kIsInteger || args_.rule == WindowRule::kMaximum ||
            exact_in_words(args_.finish, positions(), args_.input_type, args_.weight_type));
  }

  void run() const {
    for_each_range(
        bands_.count(), bands_.work(positions()), [&](std::int64_t begin, std::int64_t end) {
          const int group = bands_.group(in_words() + out_words());
          Group at(*this, group);
          bands_.visit(begin, end, group,
                       [&](std::span<const ChannelBand> bands) { run_group(bands, at); });
        });
  }

 private:
  static constexpr bool kIsFloat = std::is_same_v<Word, float>;
  static constexpr bool kIsHalf = std::is_same_v<Word, Half>;
  static constexpr bool kIsByte = std::is_same_v<Word, Byte>;
  static constexpr bool kIsInteger = kIsByte || std::is_same_v<Word, std::int32_t>;
  using Result = std::conditional_t<kIsByte, std::int32_t, Word>;

  // What all bands of a channel share.
  struct Channel {
    int number = -1;
    Word padding = {};
    Word inserted = {};
    Word bias = {};                   // of floats
    std::vector<std::int64_t> terms;  // of integers: the bias, if there is one, for each row
    std::optional<IntegerStore> store;
    std::vector<Result> weights;  // pairs of them where in_pairs_, fours of bytes
    std::int32_t start = 0;       // of a sum of bytes
  };

  // What is worked on at once, in the calling thread's scratch memory.
  struct Group {
    Group(const FastWindows& windows, int bands)
        : planes(thread_scratch<0, Word>(static_cast<std::size_t>(windows.in_words() * bands))),
          results(thread_scratch<2, Result>(
              static_cast<std::size_t>(windows.out_words() * bands + kWindowSlack))) {
      std::fill_n(planes, windows.in_words() * bands, Word{});
    }
    Word* planes;
    Result* results;
    Channel channels[ChannelBands::kMostInGroup];
    // Of each band: its channel, the channel's padding, where it begins in the input or output.
    const Channel* channel_of[ChannelBands::kMostInGroup] = {};
    Word padding[ChannelBands::kMostInGroup] = {};
    std::byte* places[ChannelBands::kMostInGroup] = {};
  };
  // Words of a band.
  std::int64_t in_words() const { return planes_.channel_size() + kWindowSlack; }
  // A tile writes beyond its last position, where those of the next band come after it.
  std::int64_t out_words() const { return planes_.positions(bands_.most_rows()); }

  template <class Visit>
  void for_each_position(Visit visit) const {
    for (int kh = 0; kh < args_.window.kernel_h; ++kh) {
      for (int kw = 0; kw < args_.window.kernel_w; ++kw) visit(kh, kw);
    }
  }
  // visit(kh, first kw) for fours of positions of a kernel row.
  template <class Visit>
  void for_each_four(Visit visit) const {
    for (int kh = 0; kh < args_.window.kernel_h; ++kh) {
      for (int kw = 0; kw < args_.window.kernel_w; kw += 4) visit(kh, kw);
    }
  }
  std::int64_t positions() const { return static_cast<std::int64_t>(offsets_.size()); }

  void set_channel(int c, Channel& channel) const {
    channel.number = c;
    const bool sums = args_.rule == WindowRule::kSum;
    const bool has_bias = sums && args_.has_bias;
    const std::byte* const bias = has_bias ? args_.bias.address(0, c, 0, 0) : nullptr;
    if constexpr (kIsInteger) {
      channel.padding = static_cast<Word>(args_.padding.of(c));
      channel.inserted = static_cast<Word>(args_.insert_value.of(c));
      const std::int64_t term = has_bias ? load_integer(bias, args_.bias_type) : 0;
      channel.terms.assign(term == 0 ? 0U : static_cast<std::size_t>(bands_.most_rows()), term);
      channel.store.emplace(sums ? args_.finish : largest_stay_, false, channel.terms,
                            std::span<const std::int32_t>(), std::span<const std::int32_t>(),
                            most_);
    } else {
      channel.padding = word_of_bits<Word>(args_.padding_bits, args_.input_type);
      channel.bias = has_bias
                         ? word_of_bits<Word>(load_bits(bias, args_.bias_type), args_.bias_type)
                         : start();
    }
    if (sums && (channel.weights.empty() || !args_.weight_is_constant)) set_weights(c, channel);
  }

  // What sums of floats start with where they have no bias.
  Word start() const {
    if (!args_.starts_empty) return {};
    if constexpr (kIsHalf) return 0x8000;
    return static_cast<Word>(-0.0F);
  }

  template <class W>
  static W word_of_bits(std::uint32_t bits, Dtype type) {
    if constexpr (kIsHalf)
      return static_cast<Half>(bits);
    else
      return word_of<W>(bits, type);
  }

  void run_group(std::span<const ChannelBand> bands, Group& group) const {
    Channel* channel = nullptr;
    std::size_t count = 0;
    for (const ChannelBand& band : bands) {
      if (channel == nullptr || channel->number != band.channel) {
        channel = channel == nullptr ? group.channels : channel + 1;
        if (channel->number != band.channel) set_channel(band.channel, *channel);
      }
      group.channel_of[count] = channel;
      group.padding[count++] = channel->padding;
    }
    if (planes_take_input()) {
      find_rows(args_.input, bands, 0, group.places);
      planes_.fill({std::span<const std::byte* const>(group.places, count), args_.input.h,
                    args_.input.w, args_.input_type},
                   bands.front().first_row, group.padding, group.planes, in_words());
    } else if constexpr (!kIsHalf && !kIsByte) {
      for (std::size_t k = 0; k < count; ++k)
        lay_out(bands[k], *group.channel_of[k], planes_of(group, k));
    }
    if (in_pairs_ || scales_first()) {
      for (std::size_t k = 0; k < count; ++k) change(planes_of(group, k), *group.channel_of[k]);
    }
    for (std::size_t k = 0; k < count; ++k)
      compute(bands[k], *group.channel_of[k], planes_of(group, k), results_of(group, k));
    find_rows(args_.output, bands, bands.front().first_row, group.places);
    store(bands, group);
  }
  Word* planes_of(const Group& group, std::size_t k) const {
    return group.planes + static_cast<std::int64_t>(k) * in_words();
  }
  Result* results_of(const Group& group, std::size_t k) const {
    return group.results + static_cast<std::int64_t>(k) * out_words();
  }

  // Whether planes are made of the input, without words between.
  bool planes_take_input() const {
    const bool words = args_.input_type == Dtype::kFp32;
    return args_.insert_h == 0 && args_.insert_w == 0 &&
           (words || planes_.takes_elements(args_.input.w));
  }

  void lay_out(const ChannelBand& band, const Channel& channel, Word* planes) const {
    const Window2d& window = args_.window;
    Word* rows = thread_scratch<1, Word>(static_cast<std::size_t>(rows_.h()) * rows_.w());
    const int begin = std::clamp(window.input_row(band.first_row, 0), 0, rows_.h());
    const int last = window.input_row(band.first_row + band.rows - 1, window.kernel_h - 1);
    const int end = std::clamp(last + 1, begin, rows_.h());
    rows_.fill(band.image, band.channel, begin, end, channel.inserted,
               rows + static_cast<std::ptrdiff_t>(begin) * rows_.w());
    const std::byte* const elements[] = {reinterpret_cast<const std::byte*>(rows)};
    planes_.fill({elements, rows_.w()}, band.first_row, &channel.padding, planes, 0);
  }

  // Makes of the planes what sums are made of.
  void change(Word* planes, const Channel& channel) const {
    const std::int64_t size = planes_.channel_size();
    if constexpr (std::is_same_v<Word, std::int32_t>) pair_neighbours(planes, size);
    if constexpr (kIsFloat) scale_rounded(planes, size, channel.weights.front(), args_.input_type);
  }
  // Whether each input is multiplied once, as all weights are the same: not where few inputs count.
  bool scales_first() const {
    return kIsFloat && args_.rule == WindowRule::kSum && args_.weight_is_constant &&
           2 * planes_.channel_size() < positions() * planes_.positions(bands_.most_rows());
  }

  void store(std::span<const ChannelBand> bands, Group& group) const {
    const WordRows<Result> rows{.from = group.results,
                                .step = out_words(),
                                .pitch = planes_.pitch(),
                                .rows = bands.front().rows,
                                .columns = args_.window.output_w,
                                .to = {group.places, bands.size()},
                                .row_bytes = args_.output.h * args_.output.element_bytes};
    if constexpr (kIsHalf) store_rows(rows);
    if constexpr (kIsFloat) store_floats(rows, bands);
    if constexpr (kIsInteger) store_integers(rows, planes_.positions(bands.front().rows), group);
  }

  void store_floats(const WordRows<float>& rows, std::span<const ChannelBand> bands) const {
    const bool keeps_bits = args_.rule == WindowRule::kMaximum;
    if (args_.output_type == Dtype::kFp32) return store_rows(rows);
    if (keeps_bits && args_.output_type == Dtype::kBf16) return store_bf16_bits(rows);
    if (!keeps_bits && args_.output_type == args_.input_type)
      return store_rounded_rows(rows, args_.output_type);
    store_float_rows(rows, args_.output_type);
    if (!keeps_bits) return;
    int row = 0;  // of all bands
    rows.for_each([&](const float* from, std::byte* to) {
      restore_nans(from, bands[static_cast<std::size_t>(row / rows.rows)], row % rows.rows, to);
      ++row;
    });
  }

  // A conversion to fp16 makes NaN quiet; maxima keep their bits.
  void restore_nans(const float* out, const ChannelBand& band, int row, std::byte* to) const {
    const int output_w = args_.window.output_w;
    bool any = false;  // found without a branch per element
    for (int ow = 0; ow < output_w; ++ow) any |= is_nan(out[ow]);
    if (!any) return;
    const int bytes = dtype_bytes(args_.output_type);
    for (int ow = 0; ow < output_w; ++ow, to += bytes) {
      if (is_nan(out[ow]))
        store_bits(
            to, args_.output_type,
            any_type_window_maximum(args_, band.image, band.channel, band.first_row + row, ow));
    }
  }
  static bool is_nan(float value) {
    return (std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFU) > 0x7F800000U;
  }

  // Short results are finished as they lie, by-products too, before their rows are stored.
  void store_integers(const WordRows<std::int32_t>& rows, std::int64_t outputs,
                      const Group& group) const {
    const std::size_t count = rows.to.size();
    if (rows.columns >= kLongRow) return store_long_rows(rows, group);
    const int bytes = dtype_bytes(args_.output_type);
    std::byte* const finished = thread_scratch<3, std::byte>(count * out_words() * bytes);
    for (std::size_t k = 0, end = 0; k < count; k = end) {
      const Channel* const channel = group.channel_of[k];  // or all, where none has a term
      for (end = k + 1; end < count; ++end) {
        if (args_.has_bias && group.channel_of[end] != channel) break;
      }
      std::byte* const to = finished + static_cast<std::int64_t>(k) * out_words() * bytes;
      channel->store->store({.sums = results_of(group, k),
                             .rows = 1,
                             .columns = static_cast<int>(
                                 static_cast<std::int64_t>(end - k - 1) * out_words() + outputs),
                             .to = &to});
    }
    if (bytes == 1) return store_rows(finished_rows<std::uint8_t>(rows, finished));
    if (bytes == 2) return store_rows(finished_rows<std::uint16_t>(rows, finished));
    store_rows(finished_rows<float>(rows, finished));
  }
  void store_long_rows(const WordRows<std::int32_t>& rows, const Group& group) const {
    auto* const to = thread_scratch<3, std::byte*>(static_cast<std::size_t>(rows.rows));
    for (std::size_t k = 0; k < rows.to.size(); ++k) {
      for (int r = 0; r < rows.rows; ++r) to[r] = rows.to[k] + r * rows.row_bytes;
      group.channel_of[k]->store->store({.sums = results_of(group, k),
                                         .stride = static_cast<int>(rows.pitch),
                                         .rows = rows.rows,
                                         .columns = rows.columns,
                                         .to = to});
    }
  }
  template <class T>
  static WordRows<T> finished_rows(const WordRows<std::int32_t>& rows, const std::byte* from) {
    return {.from = reinterpret_cast<const T*>(from),
            .step = rows.step,
            .pitch = rows.pitch,
            .rows = rows.rows,
            .columns = rows.columns,
            .to = rows.to,
            .row_bytes = rows.row_bytes};
  }

  // The largest sum of a window of bytes.
  std::int64_t most_sum() const {
    constexpr std::int64_t kMostByte = 255;
    const std::int64_t weight =
        args_.weight_is_constant ? std::abs(bits_to_integer(args_.weight_bits, args_.weight_type))
                                 : kMostByte;
    return std::int64_t{args_.window.kernel_h} * args_.window.kernel_w * kMostByte * weight;
  }

  void compute(const ChannelBand& band, const Channel& channel, const Word* planes,
               Result* results) const {
    const bool maximum = args_.rule == WindowRule::kMaximum;
    const std::int64_t outputs = planes_.positions(band.rows);
    const auto* const weights = channel.weights.data();
    if constexpr (kIsByte) {
      sum_byte_windows({planes, four_offsets_.data(), weights,
                        static_cast<int>(four_offsets_.size()), args_.window.dilation_w,
                        fours_.factors(), fours_.flip(), channel.start, outputs, results});
    } else {
      WindowTile<Word> tile{planes, offsets_.data(), static_cast<int>(positions()), outputs,
                            results};
      if constexpr (kIsHalf) {
        maximum ? max_half_windows(tile) : sum_half_windows(tile, weights, start(), channel.bias);
      } else if constexpr (kIsFloat) {
        if (maximum) return max_float_windows(tile, args_.input_type, args_.nan_loses);
        const bool last = args_.has_bias && args_.bias_is_last;
        const ChainStarts starts{start(), last ? start() : channel.bias,
                                 last ? &channel.bias : nullptr};
        if (scales_first()) return sum_rounded_products(tile, starts, args_.input_type);
        sum_rounded_windows(tile, weights, starts, args_.input_type);
      } else {
        if (maximum) return max_integer_windows(tile);
        if (!in_pairs_) return sum_integer_windows(tile, weights);
        tile.offsets = pair_offsets_.data();
        tile.length = static_cast<int>(pair_offsets_.size());
        sum_pair_windows(tile, weights);
      }
    }
  }

  void set_weights(int c, Channel& channel) const {
    std::vector<Result>& weights = channel.weights;
    weights.resize(offsets_.size());
    const LocalView& from = args_.weight;
    const bool dense = !args_.weight_is_constant && has_dense_channels(from, args_.window.kernel_w);
    if constexpr (kIsHalf) {
      auto to = weights.begin();
      for_each_position(
          [&](int kh, int kw) { *to++ = static_cast<Half>(args_.weight_bits_at(c, kh, kw)); });
    } else if (dense) {
      widen(from.address(0, c, 0, 0), 1, args_.weight_type, static_cast<int>(weights.size()),
            weights.data());
      if (args_.rotate) std::ranges::reverse(weights);
    } else {
      auto to = weights.begin();
      for_each_position([&](int kh, int kw) {
        *to++ = word_of_bits<Result>(args_.weight_bits_at(c, kh, kw), args_.weight_type);
      });
    }
    if constexpr (kIsByte) {
      join_fours(channel);
    } else if constexpr (kIsInteger) {
      if (in_pairs_) join_pairs(weights);
    }
  }

  // Makes fours of weights, in place.
  void join_fours(Channel& channel) const {
    std::int32_t sum = 0;
    for (const std::int32_t weight : channel.weights) sum += weight;
    channel.start = fours_.start_for(sum);
    const auto width = static_cast<std::size_t>(args_.window.kernel_w);
    const std::span<const std::int32_t> weights = channel.weights;
    auto to = channel.weights.begin();
    for_each_four([&](int kh, int kw) {
      const auto row = weights.subspan(static_cast<std::size_t>(kh) * width, width);
      const auto first = static_cast<std::size_t>(kw);
      *to++ = fours_.join_weights(row.subspan(first, std::min<std::size_t>(4, width - first)));
    });
  }

  // Makes pairs of weights: those of firsts_, with those of the positions between them in the high
  // bits.
  void join_pairs(std::vector<std::int32_t>& weights) const {
    for (std::size_t k = 0; k < firsts_.size(); ++k) {
      const std::size_t first = firsts_[k];
      const std::size_t end = k + 1 < firsts_.size() ? firsts_[k + 1] : weights.size();
      const std::uint32_t second =
          end - first == 2 ? static_cast<std::uint32_t>(weights[first + 1]) : 0;
      weights[k] = static_cast<std::int32_t>((static_cast<std::uint32_t>(weights[first]) & 0xFFFF) |
                                             second << 16);
    }
  }

  // Whether inputs and weights fit 16 bits with sign, so that two positions share a word.
  bool fits_pairs() const {
    constexpr std::int64_t kMost = INT16_MAX;
    return kIsInteger && !kIsByte && args_.rule == WindowRule::kSum &&
           dtype_bytes(args_.input_type) == 1 && dtype_bytes(args_.weight_type) == 1 &&
           std::abs(args_.padding.value) <= kMost && std::abs(args_.insert_value.value) <= kMost &&
           fits_int16(args_.padding.type) && fits_int16(args_.insert_value.type);
  }

  const AnyTypeWindowArgs& args_;
  const InsertedRows rows_;
  const ChannelBands bands_;
  const PhasePlanes planes_;
  const std::int64_t most_;
  const bool in_pairs_;
  const IntegerWords fours_;
  const IntegerFinish largest_stay_{.output = args_.output_type};
  std::vector<std::int32_t> offsets_;
  std::vector<std::int32_t> four_offsets_;
  std::vector<std::size_t> firsts_;  // positions of the first of each pair
  std::vector<std::int32_t> pair_offsets_;
};

// Whether an instruction takes four positions of bytes, padding among them.
bool fits_bytes(const AnyTypeWindowArgs& args) {
  const IntegerRange range = integer_range(args.input_type);
  const ChannelValue& padding = args.padding;
  const bool plain = padding.per_channel ? padding.type == args.input_type
                                         : padding.value >= range.min && padding.value <= range.max;
  const IntegerWords fours(args.input_type, args.weight_type, plain);
  return args.rule == WindowRule::kSum && fours.factors() != IntegerFactors::kPairs &&
         args.window.dilation_w <= kMostByteDilation;
}

template <class Word>
bool run_fast(const AnyTypeWindowArgs& args) {
  const FastWindows<Word> fast(args);
  if (!fast.fits()) return false;
  fast.run();
  return true;
}

}  // namespace

bool any_type_window_simd(const AnyTypeWindowArgs& args) {
  if (!args.is_float())
    return (fits_bytes(args) && run_fast<Byte>(args)) || run_fast<std::int32_t>(args);
  if (row_windows_simd(args)) return true;
  const bool halves = args.input_type == Dtype::kFp16 && has_half_arithmetic();
  return (halves && run_fast<Half>(args)) || run_fast<float>(args);
}

}  // namespace tensorlane
