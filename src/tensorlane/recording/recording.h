// Recorded call sequences: one JSON object per line, plain or gzip.
//
//   {"header":1,"chip":"bm1684","operator":"softmax","case":0,...}    optional first line
//   {"op":"gdma_32bit_cpy_S2L","dst_addr":65536,"src_addr":4563656704,
//    "shape":[1,370,13,13],"dst_stride":null,"src_stride":null}
//
// The name stands without okk_ or tpu_; every parameter of the function by its name: numbers, null
// for a NULL pointer, lists in the orders n,c,h,w / h,w / top,bottom,left,right. Bits of x32 and
// scalar_t and float constants as numbers, {"is_addr":1,"addr":4096} or {"is_addr":0,"val":bits}
// for what may be either, with "type" in place of "is_addr" for variable_t. Other structures are
// not written, and calls that need one cannot be read again. Of a launch over several cores, whose
// number the header has ("cores":8), the calls of all stand in the order in which they took effect:
//
//   {"core":1}                                            from here on those of core 1; first of 0
//   {"message":"send","engine":"GDMA","slot":64,"count":1}  an engine sends; so many waits remain
//   {"message":"wait","engine":"GDMA","slot":64,"count":1}  the message that it waited for has come
//   {"message":"join"}                                    the engines of the core wait for each
//   other
//
// Without a chip in the header the calls
// are the BM1684's. `tensorlane run --record` writes this (observe/recorder.h), `estimate` and
// `replay` read it.
#ifndef TENSORLANE_RECORDING_RECORDING_H_
#define TENSORLANE_RECORDING_RECORDING_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/device/message_slots.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/op.h"

namespace tensorlane {

// What a line says: a call, or which core the next calls are of, or a message.
struct RecordedCall {
  const Op* op = nullptr;  // null: no call
  std::vector<Arg> args = {};
  std::optional<int> core = {};
  std::optional<MessageEvent> message = {};
};

class RecordingReader {
 public:
  // Opens a .jsonl or .jsonl.gz file. A given `chip` counts, whatever the header says. Throws
  // UserError when the file cannot be read or names an unknown chip.
  explicit RecordingReader(const std::string& path, const Chip* chip = nullptr);

  // The chip whose functions are called.
  const Chip& chip() const { return *chip_; }

  // That ran the kernel.
  int cores() const { return cores_; }
  // The header line; null when there is none.
  const Json& header() const { return header_; }
  // What the next line says; nothing at the end. Throws UserError, naming file and line, for a line
  // that is not a call of a known function with all its parameters, and for cores, engines and
  // messages that the chip does not have.
  std::optional<RecordedCall> next();

 private:
  struct Close {
    void operator()(void* file) const;
  };
  bool read_line(std::string& line);
  int cores_of_header() const;
  // Nothing for a line that says nothing of the device.
  std::optional<RecordedCall> decode_line(const std::string& line) const;

  std::string path_;
  std::unique_ptr<void, Close> file_;  // gzFile
  const Chip* chip_;
  int cores_ = 1;
  long long line_number_ = 0;
  Json header_;
  std::optional<std::string> pending_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_RECORDING_H_
