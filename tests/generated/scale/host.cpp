// Beside the kernels that it launches a compiler writes a host, which is no part of their module.
int main() {
  return 0;
}
