#ifndef ARGS_H_
#define ARGS_H_

// output, query: heads x queries x dim floats; key, value: heads x keys x dim.
typedef struct {
  int heads, queries, keys, dim;
  float scale;  // 1 / sqrt(dim)
  unsigned long long output_addr, query_addr, key_addr, value_addr;
} __attribute__((packed)) args_t;

#endif  // ARGS_H_
