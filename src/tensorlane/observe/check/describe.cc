#include "tensorlane/observe/check/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tensorlane/base/language.h"
#include "tensorlane/device/call_paths.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::check {
namespace {

// Files below the current folder are named from there, as people and CI services expect.
std::string shortened(const SourceLocation& source) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  const std::string path = source.path();
  return !error && path.rfind(here, 0) == 0 ? path.substr(here.size()) : source.file;
}

// Line `line` of `file`, blanks trimmed; empty when it cannot be read.
std::string line_of(const std::string& file, int line) {
  std::ifstream in(file);
  std::string text;
  for (int k = 0; k < line; ++k) {
    if (!std::getline(in, text)) return {};
  }
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string{} : text.substr(first, last - first + 1);
}

SourcePlace place_of(SourceLocation source) {
  SourcePlace place;
  place.source = source_line(source);
  source.file = shortened(source);
  place.place = source.text();
  place.file = std::move(source.file);
  place.line = source.line;
  place.function = std::move(source.function);
  return place;
}

// `calls` that led to `call_site`; where they are not known, those of the call in hand.
FindingLocation locate(std::string_view role, std::string call, const void* call_site,
                       std::span<const void* const> calls, std::vector<std::string> tensors) {
  FindingLocation location;
  location.role = role;
  location.call = std::move(call);
  location.tensors = std::move(tensors);
  if (!calls.empty()) {
    location.calls.assign(calls.begin(), calls.end());
  } else if (call_site != nullptr) {
    location.calls = calls_to(call_site);
  }
  return location;
}

}  // namespace

std::string source_line(const SourceLocation& source) {
  if (source.file.empty()) return {};
  std::string text = line_of(source.path(), source.line);
  // Sources may have moved together with the folder that the program is run in.
  return text.empty() && source.path() != source.file ? line_of(source.file, source.line) : text;
}

std::string bytes_text(std::int64_t bytes) {
  return tr_n("{} byte", "{} bytes", bytes);
}

std::string bytes_text(std::span<const trail::Range> ranges) {
  std::int64_t bytes = 0;
  for (const trail::Range& range : ranges) bytes += range.bytes();
  return bytes_text(bytes);
}

std::string one_line(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const bool explains = result.find(": ") != std::string::npos ||
                          result.find("\uff1a") != std::string::npos;  // as Chinese has it
    result = result.empty() ? std::string(line)
             : explains     ? tr("{}; {}", result, line)
                            : tr("{}: {}", result, line);
  }
  return result;
}

std::string place_text(const void* call_site) {
  SourceLocation source = find_source_location(call_site);
  source.file = shortened(source);
  return source.text();
}

FindingLocation make_location(std::string_view role, std::string call, const void* call_site,
                              std::vector<std::string> tensors) {
  return locate(role, std::move(call), call_site, {}, std::move(tensors));
}

FindingLocation make_location(std::string_view role, const Command& command,
                              std::initializer_list<int> operands) {
  std::vector<std::string> tensors;
  for (const int k : operands)
    tensors.push_back(
        trail::describe_operand(command.operands()[static_cast<std::size_t>(k)], command));
  return locate(role, trail::name_of(command), command.call_site, command.calls,
                std::move(tensors));
}

FindingLocation make_location(std::string_view role, const trail::Call& call) {
  const bool about_operand = call.operand.spec != nullptr;
  return locate(role, std::string(call.op->name()), call.site, call.calls,
                about_operand ? std::vector{call.operand.text()} : std::vector<std::string>{});
}

FindingLocation make_location(std::string_view role, const HostCaller& caller) {
  return make_location(role, std::string(caller.function), caller.call_site);
}

void complete(FindingLocation& location) {
  if (location.calls.empty()) return;
  std::vector<SourcePlace> places;
  for (const void* const call : location.calls) {
    for (const SourceLocation& source : call == location.calls.front()
                                            ? find_source_frames(call, location.call)
                                            : find_source_frames(call))
      places.push_back(place_of(source));
  }
  // What TPUKERNEL_FUNC_REGISTER puts around a kernel is none of the kernel's calls.
  if (places.size() > 1 && places.back().function == places.end()[-2].function + "_wrapper")
    places.pop_back();
  static_cast<SourcePlace&>(location) = std::move(places.front());
  places.erase(places.begin());
  location.callers = std::move(places);
  location.calls.clear();
}

void complete(FindingLaunches& launches) {
  if (launches.call_site != nullptr && launches.host.place.empty())
    launches.host = place_of(find_source_location(launches.call_site));
}

std::uint64_t space_begin(const Chip& chip, Space space) {
  return space == Space::kLocal ? 0 : chip.region(space).begin;
}

std::vector<FindingRegion> describe_bytes(const Chip& chip, Space space,
                                          std::span<const trail::Range> bytes) {
  std::vector<FindingRegion> regions;
  const std::string memory(space_name(space));
  if (space != Space::kLocal) {
    const auto begin = static_cast<std::int64_t>(space_begin(chip, space));
    for (const trail::Range& range : bytes)
      regions.push_back({memory, 0, 0, begin + range.begin, begin + range.end});
    return regions;
  }
  const std::int64_t npu_bytes = chip.local.npu_bytes;
  for (trail::Range range : bytes) {
    while (range.begin < range.end) {
      const std::int64_t npu = range.begin / npu_bytes;
      const std::int64_t end = std::min(range.end, (npu + 1) * npu_bytes);
      const std::int64_t from = range.begin - npu * npu_bytes, to = end - npu * npu_bytes;
      // The same offsets in the NPU before: one longer range of NPUs.
      const auto same =
          std::find_if(regions.begin(), regions.end(), [&](const FindingRegion& each) {
            return each.begin == from && each.end == to && each.npu + each.npus == npu;
          });
      if (same != regions.end()) {
        ++same->npus;
      } else {
        regions.push_back({memory, static_cast<int>(npu), 1, from, to});
      }
      range.begin = end;
    }
  }
  return regions;
}

}  // namespace tensorlane::check
