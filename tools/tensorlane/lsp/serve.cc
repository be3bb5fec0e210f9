#include <thread>

#include "lsp/json_path.h"
#include "lsp/server.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language_scope.h"

namespace tensorlane::lsp {

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
