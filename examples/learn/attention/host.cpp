#include "../common/host.h"
#include "args.h"

// softmax(query * key^T / sqrt(dim)) * value of one head, in double.
static void attend(const float* query, const float* key, const float* value, int queries, int keys,
                   int dim, std::vector<float>* out) {
  for (int q = 0; q < queries; ++q) {
    std::vector<double> weight(keys), row(dim);
    double largest = -1e30, sum = 0;
    for (int k = 0; k < keys; ++k) {
      for (int d = 0; d < dim; ++d) weight[k] += query[q * dim + d] * key[k * dim + d];
      weight[k] /= std::sqrt(static_cast<double>(dim));
      largest = std::fmax(largest, weight[k]);
    }
    for (double& w : weight) sum += w = std::exp(w - largest);
    for (int k = 0; k < keys; ++k) {
      for (int d = 0; d < dim; ++d) row[d] += weight[k] / sum * value[k * dim + d];
    }
    for (double x : row) out->push_back(static_cast<float>(x));
  }
}

int main() {
  const int heads = 3, queries = 70, keys = 100, dim = 64;
  std::vector<float> query = whole_numbers(heads * queries * dim),
                     key = whole_numbers(heads * keys * dim), want;
  const std::vector<float> value = whole_numbers(heads * keys * dim);
  for (std::size_t i = 0; i < query.size(); ++i) query[i] *= 0.1f;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] *= 0.1f;
  for (int head = 0; head < heads; ++head) {
    attend(&query[head * queries * dim], &key[head * keys * dim], &value[head * keys * dim],
           queries, keys, dim, &want);
  }

  Device device;
  const Buffer<float> q(device, query), k(device, key), v(device, value), to(device, query.size());
  const float scale = 1 / std::sqrt(static_cast<float>(dim));
  device.launch("attention", args_t{heads, queries, keys, dim, scale, to.address(), q.address(),
                                    k.address(), v.address()});
  return compare("attention", to.read(), want, 1e-4f);
}
