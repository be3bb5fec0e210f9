// What the subcommands of `tensorlane layout` share: the options that name a layout of a tensor.
#ifndef TENSORLANE_TOOLS_LAYOUT_OPTIONS_H_
#define TENSORLANE_TOOLS_LAYOUT_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app.h"
#include "json_option.h"
#include "tensorlane/front_ends/layout_owner.h"
#include "tensorlane/layout/named.h"

namespace tensorlane::cli {

// Integers separated by ',' or 'x'. Throws UserError that names the option.
std::vector<std::int64_t> parse_integers(std::string_view option, std::string_view text);

// For completions: all chips; those and MACE; all layouts; all element types.
std::vector<std::string> chip_names();
std::vector<std::string> owner_words();
std::vector<std::string> layout_words();
std::vector<std::string> dtype_words();

// The options as given; `spec` turns them into a request.
struct LayoutOptions {
  std::string chip = "bm1684";
  std::string layout;
  std::string dtype = "fp32";
  std::string shape;
  std::string strides;
  std::string memory;
  std::int64_t start_npu = 0;
  std::int64_t offset = 0;
  std::optional<std::int64_t> address;
  std::optional<std::int64_t> cols_per_channel;
  int winograd_block = 2;
  std::optional<std::int64_t> npus, npu_bytes;

  void add_to(App& command);
  LayoutSpec spec() const;
};

enum class OutputFormat : std::uint8_t { kText, kJson, kCsv };
// --format, and --json, which --format json is another name for.
struct LayoutOutput {
  OutputFormat format = OutputFormat::kText;
  JsonOption json;

  void add_to(App& command, bool with_csv);
  bool wants_text() const { return format != OutputFormat::kJson && !json.replaces_text(); }
  bool wants_json() const { return format == OutputFormat::kJson || json.wanted(); }
  void write_json(const Json& document) const { write_json_text(document.dump(1) + "\n"); }
  void write_json_text(const std::string& document) const;
};

// The axes as words of a heading: "n", "c", "h", "w"; "row", "col".
std::vector<std::string> axis_names(const NamedLayout& tensor);

// Says on stderr that nothing of the source stands in this layout, where that is so: MACE writes
// zeros for depthwise filters with M > 1.
void warn_of_lost_elements(const NamedLayout& packed);

// Banks in an NPU of the chip; of MACE, which has no NPUs, 1.
int banks_of(const NamedLayout& tensor);

void add_convert_command(App& layout);
void add_describe_command(App& layout);
void add_draw_command(App& layout);  // and gallery
void add_identify_command(App& layout);
void add_locate_command(App& layout);
void add_loops_command(App& layout);
void add_plan_command(App& layout);
void add_takers_command(App& layout);
void add_table_command(App& layout);
void add_verify_command(App& layout);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_LAYOUT_OPTIONS_H_
