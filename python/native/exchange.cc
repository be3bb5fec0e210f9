#include "exchange.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace tensorlane::python {
namespace {

// Whether the other side took all of it.
bool send_all(int socket, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = send(socket, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = recv(socket, data, bytes, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

// A message is its length and what it says.
bool send_message(int socket, const std::string& message) {
  const std::uint64_t length = message.size();
  std::string whole(sizeof length, '\0');
  std::memcpy(whole.data(), &length, sizeof length);
  whole += message;
  return send_all(socket, whole.data(), whole.size());
}

bool receive_message(int socket, std::string& message) {
  std::uint64_t length = 0;
  if (!receive_all(socket, reinterpret_cast<char*>(&length), sizeof length)) return false;
  message.resize(length);
  return receive_all(socket, message.data(), length);
}

py::object received(int socket, bool is_sent) {
  std::string message;
  bool whole = is_sent;
  if (whole) {
    const py::gil_scoped_release unlocked;
    whole = receive_message(socket, message);
  }
  if (!whole) return py::none();
  return py::bytes(message);
}

bool sent(int socket, const std::string& message) {
  const py::gil_scoped_release unlocked;
  return send_message(socket, message);
}

}  // namespace

void add_exchange(py::module_& module) {
  const auto text = [](const py::bytes& message) { return static_cast<std::string>(message); };
  module.def("send",
             [text](int socket, const py::bytes& message) { return sent(socket, text(message)); });
  module.def("receive", [](int socket) { return received(socket, true); });
  module.def("exchange", [text](int socket, const py::bytes& message) {
    return received(socket, sent(socket, text(message)));
  });
}

}  // namespace tensorlane::python
