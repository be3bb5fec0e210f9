#include "tensorlane/draw/gallery.h"

#include <fmt/format.h>

#include <cstdlib>

#include "tensorlane/base/language.h"
#include "tensorlane/draw/draw.h"

namespace tensorlane {
namespace {

class Gallery {
 public:
  std::vector<GalleryFigure> figures;

  void section(std::string name) { section_ = std::move(name); }
  void drawing(const std::string& name, const std::string& heading, std::string svg) {
    figures.push_back({name, section_, heading, {}, {}, std::move(svg)});
  }
  void tensor(const std::string& name, const std::string& heading, const LayoutSpec& spec,
              int banks = 0) {
    figures.push_back({name, section_, heading, {}, spec, draw_svg(make_layout(spec), banks)});
  }
  void remark(std::string text) { figures.back().remark = std::move(text); }

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

void add_channels(Gallery& gallery) {
  constexpr int kScatterNpus = 8;
  gallery.section(tr("Local memory and channels"));
  const MarkedAddress marks[] = {{"A", 340}, {"B", 1472}, {"C", 2300}, {"D", 3088}};
  gallery.drawing("address", tr("Four addresses and the NPUs they lie in"),
                  draw_addresses_svg(kFigureLocal, marks));
  gallery.drawing("banks", tr("The banks of the BM1684: 8 of 64 KiB in each of 64 NPUs"),
                  draw_banks_svg({64, 524288, 128}, 8));
  const struct {
    int channels, start;
  } scatter[] = {{-1, 0}, {-1, 1}, {2, 0}, {2, kScatterNpus - 1}};
  for (int i = 0; i < 4; ++i) {
    gallery.drawing(
        fmt::format("scatter_{}", i),
        tr("X {} {} channels over X = {} NPUs from NPU {}", scatter[i].channels < 0 ? '-' : '+',
           std::abs(scatter[i].channels), kScatterNpus, scatter[i].start),
        draw_scatter_svg(kScatterNpus, 2, kScatterNpus + scatter[i].channels, scatter[i].start));
  }
}

void add_bm1684(Gallery& gallery) {
  gallery.section(tr("BM1684: strides"));
  LayoutSpec spec = figure_spec("free", Dtype::kFp32, {2, 5, 3, 4});
  spec.strides = {120, 56, 16, 2};
  gallery.tensor("stride_local_0", tr("Any strides: N 120, C 56, H 16, W 2"), spec);
  spec = figure_spec("free", Dtype::kFp32, {2, 3, 1, 10}, 1);
  spec.strides = {120, 0, 0, 2};
  gallery.tensor("stride_local_1", tr("W stride 2 over ten elements"), spec);
  gallery.remark(
      tr("The document's own drawing breaks the row after four elements; this one follows its "
         "formula, as the chip does."));
  gallery.section(tr("BM1684: aligned and compact"));
  for (const int start : {0, 2}) {
    gallery.tensor(
        fmt::format("align_fp32_start_{}_2_3_4_5", start), tr("aligned, start NPU {}", start),
        figure_spec(std::string(layout_names::kAligned), Dtype::kFp32, {2, 3, 4, 5}, start));
  }
  for (const int start : {0, 2}) {
    gallery.tensor(
        fmt::format("compact_fp32_start_{}_2_3_4_5", start), tr("compact, start NPU {}", start),
        figure_spec(std::string(layout_names::kCompact), Dtype::kFp32, {2, 3, 4, 5}, start));
  }
  gallery.section(tr("BM1684: matrix of 2 x 40"));
  for (const int width : {40, 20, 15, 10, 8, 6}) {
    spec = figure_spec("matrix", Dtype::kFp32, {2, 40});
    spec.cols_per_channel = width;
    gallery.tensor(fmt::format("matrix_w_{}", width), tr("{} columns per channel", width), spec);
  }
  gallery.section(tr("BM1684: storage modes"));
  gallery.tensor("aligned_4N", tr("4N: four batches of int8 in a word; n 6 leaves two dummies"),
                 figure_spec("4N", Dtype::kInt8, {6, 5, 4, 5}));
  gallery.tensor("aligned_2N", tr("2N: two batches of int16 in a word; n 3 leaves one dummy"),
                 figure_spec("2N", Dtype::kInt16, {3, 5, 4, 5}));
  gallery.tensor("two_ic", tr("2IC: pairs of input channels (i, o, kh, kw); I = 3 leaves a dummy"),
                 figure_spec("2IC", Dtype::kFp32, {3, 5, 2, 3}));
  gallery.section(tr("Pipeline"));
  gallery.drawing("pipeline_parallel", tr("Copy in, compute, copy out: five parts in seven steps"),
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
  gallery.drawing("bm1684x_banks", tr("The banks of the BM1684X: 16 of 16 KiB in each of 64 NPUs"),
                  draw_banks_svg({64, 262144, 64}, 16));
  LayoutSpec tensor = spec("free", Dtype::kInt8, {4, 3, 2, 2});
  tensor.system_memory = true;
  tensor.strides = {12, 4, 2, 1};
  gallery.tensor("bm1684x_tensor_dense", tr("A tensor of 4 x 3 x 2 x 2 bytes without gaps"),
                 tensor);
  tensor.strides = {24, 8, 4, 2};
  gallery.tensor("bm1684x_tensor_strided", tr("The same with every stride doubled"), tensor);
  gallery.tensor("bm1684x_continuous", tr("Continuous in global memory: 2 x 2 x 3 x 2 bytes"),
                 spec("continuous", Dtype::kInt8, {2, 2, 3, 2}));
  tensor = spec("free", Dtype::kInt8, {2, 3, 2, 3});
  tensor.strides = {9, 9, 3, 1};
  gallery.tensor("bm1684x_tensor_local", tr("In local memory with strides 9, 9, 3, 1"), tensor);
  LayoutSpec aligned = spec("aligned", Dtype::kFp16, {2, 3, 4, 5});
  gallery.tensor("bm1684x_aligned_start_0", tr("64-byte aligned, fp16, start NPU {}", 0), aligned);
  aligned.start_npu = 2;
  gallery.tensor("bm1684x_aligned", tr("64-byte aligned, fp16, start NPU {}", 2), aligned);
  LayoutSpec compact = spec("compact", Dtype::kFp16, {2, 3, 4, 5});
  gallery.tensor("bm1684x_compact_start_0", tr("Compact, fp16, start NPU {}", 0), compact);
  compact.start_npu = 2;
  gallery.tensor("bm1684x_compact_start_2", tr("Compact, fp16, start NPU {}", 2), compact);
  aligned.layout = "line-aligned";
  aligned.shape = {1, 3, 4, 5};
  gallery.tensor("bm1684x_line_aligned", tr("Every row starts at a multiple of 64 bytes"), aligned);
  LayoutSpec vector = spec("vector", Dtype::kFp16, {10});
  vector.cols_per_channel = 4;
  for (const int width : {40, 20}) {
    LayoutSpec matrix = spec("matrix", Dtype::kFp16, {2, 40});
    matrix.cols_per_channel = width;
    gallery.tensor(fmt::format("bm1684x_matrix_w_{}", width),
                   tr("A matrix of 2 x 40 of fp16, {} columns per channel", width), matrix);
  }
  gallery.tensor("bm1684x_vector", tr("A vector of 10, four in a channel"), vector);
  gallery.tensor("bm1684x_32ic", tr("32IC: kernel (oc 3, ic 40, 1, 2) of fp16"),
                 spec("32IC", Dtype::kFp16, {3, 40, 1, 2}));
  gallery.tensor("bm1684x_64ic", tr("64IC: kernel (oc 3, ic 70, 1, 2) of int8"),
                 spec("64IC", Dtype::kInt8, {3, 70, 1, 2}));
}

void add_mace(Gallery& gallery) {
  const auto image = [&](const char* name, const std::string& layout,
                         std::vector<std::int64_t> shape, const std::string& heading) {
    gallery.tensor(name, heading,
                   {.system = System::kMace,
                    .layout = layout,
                    .dtype = Dtype::kFp16,
                    .shape = std::move(shape)});
  };
  gallery.section(tr("MACE images"));
  image("mace_in_out_channel", "IN_OUT_CHANNEL", {2, 2, 3, 6},
        tr("Channel-major: four channels in a pixel"));
  image("mace_in_out_height", "IN_OUT_HEIGHT", {2, 5, 3, 2},
        tr("Height-major: the shape for which the document's formula puts {} of {} elements wrong",
           36, 60));
  image("mace_in_out_width", "IN_OUT_WIDTH", {2, 3, 5, 2},
        tr("Width-major: the shape for which the document's formula puts {} of {} elements wrong",
           30, 60));
  image("mace_conv2d_filter", "CONV2D_FILTER", {5, 3, 2, 2}, tr("Convolution filter [O,I,H,W]"));
  image(
      "mace_conv2d_filter_v06", "CONV2D_FILTER@v0.6.3", {2, 2, 5, 3},
      tr("The same filter up to v0.6.x, as [H,W,O,I]: the hatched column repeats other elements"));
  image("mace_dw_conv2d_filter", "DW_CONV2D_FILTER", {1, 6, 2, 3},
        tr("Depthwise filter [1,I,H,W]"));
  image("mace_argument", "ARGUMENT", {11}, tr("Argument of one dimension"));
  image("mace_weight_height", "WEIGHT_HEIGHT", {5, 3, 1, 2},
        tr("Weights, output channels in lanes"));
  image("mace_weight_width", "WEIGHT_WIDTH", {2, 5, 1, 2}, tr("Weights, input channels in lanes"));
  image("mace_winograd_filter", "WINOGRAD_FILTER", {1, 5, 3, 3},
        tr("Transformed 3x3 filters, block 2"));
  gallery.section(tr("Large tensors"));
  gallery.tensor("large_aligned",
                 tr("10048000 elements on BM1684 from NPU 60: how full each part is"),
                 {.layout = "aligned",
                  .dtype = Dtype::kInt8,
                  .shape = {4, 100, 157, 160},
                  .start_npu = 60,
                  .memory = LocalMemory{64, 524288, 128}},
                 8);
  gallery.tensor("large_image", tr("A large image: the last pixels of every row are half empty"),
                 {.system = System::kMace,
                  .layout = "IN_OUT_CHANNEL",
                  .dtype = Dtype::kFp16,
                  .shape = {1, 160, 160, 18}});
}

}  // namespace

std::vector<GalleryFigure> make_gallery() {
  Gallery gallery;
  add_channels(gallery);
  add_bm1684(gallery);
  add_bm1684x(gallery);
  add_mace(gallery);
  return gallery.figures;
}

std::string gallery_markdown(const std::vector<GalleryFigure>& figures, const std::string& folder) {
  std::string page = fmt::format(
      "# {}\n\n{}\n\n{}\n", tr("Gallery of layouts"),
      tr("Every figure is drawn from the mapping by `tensorlane layout gallery DIR`; the tests "
         "compare each with the facts of the documents' figures. Open a figure and rest the "
         "pointer on a cell to see its elements and its address."),
      tr("One cell of local memory is four bytes. Hue: channel; shade: batch; hatched: reserved "
         "without an element. Arrows: strides of N (red), C (blue), H (green), W (brown). Below "
         "the memory stands the tensor as its axes have it, each element with its address. Each "
         "figure says what its labels count."));
  std::string section;
  for (const GalleryFigure& figure : figures) {
    if (figure.section != section) page += fmt::format("\n## {}\n", figure.section);
    section = figure.section;
    page += fmt::format("\n### {0}\n\n{1}{2}![{0}]({3}/{4}.svg)\n", figure.heading, figure.remark,
                        figure.remark.empty() ? "" : "\n\n", folder, figure.name);
  }
  return page;
}

}  // namespace tensorlane
