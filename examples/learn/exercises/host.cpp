// The host of all exercises: EXERCISE, the name of one, says what its kernel should compute.
#include <functional>
#include <string>

#include "../common/host.h"
#include "args.h"

struct Exercise {
  const char* name;
  int n, c, h, w;
  std::size_t inputs;
  std::function<std::vector<float>(const Exercise&, const std::vector<float>&)> want;
};

typedef const Exercise& E;
typedef const std::vector<float>& Floats;

// Each element by itself.
static std::function<std::vector<float>(E, Floats)> each(const std::function<float(float)>& f) {
  return [f](E, Floats input) {
    std::vector<float> out;
    for (float x : input) out.push_back(f(x));
    return out;
  };
}

static std::vector<float> squares(E e, Floats) {
  std::vector<float> out;
  for (int i = 0; i < e.w; ++i) out.push_back(static_cast<float>(i * i));
  return out;
}

static std::vector<float> every_other_row(E e, Floats input) {
  std::vector<float> out;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (i / e.w % 2 == 0) out.push_back(input[i]);
  }
  return out;
}

// What the output holds before, n x h, and after.
static std::vector<float> addend(E e) {
  return whole_numbers(static_cast<std::size_t>(e.n) * e.h);
}
static std::vector<float> add_product(E e, Floats left) {
  const std::vector<float> right = whole_numbers(static_cast<std::size_t>(e.c) * e.h);
  std::vector<float> out = addend(e);
  for (int r = 0; r < e.n; ++r) {
    for (int k = 0; k < e.c; ++k) {
      for (int col = 0; col < e.h; ++col)
        out[r * e.h + col] += left[r * e.c + k] * right[k * e.h + col];
    }
  }
  return out;
}

static float plus_one(float x) {
  return x + 1;
}
static float square(float x) {
  return x * x;
}

static const Exercise kExercises[] = {
    {"frame", 2, 70, 5, 7, 2 * 70 * 5 * 7, each([](float x) { return 2 * x; })},
    {"squares", 1, 1, 1, 10, 1, squares},
    {"affine", 2, 70, 5, 7, 2 * 70 * 5 * 7, each([](float x) { return 2 * x + 3; })},
    {"rows", 2, 70, 5, 7, 2 * 70 * 10 * 7, every_other_row},
    {"large", 20, 64, 64, 128, 20 * 64 * 64 * 128, each([](float x) { return -x; })},
    {"overlap", 8, 64, 1, 4096, 8 * 64 * 4096, each(square)},
    {"one_buffer", 8, 64, 1, 512, 8 * 64 * 512, each(plus_one)},
    {"idle", 1, 3, 64, 512, 3 * 64 * 512, each(square)},
    {"tail", 1, 1, 1, 64 * 100 + 17, 64 * 100 + 17, each(plus_one)},
    {"add_product", 20, 100, 130, 1, 20 * 100, add_product},
    {"unread", 2, 70, 5, 7, 2 * 70 * 5 * 7, each([](float x) { return 3 * x; })},
    {"pieces", 8, 64, 1, 512, 8 * 64 * 512, each(plus_one)},
};

int main() {
  for (const Exercise& e : kExercises) {
    if (std::string(e.name) != EXERCISE) continue;
    const std::vector<float> input = whole_numbers(e.inputs), want = e.want(e, input);
    const bool adds = std::string(e.name) == "add_product";
    Device device;
    const Buffer<float> from(device, input);
    const Buffer<float> right(device, whole_numbers(static_cast<std::size_t>(e.c) * e.h));
    const Buffer<float> to(device, adds ? addend(e) : std::vector<float>(want.size(), -12345.0f));
    device.launch("exercise",
                  args_t{e.n, e.c, e.h, e.w, to.address(), from.address(), right.address()});
    return compare(EXERCISE, to.read(), want);
  }
  std::printf("no exercise is called %s\n", EXERCISE);
  return 1;
}
