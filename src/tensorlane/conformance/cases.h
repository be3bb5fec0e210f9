// Recorded calls of device functions, as files.
//
// A recording is a folder with `cases.jsonl`, one recorded call per line, perhaps more of them in
// `dense.jsonl`, and `data.bin`, the raw
// bytes its ranges point into; both may be gzipped (`.gz`). A case names a function, its arguments,
// the bytes to place before the call and the bytes that memory holds after it:
//
//   {"id":"okk_bdc_add/000","function":"okk_bdc_add","bit_exact_expected":true,
//    "args":[{"name":"dst_addr","type":"local_addr_t","value":4096}, ...],
//    "loads":[{"param":"src0","ranges":[[0,20480,4,0]]}, ...],
//    "expects":[{"param":"dst","must_match":true,"ranges":[[0,4096,4,8]]}]}
//
// A range is [npu, offset, bytes, data offset] or, with a fifth number, the same offset and length
// on that many consecutive NPUs. docs/conformance.md describes every field.
#ifndef TENSORLANE_CONFORMANCE_CASES_H_
#define TENSORLANE_CONFORMANCE_CASES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tensorlane/json/json.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane::conformance {

// Bytes of one buffer: buffers 0, 1, ... are the NPUs' local memories, kSystem and kSystem + 1 the
// system buffers SYS0 and SYS1.
struct BufferRange {
  static constexpr int kSystem = 1 << 16;      // more than any chip has NPUs
  static constexpr std::int64_t kNoData = -1;  // the bytes may hold anything

  int buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::int64_t data = kNoData;  // where the bytes stand in the recording's data
};

struct RecordedOperand {
  std::string param;
  bool must_match = true;  // false: bytes that may change and are no result (work tensors)
  // Not 0: the data are no bytes but a digest (digest.h) of each piece of so many bytes.
  std::uint64_t digest_bytes = 0;
  std::vector<BufferRange> ranges;
};

struct CaseCall {
  std::string function;
  Json args;  // a list of {name, type, value}, or of bare values
};

// How far an element may be from the recorded one: either bound is enough.
struct Tolerance {
  std::int64_t ulp = 0;
  double absolute = 0;
};

struct RecordedCase {
  std::string id;
  CaseCall call;
  std::vector<CaseCall> setup;  // calls to make before the bytes are placed
  std::vector<RecordedOperand> loads;
  std::vector<RecordedOperand> expects;
  Json returns;  // null when the function returns nothing
  Json outs;     // null, or values by parameter
  // Recorded behaviour that departs from the document, or an exception.
  bool vendor_quirk = false;
  std::string exception;     // why the recorded result does not count (exceptions.jsonl)
  bool refused = false;      // an exception: the call is an error here
  bool in_sequence = false;  // depends on the cases before it: never left out
  bool any_nan = false;      // any NaN does for a recorded NaN
  std::optional<Tolerance> tolerance;
  Dtype dtype = Dtype::kFp32;  // of the result; matters to NaN and tolerance only
};

class CaseReader {
 public:
  // Throws UserError when the folder has no recording.
  explicit CaseReader(const std::string& folder);
  ~CaseReader();
  CaseReader(const CaseReader&) = delete;
  CaseReader& operator=(const CaseReader&) = delete;

  // The next case; false at the end. Throws UserError with file and line for a malformed one.
  bool next(RecordedCase& out);
  std::span<const std::byte> bytes(const BufferRange& range) const;
  // The digest of a range's piece number `piece`, for operands that have digests.
  std::uint64_t digest(const BufferRange& range, std::uint64_t piece) const;

  // How much of the files of cases has been read, in bytes of the files.
  std::uint64_t position() const;
  std::uint64_t size() const;

 private:
  struct Input;
  void read_exceptions(const std::string& path);
  bool open_next();
  bool read_line();
  void read_case(RecordedCase& out) const;
  std::vector<RecordedOperand> read_operands(const Json& entry, const char* local,
                                             const char* system) const;

  std::vector<std::string> paths_;  // of the files of cases, the one being read and those after it
  std::uint64_t size_ = 0, read_ = 0;  // bytes of all files, of those that are done
  int line_number_ = 0;
  std::string line_;
  std::unique_ptr<Input> cases_;
  std::vector<std::byte> data_;
  struct Exception {
    std::string why;
    bool refused;
  };
  std::unordered_map<std::string, Exception> exceptions_;  // by id
};

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_CASES_H_
