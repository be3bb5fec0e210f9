// Messages of the language server protocol: JSON behind a header that says how many bytes it has.
//
//   Content-Length: 52\r\n
//   \r\n
//   {"jsonrpc":"2.0","method":"initialized","params":{}}
#ifndef TENSORLANE_TOOLS_LSP_TRANSPORT_H_
#define TENSORLANE_TOOLS_LSP_TRANSPORT_H_

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>

#include "tensorlane/json/json.h"

namespace tensorlane::lsp {

// What came in: a text that should be a message, or why there is none.
struct Received {
  std::string text;
  bool damaged = false;  // the header is none, or the message too long; `text` says so
};

class Reader {
 public:
  // Longer messages are read past and answered with an error.
  static constexpr std::size_t kLongest = std::size_t{64} << 20;

  explicit Reader(std::FILE* in) : in_(in) {}

  // The next message; nothing at the end of the stream, also in the middle of a message.
  std::optional<Received> next();

 private:
  std::optional<std::string> line();
  bool skip(std::size_t bytes);

  std::FILE* in_;
};

// Any thread may write.
class Writer {
 public:
  explicit Writer(std::FILE* out) : out_(out) {}
  void write(const Json& message);

 private:
  std::FILE* out_;
  std::mutex mutex_;
};

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_TRANSPORT_H_
