// The language server of `tensorlane lsp`: JSON-RPC 2.0 by the language server protocol 3.17.
//
// One thread answers, in the order in which messages come; another reads, so that a request can be
// cancelled before its turn; programs run beside both. Whatever comes in is answered or left out as
// the protocol says: nothing that a client sends ends the server but `exit` and the end of the
// stream.
#ifndef TENSORLANE_TOOLS_LSP_SERVER_H_
#define TENSORLANE_TOOLS_LSP_SERVER_H_

#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lsp/commands.h"
#include "lsp/transport.h"

namespace tensorlane::lsp {

// Serves until `exit` or the end of `in`. The exit status that the protocol wants: 0 where
// `shutdown` came before `exit`, else 1.
int serve(std::FILE* in, std::FILE* out);

// Codes of errors.
enum class ErrorCode : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternal = -32603,
  kNotInitialized = -32002,
  kCancelled = -32800,
  kFailed = -32803,
};

class Server {
 public:
  Server(Inbox& inbox, Writer& writer) : writer_(writer), jobs_(inbox) {}

  void handle(const Item& item);
  // The exit status, once it is time to end.
  std::optional<int> status() const { return status_; }

 private:
  enum class State : std::uint8_t { kNew, kReady, kShutDown };

  void message(const Json& message, bool cancelled);
  void request(const Json& id, const std::string& method, const Json& params);
  void notification(const std::string& method, const Json& params);
  Json initialize(const Json& params);
  // The result, or nothing where the answer comes later.
  std::optional<Json> result_of(const Json& id, const std::string& method, const Json& params);
  std::optional<Json> execute(const Json& id, const Json& params);
  void start(const Json& id, Plan plan);
  void open(const Json& params);
  void change(const Json& params);
  void close(const Json& params);
  void configure(const Json& settings);
  void read_files();
  void publish(const std::string& uri);
  void publish_all();

  void answer(const Json& id, const Json& result);
  void refuse(const Json& id, ErrorCode code, std::string_view why);
  void notify(std::string_view method, const Json& params);
  // A message for people. `type`: 1 error, 2 warning, 3 information.
  void tell(std::string_view method, int type, std::string_view text);

  Writer& writer_;
  Jobs jobs_;
  Workspace workspace_;
  State state_ = State::kNew;
  std::optional<int> status_;
  std::optional<Language> locale_;
  std::set<std::string> published_;  // that have diagnostics now
};

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_SERVER_H_
