// Files that commands write where the user says. "-" is standard output.
#ifndef TENSORLANE_TOOLS_OUTPUT_FILE_H_
#define TENSORLANE_TOOLS_OUTPUT_FILE_H_

#include <filesystem>
#include <string>
#include <string_view>

namespace tensorlane::cli {

inline constexpr std::string_view kStandardOutput = "-";

// Nothing for an empty path. Throws UserError when the file cannot be written; one that was there
// before is then as it was.
void write_output(const std::string& path, std::string_view text);

// Says before a long run that its output would have no place to go. Throws UserError.
void check_output(const std::string& path);

// The same for the name of a picture, which is SVG whatever its ending says.
void check_picture_name(const std::string& path);

// A file that another program is to write. For "-" it is one of our own, which print() copies to
// standard output.
class ForeignOutput {
 public:
  // `extension` of the file that stands for "-".
  ForeignOutput(const std::string& path, std::string_view extension);
  ~ForeignOutput();
  ForeignOutput(const ForeignOutput&) = delete;
  ForeignOutput& operator=(const ForeignOutput&) = delete;

  // Absolute: the program may change its folder. Empty where nothing is wanted.
  const std::string& path() const { return path_; }
  // The program has ended. Further files that it wrote beside the first, of other devices and
  // launches, follow in the order of their names.
  void print() const;

 private:
  std::filesystem::path folder_;  // of our own
  std::string path_;
};

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_OUTPUT_FILE_H_
