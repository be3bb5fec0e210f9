#include "tensorlane/draw/gallery.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tensorlane/base/language.h"
#include "tensorlane/draw/draw.h"

namespace tensorlane {
namespace {

class Gallery {
 public:
  std::vector<GalleryFigure> figures;

  void section(std::string name) { section_ = std::move(name); }
  void drawing(const std::string& name, const std::string& caption, std::string svg) {
    figures.push_back({name, section_, caption, {}, std::move(svg)});
  }
  void tensor(const std::string& name, const std::string& caption, const LayoutSpec& spec,
              int banks = 0) {
    figures.push_back({name, section_, caption, spec, draw_svg(make_layout(spec), banks)});
  }

 private:
  std::string section_;
};

// A tensor on the chip that the documents draw: 4 NPUs of 1024 bytes.
LayoutSpec figure_spec(std::string layout, Dtype dtype, std::vector<std::int64_t> shape,
                       std::int64_t start_npu = 0) {
  return {.layout = std::move(layout),
          .dtype = dtype,
          .shape = std::move(shape),
          .start_npu = start_npu,
          .memory = kFigureLocal};
}

void add_bm1684(Gallery& gallery) {
  constexpr int kScatterNpus = 8;
  gallery.section("Local memory and channels");
  const MarkedAddress marks[] = {{"A", 340}, {"B", 1472}, {"C", 2300}, {"D", 3088}};
  gallery.drawing("address", "Four addresses and the NPUs they lie in.",
                  draw_addresses_svg(kFigureLocal, marks));
  gallery.drawing("banks", "The banks of the BM1684: 8 of 64 KiB in each of 64 NPUs.",
                  draw_banks_svg({64, 524288, 128}, 8));
  const struct {
    int channels, start;
  } scatter[] = {{-1, 0}, {-1, 1}, {2, 0}, {2, kScatterNpus - 1}};
  for (int i = 0; i < 4; ++i) {
    gallery.drawing(
        fmt::format("scatter_{}", i),
        fmt::format("X {} {} channels over X = {} NPUs from NPU {}.",
                    scatter[i].channels < 0 ? '-' : '+', std::abs(scatter[i].channels),
                    kScatterNpus, scatter[i].start),
        draw_scatter_svg(kScatterNpus, 2, kScatterNpus + scatter[i].channels, scatter[i].start));
  }
  gallery.section("BM1684: strides");
  LayoutSpec spec = figure_spec("free", Dtype::kFp32, {2, 5, 3, 4});
  spec.strides = {120, 56, 16, 2};
  gallery.tensor("stride_local_0", "Any strides: N 120, C 56, H 16, W 2.", spec);
  spec = figure_spec("free", Dtype::kFp32, {2, 3, 1, 10}, 1);
  spec.strides = {120, 0, 0, 2};
  gallery.tensor("stride_local_1",
                 "W stride 2 over ten elements. The document's own drawing breaks the row after "
                 "four elements; this one follows its formula, as the chip does.",
                 spec);
  gallery.section("BM1684: aligned and compact");
  const struct {
    std::string_view layout, figure;  // as the documents call it
  } channels[] = {{layout_names::kAligned, "align"}, {layout_names::kCompact, "compact"}};
  for (const auto& [layout, figure] : channels) {
    for (const int start : {0, 2}) {
      gallery.tensor(fmt::format("{}_fp32_start_{}_2_3_4_5", figure, start),
                     fmt::format("{}, start NPU {}.", layout, start),
                     figure_spec(std::string(layout), Dtype::kFp32, {2, 3, 4, 5}, start));
    }
  }
  gallery.section("BM1684: matrix of 2 x 40");
  for (const int width : {40, 20, 15, 10, 8, 6}) {
    spec = figure_spec("matrix", Dtype::kFp32, {2, 40});
    spec.cols_per_channel = width;
    gallery.tensor(fmt::format("matrix_w_{}", width), fmt::format("{} columns per channel.", width),
                   spec);
  }
  gallery.section("BM1684: storage modes");
  gallery.tensor("aligned_4N", "4N: four batches of int8 in a word; n 6 leaves two dummies.",
                 figure_spec("4N", Dtype::kInt8, {6, 5, 4, 5}));
  gallery.tensor("aligned_2N", "2N: two batches of int16 in a word; n 3 leaves one dummy.",
                 figure_spec("2N", Dtype::kInt16, {3, 5, 4, 5}));
  gallery.tensor("two_ic", "2IC: pairs of input channels (i, o, kh, kw); I = 3 leaves a dummy.",
                 figure_spec("2IC", Dtype::kFp32, {3, 5, 2, 3}));
  gallery.section("Pipeline");
  gallery.drawing("pipeline_parallel", "Copy in, compute, copy out: five parts in seven steps.",
                  draw_pipeline_svg(5));
}

void add_bm1684x(Gallery& gallery) {
  const auto spec = [](std::string layout, Dtype dtype, std::vector<std::int64_t> shape) {
    return LayoutSpec{.system = System::kBm1684x,
                      .layout = std::move(layout),
                      .dtype = dtype,
                      .shape = std::move(shape),
                      .memory = LocalMemory{4, 4096, 64}};
  };
  gallery.section("BM1684X");
  gallery.drawing("bm1684x_banks", "The banks of the BM1684X: 16 of 16 KiB in each of 64 NPUs.",
                  draw_banks_svg({64, 262144, 64}, 16));
  LayoutSpec tensor = spec("free", Dtype::kInt8, {4, 3, 2, 2});
  tensor.system_memory = true;
  tensor.strides = {12, 4, 2, 1};
  gallery.tensor("bm1684x_tensor_dense", "A tensor of 4 x 3 x 2 x 2 bytes without gaps.", tensor);
  tensor.strides = {24, 8, 4, 2};
  gallery.tensor("bm1684x_tensor_strided", "The same with every stride doubled.", tensor);
  gallery.tensor("bm1684x_continuous", "Continuous in global memory: 2 x 2 x 3 x 2 bytes.",
                 spec("continuous", Dtype::kInt8, {2, 2, 3, 2}));
  tensor = spec("free", Dtype::kInt8, {2, 3, 2, 3});
  tensor.strides = {9, 9, 3, 1};
  gallery.tensor("bm1684x_tensor_local", "In local memory with strides 9, 9, 3, 1.", tensor);
  LayoutSpec aligned = spec("aligned", Dtype::kFp16, {2, 3, 4, 5});
  gallery.tensor("bm1684x_aligned_start_0", "64-byte aligned, fp16, start NPU 0.", aligned);
  aligned.start_npu = 2;
  gallery.tensor("bm1684x_aligned", "64-byte aligned, fp16, start NPU 2.", aligned);
  LayoutSpec compact = spec("compact", Dtype::kFp16, {2, 3, 4, 5});
  gallery.tensor("bm1684x_compact_start_0", "Compact, fp16, start NPU 0.", compact);
  compact.start_npu = 2;
  gallery.tensor("bm1684x_compact_start_2", "Compact, fp16, start NPU 2.", compact);
  aligned.layout = "line-aligned";
  aligned.shape = {1, 3, 4, 5};
  gallery.tensor("bm1684x_line_aligned", "Every row starts at a multiple of 64 bytes.", aligned);
  LayoutSpec vector = spec("vector", Dtype::kFp16, {10});
  vector.cols_per_channel = 4;
  for (const int width : {40, 20}) {
    LayoutSpec matrix = spec("matrix", Dtype::kFp16, {2, 40});
    matrix.cols_per_channel = width;
    gallery.tensor(fmt::format("bm1684x_matrix_w_{}", width),
                   fmt::format("A matrix of 2 x 40 of fp16, {} columns per channel.", width),
                   matrix);
  }
  gallery.tensor("bm1684x_vector", "A vector of 10, four in a channel.", vector);
  gallery.tensor("bm1684x_32ic", "32IC: kernel (oc 3, ic 40, 1, 2) of fp16.",
                 spec("32IC", Dtype::kFp16, {3, 40, 1, 2}));
  gallery.tensor("bm1684x_64ic", "64IC: kernel (oc 3, ic 70, 1, 2) of int8.",
                 spec("64IC", Dtype::kInt8, {3, 70, 1, 2}));
}

void add_mace(Gallery& gallery) {
  const auto image = [&](const char* name, const std::string& layout,
                         std::vector<std::int64_t> shape, const std::string& caption) {
    gallery.tensor(name, caption,
                   {.system = System::kMace,
                    .layout = layout,
                    .dtype = Dtype::kFp16,
                    .shape = std::move(shape)});
  };
  gallery.section("MACE images");
  image("mace_in_out_channel", "IN_OUT_CHANNEL", {2, 2, 3, 6},
        "Channel-major: four channels in a pixel.");
  image("mace_in_out_height", "IN_OUT_HEIGHT", {2, 5, 3, 2},
        "Height-major: the shape for which the document's formula puts 36 of 60 elements wrong.");
  image("mace_in_out_width", "IN_OUT_WIDTH", {2, 3, 5, 2},
        "Width-major: the shape for which the document's formula puts 30 of 60 elements wrong.");
  image("mace_conv2d_filter", "CONV2D_FILTER", {5, 3, 2, 2}, "Convolution filter [O,I,H,W].");
  image("mace_conv2d_filter_v06", "CONV2D_FILTER@v0.6.3", {2, 2, 5, 3},
        "The same filter up to v0.6.x, as [H,W,O,I]: the hatched column repeats other elements.");
  image("mace_dw_conv2d_filter", "DW_CONV2D_FILTER", {1, 6, 2, 3}, "Depthwise filter [1,I,H,W].");
  image("mace_argument", "ARGUMENT", {11}, "1-D argument.");
  image("mace_weight_height", "WEIGHT_HEIGHT", {5, 3, 1, 2}, "Weights, output channels in lanes.");
  image("mace_weight_width", "WEIGHT_WIDTH", {2, 5, 1, 2}, "Weights, input channels in lanes.");
  image("mace_winograd_filter", "WINOGRAD_FILTER", {1, 5, 3, 3},
        "Transformed 3x3 filters, block 2.");
  gallery.section("Large tensors");
  gallery.tensor("large_aligned",
                 "10 million elements on BM1684 from NPU 60: how full each part is.",
                 {.layout = "aligned",
                  .dtype = Dtype::kInt8,
                  .shape = {4, 100, 157, 160},
                  .start_npu = 60,
                  .memory = LocalMemory{64, 524288, 128}},
                 8);
  gallery.tensor("large_image", "A large image: the last pixels of every row are half empty.",
                 {.system = System::kMace,
                  .layout = "IN_OUT_CHANNEL",
                  .dtype = Dtype::kFp16,
                  .shape = {1, 160, 160, 18}});
}

}  // namespace

std::vector<GalleryFigure> make_gallery() {
  // The pages of all languages show the same figures.
  const Language of_process = language();
  set_language(Language::kEnglish);
  Gallery gallery;
  add_bm1684(gallery);
  add_bm1684x(gallery);
  add_mace(gallery);
  set_language(of_process);
  return gallery.figures;
}

std::string gallery_markdown(const std::vector<GalleryFigure>& figures, const std::string& folder) {
  std::string page =
      "# Gallery of layouts\n\n"
      "Every figure is drawn from the mapping by `tensorlane layout gallery docs`; the tests "
      "compare\n"
      "each with the facts of the documents' figures. Open a figure and rest the pointer on a "
      "cell to\n"
      "see its elements and its address.\n\n"
      "One cell of local memory is four bytes. Hue: channel; shade: batch; hatched: reserved "
      "without an\n"
      "element. Arrows: strides of N (red), C (blue), H (green), W (brown). Below the memory "
      "stands "
      "the\n"
      "tensor as its axes have it, each element with its address. Each figure says what its labels "
      "count.\n";
  std::string section;
  for (const GalleryFigure& figure : figures) {
    if (figure.section != section) page += fmt::format("\n## {}\n", figure.section);
    section = figure.section;
    // The first sentence is the heading.
    const std::size_t end = std::min(figure.caption.find(". "), figure.caption.size() - 1);
    const std::string heading = figure.caption.substr(0, end);
    const std::string rest = end + 2 < figure.caption.size() ? figure.caption.substr(end + 2) : "";
    page += fmt::format("\n### {}\n\n{}{}![{}]({}/{}.svg)\n", heading, rest,
                        rest.empty() ? "" : "\n\n", heading, folder, figure.name);
  }
  return page;
}

}  // namespace tensorlane
