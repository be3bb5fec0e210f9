// Writes its arguments, which are of many types, into a tensor.
#include <string.h>

#include "okk.h"

typedef enum { kFirst = 0, kSecond = 5 } choice_t;
typedef struct {
  unsigned long long output;
  struct {
    short low;
    unsigned char high;
  } part;
  dim4 shape;
  double scale;
  float weights[3];
  choice_t choice;
  struct {
    int a, b;
  } pairs[2];
  union {
    int whole;
    float fraction;
  };
} structs_args;

void structs(const void* args) {
  const structs_args* a = (const structs_args*)args;
  okk_initialize();
  memcpy(okk_global_mem_addr(a->output), a, sizeof *a);
}
OKKERNEL_FUNC_REGISTER(structs)
