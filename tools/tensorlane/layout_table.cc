// tensorlane layout table: the address of every element.
#include <fmt/format.h>

#include <cstdio>
#include <iterator>

#include "layout_options.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/element_place.h"

namespace tensorlane::cli {
namespace {

// Writes to standard output in large pieces: a table may have millions of rows.
class Output {
 public:
  ~Output() { flush(); }
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() > (1 << 16)) flush();
  }

 private:
  void flush() {
    std::fwrite(buffer_.data(), 1, buffer_.size(), stdout);
    buffer_.clear();
  }
  fmt::memory_buffer buffer_;
};

std::string json_text(const NamedLayout& tensor) {
  const std::vector<std::string_view> names = place_names(tensor);
  const int rank = tensor.layout.rank();
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  bool first = true;
  for_each_element(tensor, [&](const Layout::Index& index, const auto& place) {
    fmt::format_to(out, "{}{{\"index\":[", first ? "[\n" : ",\n");
    first = false;
    for (int d = 0; d < rank; ++d) fmt::format_to(out, "{}{}", d == 0 ? "" : ",", index[d]);
    fmt::format_to(out, "]");
    for (std::size_t i = 0; i < names.size(); ++i)
      fmt::format_to(out, ",\"{}\":{}", names[i], place[i]);
    fmt::format_to(out, "}}");
  });
  fmt::format_to(out, "{}", first ? "[]\n" : "\n]\n");
  return fmt::to_string(text);
}

void print_columns(const NamedLayout& tensor, bool csv) {
  std::vector<std::string> names = axis_names(tensor);
  const std::size_t rank = names.size();
  // Programs read CSV.
  for (const std::string_view name : place_names(tensor))
    names.emplace_back(csv ? name : translated(name));
  Output out;
  const auto cell = [&](std::size_t column, const auto& value) {
    if (csv) {
      out.print("{}{}", column == 0 ? "" : ",", value);
    } else {
      out.print("{:>{}}", value, column < rank ? 6 : 11);
    }
  };
  for (std::size_t i = 0; i < names.size(); ++i) cell(i, names[i]);
  out.print("\n");
  for_each_element(tensor, [&](const Layout::Index& index, const auto& place) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      cell(i, i < rank ? index[i] : place[i - rank]);
    }
    out.print("\n");
  });
}

}  // namespace

void add_table_command(App& layout) {
  App* table = layout.add_subcommand("table", "The address of every element");
  table->footer(
      "Rows are in logical order. Offsets are bytes. Local layouts give NPU and offset in it,\n"
      "linear ones the offset, images the pixel (x, y) and its lane (0 to 3: R, G, B, A).\n"
      "\n"
      "Examples:\n"
      "  tensorlane layout table --chip bm1684 --layout aligned --dtype fp32 --shape 2,3,4,5 \\\n"
      "    --start-npu 2 --format json\n"
      "  tensorlane layout table --chip bm1684x --layout matrix --dtype fp16 --shape 2,40 \\\n"
      "    --cols-per-channel 20 --format csv\n"
      "  tensorlane layout table --chip mace --layout IN_OUT_CHANNEL --dtype fp16 --shape "
      "1,2,3,6\n");
  auto options = std::make_shared<LayoutOptions>();
  auto output = std::make_shared<LayoutOutput>();
  options->add_to(*table);
  output->add_to(*table, true);
  table->callback([options, output] {
    const NamedLayout tensor = make_layout(options->spec());
    check_fits(tensor);
    if (output->wants_text()) print_columns(tensor, output->format == OutputFormat::kCsv);
    if (output->wants_json()) output->write_json_text(json_text(tensor));
  });
}

}  // namespace tensorlane::cli
