// Names of the files of a run that uses several devices, or launches more than once.
#ifndef TENSORLANE_OBSERVE_DEVICE_FILE_H_
#define TENSORLANE_OBSERVE_DEVICE_FILE_H_

#include <string>
#include <string_view>

namespace tensorlane::observe {

// `path` with `number` before the extensions: "out/calls.jsonl.gz", "-2" -> "out/calls-2.jsonl.gz".
std::string numbered(const std::string& path, std::string_view number);

// `path` for the first device of this program that asks for it, then with ".2", ".3", ... before
// the extensions.
std::string file_of_device(const std::string& path);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_DEVICE_FILE_H_
