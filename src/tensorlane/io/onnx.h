// The initialisers of ONNX models: the weights, by their names.
//
//   const OnnxFile model("resnet.onnx");
//   for (const TensorInfo& info : model.tensors()) ...
//
// A model is a protocol buffer, of which only what leads to the tensors is read: ModelProto.graph
// (7), GraphProto.initializer (5), of TensorProto dims (1), data_type (2), the lists of values
// (4, 5, 7, 10, 11), name (8), raw_data (9) and external_data (13) with its location beside the
// model, offset and length. [onnx.proto3 of ONNX 1.x]
//
//   data_type                      becomes
//   FLOAT FLOAT16 BFLOAT16         fp32 fp16 bf16
//   FLOAT8E4M3FN FLOAT8E5M2        fp8e4m3 fp8e5m2
//   (U)INT8 (U)INT16 (U)INT32      the integer of that width
//   DOUBLE INT64 UINT64            listed; read as fp32 (rounded), int32 or uint32 (if they fit)
//   BOOL STRING COMPLEX ...        listed, but an error to read
#ifndef TENSORLANE_IO_ONNX_H_
#define TENSORLANE_IO_ONNX_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tensorlane/io/tensor.h"
#include "tensorlane/io/tensor_info.h"

namespace tensorlane {

class OnnxFile {
 public:
  // Throws UserError for a file that is no ONNX model or is cut short, and for tensors whose shape
  // and values do not fit each other. Files of external data are opened when they are read.
  explicit OnnxFile(const std::filesystem::path& path);
  ~OnnxFile();
  OnnxFile(OnnxFile&&) noexcept;

  // In the order of the model. Two may have one name, which only reading them by name refuses.
  const std::vector<TensorInfo>& tensors() const;
  Tensor read(std::string_view name, std::optional<Dtype> dtype = std::nullopt) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_IO_ONNX_H_
