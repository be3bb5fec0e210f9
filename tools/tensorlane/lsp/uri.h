// Files as the protocol names them.
#ifndef TENSORLANE_TOOLS_LSP_URI_H_
#define TENSORLANE_TOOLS_LSP_URI_H_

#include <string>
#include <string_view>

namespace tensorlane::lsp {

// "file:///home/me/my%20kernel.c"; a path that begins at no root stays relative.
std::string uri_of_path(std::string_view path);
// The other way; empty for what names no file. A path without a scheme, as SARIF has it, is taken
// as it is, with %20 and its like resolved.
std::string path_of_uri(std::string_view uri);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_URI_H_
