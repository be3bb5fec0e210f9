#include "lsp/uri.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace tensorlane::lsp {

std::string uri_of_path(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 ||
                                       std::string_view("-._~/").find(c) != std::string_view::npos);
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

std::string path_of_uri(std::string_view uri) {
  constexpr std::string_view kFile = "file://";
  if (uri.starts_with(kFile)) {
    uri.remove_prefix(kFile.size());
    uri.remove_prefix(std::min(uri.find('/'), uri.size()));  // a host
  } else if (uri.find(':') != std::string_view::npos) {
    return {};
  }
  std::string path;
  for (std::size_t at = 0; at < uri.size(); ++at) {
    unsigned byte = 0;
    const char* const digits = uri.data() + at + 1;
    if (uri[at] == '%' && at + 2 < uri.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      path += static_cast<char>(byte);
      at += 2;
    } else {
      path += uri[at];
    }
  }
  return path.find('\0') == std::string::npos ? path : std::string();
}

}  // namespace tensorlane::lsp
