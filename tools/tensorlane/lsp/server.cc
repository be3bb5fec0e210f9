#include "lsp/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lsp/diagnostics.h"
#include "lsp/hover.h"
#include "lsp/json_path.h"
#include "lsp/uri.h"
#include "tensorlane/base/error.h"

namespace tensorlane::lsp {
namespace {

// Kinds of messages for people.
constexpr int kErrorMessage = 1, kWarningMessage = 2, kInfoMessage = 3;
constexpr const char *kShow = "window/showMessage", *kLog = "window/logMessage";

std::string folder_of(const Json& params) {
  std::string uri = text(params, {"rootUri"});
  if (const Json* const folders = find(params, {"workspaceFolders"});
      uri.empty() && folders != nullptr && folders->is_array() && !folders->empty())
    uri = text((*folders)[0], {"uri"});
  std::string path = path_of_uri(uri);
  if (path.empty()) path = text(params, {"rootPath"});
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? path
                                                    : std::filesystem::current_path().string();
}

// Whether a client that shows texts in one of these forms, first of all the first, shows Markdown.
bool shows_markdown(const Json& capabilities) {
  const Json* const formats = find(capabilities, {"textDocument", "hover", "contentFormat"});
  if (formats == nullptr || !formats->is_array() || formats->empty()) return true;
  return std::any_of(formats->begin(), formats->end(), [](const Json& format) {
    return format.is_string() && format.text() == "markdown";
  });
}

Json capabilities() {
  Json commands = Json::array();
  for (const std::string_view name : command_names()) commands.push_back(name);
  return {{"positionEncoding", "utf-16"},
          {"textDocumentSync",
           {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
          {"hoverProvider", true},
          {"completionProvider",
           {{"resolveProvider", true}, {"triggerCharacters", Json::array({"_"})}}},
          {"signatureHelpProvider", {{"triggerCharacters", Json::array({"(", ","})}}},
          {"codeActionProvider", {{"codeActionKinds", Json::array({"quickfix"})}}},
          {"executeCommandProvider", {{"commands", commands}}}};
}

bool is_id(const Json& id) {
  return id.is_string() || (id.is_number() && !id.is_number_float());
}

}  // namespace

void Server::answer(const Json& id, const Json& result) {
  writer_.write({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

void Server::refuse(const Json& id, ErrorCode code, std::string_view why) {
  writer_.write({{"jsonrpc", "2.0"},
                 {"id", id},
                 {"error", {{"code", static_cast<int>(code)}, {"message", why}}}});
}

void Server::notify(std::string_view method, const Json& params) {
  writer_.write({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

void Server::tell(std::string_view method, int type, std::string_view what) {
  notify(method, {{"type", type}, {"message", what}});
}

void Server::handle(const Item& item) {
  if (item.end) {
    status_ = 1;  // without `exit`
  } else if (item.done) {
    item.done();
  } else if (!item.message) {
    refuse({}, ErrorCode::kParse, item.damage);
  } else {
    message(*item.message, item.cancelled);
  }
}

void Server::message(const Json& message, bool cancelled) {
  if (!message.is_object())
    return refuse({}, ErrorCode::kInvalidRequest, tr("a message is an object"));
  const Json* const id = message.find("id");
  const Json answer_to = id != nullptr && is_id(*id) ? *id : Json();
  const Json* const method = message.find("method");
  const Json* const params = message.find("params");
  if (text(message, {"jsonrpc"}) != "2.0")
    return refuse(answer_to, ErrorCode::kInvalidRequest, tr("a message has 'jsonrpc': '2.0'"));
  if (method == nullptr) {
    if (message.contains("result") || message.contains("error")) return;  // to a request of ours
    return refuse(answer_to, ErrorCode::kInvalidRequest, tr("a message has a method"));
  }
  if (!method->is_string())
    return refuse(answer_to, ErrorCode::kInvalidRequest, tr("a message has a method"));
  if (params != nullptr && !params->is_object() && !params->is_array() && !params->is_null())
    return refuse(answer_to, ErrorCode::kInvalidRequest, tr("parameters are an object or a list"));
  const Json given = params == nullptr ? Json() : *params;
  if (id == nullptr) return notification(method->text(), given);
  if (!is_id(*id))
    return refuse({}, ErrorCode::kInvalidRequest, tr("an id is a text or a whole number"));
  if (cancelled) return refuse(*id, ErrorCode::kCancelled, tr("cancelled"));
  request(*id, method->text(), given);
}

void Server::request(const Json& id, const std::string& method, const Json& params) {
  if (state_ == State::kNew && method != "initialize")
    return refuse(id, ErrorCode::kNotInitialized, tr("'initialize' comes first"));
  if (state_ == State::kShutDown)
    return refuse(id, ErrorCode::kInvalidRequest, tr("nothing but 'exit' comes after 'shutdown'"));
  if (state_ == State::kReady && method == "initialize")
    return refuse(id, ErrorCode::kInvalidRequest, tr("'initialize' comes once"));
  try {
    if (const std::optional<Json> result = result_of(id, method, params)) answer(id, *result);
  } catch (const CommandFailed& failed) {
    refuse(id, ErrorCode::kFailed, failed.what());
  } catch (const UserError& error) {
    refuse(id, ErrorCode::kInvalidParams, error.what());
  } catch (const std::exception& error) {
    refuse(id, ErrorCode::kInternal, error.what());
  }
}

std::optional<Json> Server::result_of(const Json& id, const std::string& method,
                                      const Json& params) {
  if (method == "initialize") return initialize(params);
  if (method == "shutdown") {
    state_ = State::kShutDown;
    return Json();
  }
  if (method == "textDocument/hover") return hover(workspace_, params);
  if (method == "textDocument/completion") return completion(workspace_, params);
  if (method == "completionItem/resolve") return resolve_completion(workspace_, params);
  if (method == "textDocument/signatureHelp") return signature_help(workspace_, params);
  if (method == "textDocument/codeAction") return code_actions(workspace_, params);
  if (method == "workspace/executeCommand") return execute(id, params);
  refuse(id, ErrorCode::kMethodNotFound, tr("no method '{}'", method));
  return std::nullopt;
}

Json Server::initialize(const Json& params) {
  if (!params.is_object()) user_error("the parameters lack '{}'", "capabilities");
  if (const std::string locale = text(params, {"locale"}); !locale.empty())
    locale_ = locale.starts_with("zh") ? Language::kChinese : Language::kEnglish;
  workspace_.root = folder_of(params);
  if (const Json* const client = find(params, {"capabilities"})) {
    workspace_.markdown = shows_markdown(*client);
    workspace_.snippets =
        flag(*client, {"textDocument", "completion", "completionItem", "snippetSupport"});
    workspace_.related =
        flag(*client, {"textDocument", "publishDiagnostics", "relatedInformation"});
  }
  const Json* const options = find(params, {"initializationOptions"});
  configure(options == nullptr ? Json() : *options);
  state_ = State::kReady;
  return {{"capabilities", capabilities()},
          {"serverInfo", {{"name", "tensorlane"}, {"version", TENSORLANE_VERSION}}}};
}

void Server::configure(const Json& settings) {
  const Json* const own = find(settings, {"tensorlane"});
  workspace_.settings = read_settings(own == nullptr ? settings : *own, workspace_.settings);
  if (const auto language = workspace_.settings.language ? workspace_.settings.language : locale_)
    set_language(*language);
}

std::optional<Json> Server::execute(const Json& id, const Json& params) {
  const std::string command = text(params, {"command"});
  const Json* const given = find(params, {"arguments"});
  const Json arguments = given == nullptr ? Json() : *given;
  if (command == "tensorlane.explain") {
    Json page = explain(arguments);
    tell(kLog, kInfoMessage, page["markdown"].text());
    return page;
  }
  if (command == "tensorlane.layout") return layout(workspace_, arguments);
  if (command == "tensorlane.run") {
    start(id, plan_run(workspace_));
  } else if (command == "tensorlane.verify") {
    start(id, plan_verify(workspace_));
  } else if (command == "tensorlane.why") {
    start(id, plan_why(workspace_, arguments));
  } else {
    user_error("no command '{}'", command);
  }
  return std::nullopt;
}

// `id` is null where nobody waits for the result.
void Server::start(const Json& id, Plan plan) {
  jobs_.start(id, std::move(plan.steps), workspace_.root,
              [this, id, finish = std::move(plan.finish)](const std::vector<Outcome>& outcomes) {
                if (outcomes.back().stopped) {
                  if (!id.is_null()) refuse(id, ErrorCode::kCancelled, tr("cancelled"));
                  return;
                }
                try {
                  const Plan::Finished finished = finish(workspace_, outcomes);
                  publish_all();
                  if (!finished.said.empty())
                    tell(id.is_null() ? kLog : kShow, kInfoMessage, finished.said);
                  if (!id.is_null()) answer(id, finished.result);
                } catch (const std::exception& error) {
                  if (id.is_null()) return tell(kLog, kErrorMessage, error.what());
                  refuse(id, ErrorCode::kFailed, error.what());
                }
              });
}

void Server::notification(const std::string& method, const Json& params) {
  if (method == "exit") {
    status_ = state_ == State::kShutDown ? 0 : 1;
    return;
  }
  if (state_ != State::kReady) return;  // as the protocol wants
  try {
    if (method == "textDocument/didOpen") {
      open(params);
    } else if (method == "textDocument/didChange") {
      change(params);
    } else if (method == "textDocument/didClose") {
      close(params);
    } else if (method == "textDocument/didSave") {
      read_files();
      publish_all();
      if (workspace_.settings.run_on_save && !workspace_.settings.program.empty())
        start({}, plan_run(workspace_));
    } else if (method == "initialized" || method == "workspace/didChangeWatchedFiles") {
      read_files();
      publish_all();
    } else if (method == "workspace/didChangeConfiguration") {
      if (const Json* const settings = find(params, {"settings"})) configure(*settings);
      read_files();
      publish_all();
    } else if (method == "$/cancelRequest") {
      if (const Json* const id = find(params, {"id"})) jobs_.stop(*id);
    }
  } catch (const std::exception& error) {
    tell(kLog, kWarningMessage, fmt::format("{}: {}", method, error.what()));
  }
}

}  // namespace tensorlane::lsp
