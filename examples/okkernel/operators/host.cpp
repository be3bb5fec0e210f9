// Runs the operators at the sizes of cases.h, or at sizes of your own, and checks every element.
#include <cstring>
#include <map>
#include <sstream>

#include "cases.h"
#include "checks.h"

namespace {

using Check = Result (*)(example::Device&, const Parameters&);

struct Operator {
  Check check;
  std::size_t least, most;  // parameters
};

const std::map<std::string, Operator>& operators() {
  static const std::map<std::string, Operator> table = {
      {"softmax", {check_softmax, 4, 4}},   {"depthwise", {check_depthwise, 14, 14}},
      {"conv2d", {check_conv2d, 15, 15}},   {"matmul", {check_matmul, 3, 3}},
      {"avgpool", {check_avgpool, 14, 14}}, {"reducesum", {check_reducesum, 4, 8}},
      {"rgb2bgr", {check_rgb2bgr, 1, 1}},   {"transpose", {check_transpose, 8, 8}}};
  return table;
}

const char kHelp[] =
    "usage: operators [OPERATOR] [--case NUMBER | --size A,B,...] [--full] [--list]\n"
    "\n"
    "Runs tiled, double-buffered operators on the device and checks every element against double\n"
    "precision. Without arguments: every case that takes seconds at most.\n"
    "\n"
    "  OPERATOR       softmax, depthwise, conv2d, matmul, avgpool, reducesum, rgb2bgr, transpose\n"
    "  --case NUMBER  only this case of the operator\n"
    "  --size A,B,..  a size of your own; the order of the numbers is the one --list shows\n"
    "  --full         the largest cases too: minutes, and up to 12 GB of memory\n"
    "  --list         what there is\n"
    "\n"
    "  operators transpose --case 4\n"
    "  operators matmul --size 100,2000,300\n"
    "  operators reducesum --size 2,3,400,500,1,3      (N,C,H,W, then the summed axes)\n";

std::string joined(const Parameters& parameters) {
  std::ostringstream text;
  for (std::size_t i = 0; i < parameters.size(); ++i) text << (i == 0 ? "" : ",") << parameters[i];
  return text.str();
}

bool run(example::Device& device, const std::string& op, const std::string& label,
         const Parameters& parameters) {
  const Result result = operators().at(op).check(device, parameters);
  std::printf("%-9s %-4s %-45s %s: %s, %.1f ms\n", op.c_str(), label.c_str(),
              joined(parameters).c_str(), result.passed ? "pass" : "fail", result.text.c_str(),
              result.milliseconds);
  std::fflush(stdout);
  return result.passed;
}

int usage_error(const char* message) {
  std::printf("fail: %s\n%s", message, kHelp);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string op;
  int number = -1;
  Parameters size;
  bool full = false, list = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--full") {
      full = true;
    } else if (argument == "--list") {
      list = true;
    } else if (argument == "--help" || argument == "-h") {
      std::printf("%s", kHelp);
      return 0;
    } else if (argument == "--case" && i + 1 < argc) {
      number = std::atoi(argv[++i]);
    } else if (argument == "--size" && i + 1 < argc) {
      std::istringstream text(argv[++i]);
      for (std::string item; std::getline(text, item, ',');)
        size.push_back(std::atoi(item.c_str()));
    } else if (operators().count(argument) != 0) {
      op = argument;
    } else {
      return usage_error(("unknown argument " + argument).c_str());
    }
  }
  if ((number >= 0 || !size.empty()) && op.empty()) return usage_error("which operator?");
  if (!size.empty() &&
      (size.size() < operators().at(op).least || size.size() > operators().at(op).most))
    return usage_error("too few or too many numbers after --size");

  if (list) {
    for (const Case& c : all_cases())
      if (op.empty() || c.op == op)
        std::printf("%-9s %-4d %s%s\n", c.op.c_str(), c.number, joined(c.parameters).c_str(),
                    c.full ? "  (--full)" : "");
    return 0;
  }

  example::Device device;
  if (!size.empty()) return run(device, op, "-", size) ? 0 : 1;
  int passed = 0, failed = 0;
  for (const Case& c : all_cases()) {
    if (!op.empty() && c.op != op) continue;
    if (number >= 0 ? c.number != number : c.full && !full) continue;
    ++(run(device, c.op, std::to_string(c.number), c.parameters) ? passed : failed);
  }
  if (passed + failed == 0) return usage_error("no such case");
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
