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
  const char* parameters;
  std::size_t least;  // numbers of a size; as many as parameters at most
};

const std::map<std::string, Operator>& operators() {
  static const std::map<std::string, Operator> table = {
      {"softmax", {check_softmax, "N,C,H,W,bounded", 4}},
      {"depthwise",
       {check_depthwise,
        "N,C,H,W,kernel_h,kernel_w,pad_top,pad_bottom,pad_left,pad_right,stride_h,stride_w,"
        "dilation_h,dilation_w",
        14}},
      {"conv2d",
       {check_conv2d,
        "N,IC,OC,H,W,kernel_h,kernel_w,pad_top,pad_bottom,pad_left,pad_right,stride_h,stride_w,"
        "dilation_h,dilation_w",
        15}},
      {"matmul", {check_matmul, "left_rows,left_cols,right_cols", 3}},
      {"avgpool",
       {check_avgpool,
        "N,C,H,W,kernel_h,kernel_w,pad_top,pad_bottom,pad_left,pad_right,stride_h,stride_w,"
        "ceil_mode,count_include_pad",
        14}},
      {"reducesum", {check_reducesum, "N,C,H,W,axis,axis,axis,axis", 4}},
      {"rgb2bgr", {check_rgb2bgr, "pixels", 1}},
      {"transpose", {check_transpose, "N,C,H,W,order,order,order,order", 8}}};
  return table;
}

const char kHelp[] =
    "usage: operators [OPERATOR] [--all] [--full] [--case NUMBER | --size A,B,...] [--list]\n"
    "                 [--only-launch]\n"
    "\n"
    "Runs tiled, double-buffered operators on the device and checks every element against double\n"
    "precision. Without options: one case of each operator.\n"
    "\n"
    "  OPERATOR       softmax, depthwise, conv2d, matmul, avgpool, reducesum, rgb2bgr, transpose\n"
    "  --all          every case that takes seconds at most\n"
    "  --full         the largest cases too: minutes, and up to 12 GB of memory\n"
    "  --case NUMBER  only this case of the operator\n"
    "  --size A,B,..  a size of your own; the order of the numbers is the one --list shows\n"
    "  --list         what there is\n"
    "  --only-launch  launch on zeros and check nothing; for tensorlane run --dry-run\n"
    "\n"
    "  operators transpose --case 4\n"
    "  operators matmul --size 100,2000,300\n"
    "  operators reducesum --size 2,3,400,500,1,3      (N,C,H,W, then the summed axes)\n";

Parameters parse(const std::string& text) {
  Parameters parameters;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');)
    parameters.push_back(std::atoi(item.c_str()));
  return parameters;
}

bool run(example::Device& device, const std::string& op, const std::string& label,
         const std::string& size) {
  Result result;
  try {
    result = operators().at(op).check(device, parse(size));
  } catch (const Launched& launched) {
    result.passed = true;
    result.text = "launched";
    result.milliseconds = launched.milliseconds;
  }
  std::printf("%-9s %-4s %-45s %s: %s, %.3f ms\n", op.c_str(), label.c_str(), size.c_str(),
              result.passed ? "pass" : "fail", result.text.c_str(), result.milliseconds);
  std::fflush(stdout);
  return result.passed;
}

int usage_error(const std::string& message) {
  std::printf("fail: %s\n%s", message.c_str(), kHelp);
  return 2;
}

void print_list(const std::string& only) {
  std::string previous;
  for (const Case& c : kCases) {
    if (!only.empty() && c.op != only) continue;
    if (c.op != previous) std::printf("%s  %s\n", c.op, operators().at(c.op).parameters);
    std::printf("  %-4d %s%s\n", c.number, c.parameters, c.full ? "  (--full)" : "");
    previous = c.op;
  }
}

}  // namespace

bool only_launch = false;

int main(int argc, char** argv) {
  std::string op;
  int number = -1;
  std::string size;
  bool all = false, full = false, list = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--all") {
      all = true;
    } else if (argument == "--full") {
      all = full = true;
    } else if (argument == "--list") {
      list = true;
    } else if (argument == "--only-launch") {
      only_launch = true;
    } else if (argument == "--help" || argument == "-h") {
      std::printf("%s", kHelp);
      return 0;
    } else if (argument == "--case" && i + 1 < argc) {
      number = std::atoi(argv[++i]);
    } else if (argument == "--size" && i + 1 < argc) {
      size = argv[++i];
    } else if (operators().count(argument) != 0) {
      op = argument;
    } else {
      return usage_error("unknown argument " + argument);
    }
  }
  if ((number >= 0 || !size.empty()) && op.empty()) return usage_error("which operator?");
  if (!size.empty()) {
    const Operator& wanted = operators().at(op);
    const std::size_t numbers = parse(size).size();
    if (numbers < wanted.least || numbers > parse(wanted.parameters).size())
      return usage_error(std::string("--size takes ") + wanted.parameters);
  }

  if (list) {
    print_list(op);
    return 0;
  }

  example::Device device;
  if (!size.empty()) return run(device, op, "-", size) ? 0 : 1;
  int passed = 0, failed = 0;
  std::string previous;
  for (const Case& c : kCases) {
    if (!op.empty() && c.op != op) continue;
    if (number >= 0 ? c.number != number : c.full && !full) continue;
    if (number < 0 && !all && c.op == previous) continue;
    previous = c.op;
    ++(run(device, c.op, std::to_string(c.number), c.parameters) ? passed : failed);
  }
  if (passed + failed == 0) return usage_error("no such case");
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
