typedef struct {
  unsigned long long input, output;
  int end;  // how the kernel ends badly; 0: it does not
} __attribute__((packed)) args_t;
