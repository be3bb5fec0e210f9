// tensorlane layout draw, gallery: pictures of layouts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "layout_endpoints.h"
#include "layout_options.h"
#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"
#include "tensorlane/draw/draw.h"
#include "tensorlane/draw/gallery.h"
#include "tensorlane/io/file.h"

namespace tensorlane::cli {
namespace {

void add_gallery_command(App& layout) {
  App* gallery = layout.add_subcommand("gallery", "Draws every figure of the documentation anew");
  gallery->footer("Example:\n  tensorlane layout gallery pictures\n");
  auto folder = std::make_shared<std::string>();
  gallery->add_option("DIR", *folder, "gets gallery.md and the folder gallery")->required();
  gallery->callback([folder] {
    const std::filesystem::path root(*folder);
    std::error_code error;
    std::filesystem::create_directories(root / "gallery", error);
    if (error)
      user_error("cannot make the folder '{}': {}", *folder, error_number_text(error.value()));
    const std::vector<GalleryFigure> figures = make_gallery();
    for (const GalleryFigure& figure : figures) {
      write_file(root / "gallery" / (figure.name + ".svg"), figure.svg);
    }
    write_file(root / "gallery.md", gallery_markdown(figures, "gallery"));
    fmt::print("{}\n", tr("{} figures in {}", figures.size(), (root / "gallery").string()));
  });
}

std::string draw_both(const NamedLayout& from, const LayoutOptions& options, LayoutEndpoints ends,
                      const std::vector<std::string>& ways, bool animate) {
  ends.chip = options.chip;
  ends.npus = options.npus;
  ends.winograd_block = options.winograd_block;
  const NamedLayout to = target_layout(ends, from);
  check_fits(to);
  ConversionPicture what{.ways = {}, .animated = animate};
  for (const std::string& way : ways) {
    const std::vector<std::int64_t> index = parse_integers("--way", way);
    if (std::ssize(index) != from.layout.rank()) {
      user_error("{} '{}' has {} numbers; it takes {}: {}", "--way", way, index.size(),
                 from.layout.rank(), fmt::join(axis_names(from), ","));
    }
    Layout::Index at{};
    std::ranges::copy(index, at.begin());
    what.ways.push_back(at);
  }
  return draw_conversion_svg(from, to, what);
}

}  // namespace

void add_draw_command(App& layout) {
  App* draw = layout.add_subcommand("draw", "A picture of a layout, as SVG or text");
  draw->footer(
      "Without -o the picture is drawn as text. Small tensors show every element, large ones\n"
      "how full each part of each memory is.\n"
      "\n"
      "Examples:\n"
      "  tensorlane layout draw --layout aligned --shape 2,3,4,5 --npus 4 --npu-bytes 1024\n"
      "  tensorlane layout draw --layout 4N --dtype int8 --shape 6,5,4,5 --npus 4 -o 4n.svg\n"
      "  tensorlane layout draw --chip mace --layout IN_OUT_HEIGHT --shape 2,5,3,2 -o image.svg\n"
      "  tensorlane layout draw --layout continuous --shape 1,6,2,3 --to aligned --npus 4 "
      "--animate \\\n"
      "    -o copy.svg\n");
  struct DrawOptions {
    LayoutOptions layout;
    std::string output;
    bool svg = false;
    int columns = 100;
    // The other side of a picture of two layouts.
    LayoutEndpoints other;
    std::vector<std::string> ways;
    bool animate = false;
  };
  auto options = std::make_shared<DrawOptions>();
  options->layout.add_to(*draw);
  draw->add_option("-o,--output", options->output, "write an SVG file");
  draw->add_flag("--svg", options->svg, "write SVG to standard output");
  draw->add_option("--columns", options->columns, "width of the text of large tensors")
      ->range(20, 10000)
      ->capture_default_str();
  draw->add_option("--to", options->other.to,
                   "a second layout, NAME or CHIP:NAME, beside the first: how elements get there");
  draw->add_option("--to-start-npu", options->other.to_start_npu,
                   "with --to: NPU of the first channel");
  draw->add_option("--to-cols-per-channel", options->other.to_cols,
                   "with --to: for matrix and vector");
  draw->add_option("--to-strides", options->other.to_strides, "with --to: for free, 4N, 2N, 2IC");
  draw->add_option("--way", options->ways,
                   "with --to: an index whose way is drawn (default: the first and its neighbours)")
      ->repeated();
  draw->add_flag("--animate", options->animate, "with --to: the copy, element by element");
  draw->callback([options] {
    const NamedLayout tensor = make_layout(options->layout.spec());
    check_fits(tensor);
    if (!options->other.to.empty()) {
      const std::string svg =
          draw_both(tensor, options->layout, options->other, options->ways, options->animate);
      if (!options->output.empty()) check_picture_name(options->output);
      return write_output(options->output.empty() ? std::string(kStandardOutput) : options->output,
                          svg);
    }
    if (options->animate || !options->ways.empty()) user_error("--way and --animate need --to");
    if (!options->output.empty()) {
      check_picture_name(options->output);
      write_output(options->output, draw_svg(tensor, banks_of(tensor)));
    } else {
      const std::string text =
          options->svg ? draw_svg(tensor, banks_of(tensor)) : draw_text(tensor, options->columns);
      std::fwrite(text.data(), 1, text.size(), stdout);
    }
  });
  add_gallery_command(layout);
}

}  // namespace tensorlane::cli
