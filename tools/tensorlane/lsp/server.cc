#include "lsp/server.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <thread>

#include "lsp/diagnostics.h"
#include "lsp/hover.h"
#include "lsp/uri.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language_scope.h"
#include "tensorlane/io/file.h"

namespace tensorlane::lsp {
namespace {

// Kinds of messages for people.
constexpr int kErrorMessage = 1, kWarningMessage = 2, kInfoMessage = 3;
constexpr const char *kShow = "window/showMessage", *kLog = "window/logMessage";

const Json* find(const Json& from, std::initializer_list<std::string_view> path) {
  const Json* at = &from;
  for (const std::string_view name : path) {
    at = at->is_object() ? at->find(name) : nullptr;
    if (at == nullptr) return nullptr;
  }
  return at;
}
bool flag(const Json& from, std::initializer_list<std::string_view> path) {
  const Json* const found = find(from, path);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}
std::string text(const Json& from, std::initializer_list<std::string_view> path) {
  const Json* const found = find(from, path);
  return found != nullptr && found->is_string() ? found->text() : std::string();
}

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

// The files of a run that someone else did, where the settings name them.
void Server::read_files() {
  const auto attempt = [&](const std::string& name, const auto& read) {
    if (name.empty()) return;
    const std::string file = workspace_.file_of(name);
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return;  // nobody ran anything yet
    try {
      read(std::string(FileView(file).text()));
    } catch (const std::exception& problem) {
      tell(kLog, kWarningMessage, fmt::format("{}: {}", name, problem.what()));
    }
  };
  attempt(workspace_.settings.findings, [&](const std::string& content) {
    workspace_.run.faults = read_faults(content, workspace_.root);
  });
  attempt(workspace_.settings.log, [&](const std::string& content) {
    workspace_.run.calls = read_calls(content, workspace_.root);
  });
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

void Server::open(const Json& params) {
  const std::string uri = uri_in(params);
  const Json* const content = find(params, {"textDocument", "text"});
  if (content == nullptr || !content->is_string()) user_error("the parameters lack '{}'", "text");
  workspace_.documents.insert_or_assign(uri, Document(content->text()));
  publish(uri);
}

void Server::change(const Json& params) {
  const std::string uri = uri_in(params);
  const auto document = workspace_.documents.find(uri);
  if (document == workspace_.documents.end()) user_error("'{}' is not open", uri);
  const Json* const changes = find(params, {"contentChanges"});
  if (changes == nullptr || !changes->is_array())
    user_error("the parameters lack '{}'", "contentChanges");
  for (const Json& each : *changes) {
    const Json* const content = find(each, {"text"});
    if (content == nullptr || !content->is_string()) user_error("the parameters lack '{}'", "text");
    document->second.change(range_in(each), content->text());
  }
  publish(uri);
}

void Server::close(const Json& params) {
  const std::string uri = uri_in(params);
  workspace_.documents.erase(uri);
  publish(uri);
}

void Server::publish(const std::string& uri) {
  const Document* const document = workspace_.document(uri);
  Json list = Json::array();
  for (Shown& shown : document != nullptr
                          ? diagnostics_of(workspace_, uri, *document)
                          : diagnostics_of_file(workspace_, workspace_.file_of(path_of_uri(uri))))
    list.push_back(std::move(shown.diagnostic));
  if (list.empty() && document == nullptr && !published_.contains(uri)) return;
  if (list.empty()) {
    published_.erase(uri);
  } else {
    published_.insert(uri);
  }
  notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", list}});
}

void Server::publish_all() {
  std::set<std::string> uris = published_;
  for (const auto& [uri, document] : workspace_.documents) uris.insert(uri);
  for (const FoundFault& fault : workspace_.run.faults) {
    if (!fault.places.empty() && !fault.places.front().file.empty())
      uris.insert(workspace_.uri_of_file(workspace_.file_of(fault.places.front().file)));
  }
  for (const std::string& uri : uris) publish(uri);
}

int serve(std::FILE* in, std::FILE* out) {
  const LanguageScope language(tensorlane::language());  // the client may ask for another one
  Inbox inbox;
  Writer writer(out);
  std::thread reader([&] {
    Reader messages(in);
    bool over = false;
    while (!over) {
      const std::optional<Received> received = messages.next();
      Item item;
      if (!received) {
        item.end = over = true;
      } else if (received->damaged) {
        item.damage = received->text;
      } else {
        try {
          item.message = Json::parse(received->text);
          over = item.message->is_object() && text(*item.message, {"method"}) == "exit";
        } catch (const UserError& error) {
          item.damage = error.what();
        }
      }
      inbox.add(std::move(item));
    }
  });
  Server server(inbox, writer);
  while (!server.status()) server.handle(inbox.take());
  reader.join();
  return *server.status();
}

}  // namespace tensorlane::lsp
