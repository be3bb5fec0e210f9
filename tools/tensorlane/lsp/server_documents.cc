// Documents of the server and what is shown at them.
#include <fmt/format.h>

#include <filesystem>

#include "lsp/diagnostics.h"
#include "lsp/json_path.h"
#include "lsp/server.h"
#include "lsp/uri.h"
#include "tensorlane/base/error.h"
#include "tensorlane/io/file.h"

namespace tensorlane::lsp {

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
      tell("window/logMessage", 2, fmt::format("{}: {}", name, problem.what()));
    }
  };
  attempt(workspace_.settings.findings, [&](const std::string& content) {
    workspace_.run.faults = read_faults(content, workspace_.root);
  });
  attempt(workspace_.settings.log, [&](const std::string& content) {
    workspace_.run.calls = read_calls(content, workspace_.root);
  });
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

}  // namespace tensorlane::lsp
