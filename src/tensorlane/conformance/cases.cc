#include "tensorlane/conformance/cases.h"

#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tensorlane/base/error.h"
#include "tensorlane/json/json.h"

namespace tensorlane::conformance {
namespace {

constexpr std::uint64_t kDigestSize = sizeof(std::uint64_t);

// The file itself or its gzipped form; nothing where there is neither.
std::string optional_file(const std::string& folder, const std::string& name) {
  for (const char* suffix : {"", ".gz"}) {
    std::string path = (std::filesystem::path(folder) / (name + suffix)).string();
    if (std::filesystem::is_regular_file(path)) return path;
  }
  return {};
}
std::string find_file(const std::string& folder, const std::string& name) {
  std::string path = optional_file(folder, name);
  if (!path.empty()) return path;
  user_error("'{}' is no recording: it has no {} and no {}.gz", folder, name, name);
}

CaseCall read_call(const Json& entry) {
  return {entry.at("function").get<std::string>(), entry.value("args", Json::array())};
}

}  // namespace

// zlib reads plain files as well as gzipped ones.
struct CaseReader::Input {
  explicit Input(const std::string& path) : path(path), file(gzopen(path.c_str(), "rb")) {
    if (file == nullptr) user_error("cannot read '{}'", path);
    gzbuffer(file, 1U << 17U);
  }
  ~Input() { gzclose(file); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // Up to `bytes` bytes; fewer only at the end.
  std::size_t read(void* into, std::size_t bytes) {
    const int got = gzread(file, into, static_cast<unsigned>(bytes));
    int error = Z_OK;
    const char* const text = gzerror(file, &error);
    if (got < 0 || (error != Z_OK && error != Z_STREAM_END)) user_error("'{}': {}", path, text);
    return static_cast<std::size_t>(got);
  }

  std::string path;
  gzFile file;
  std::vector<char> buffer = std::vector<char>(std::size_t{1} << 16U);
  std::size_t begin = 0, end = 0;
};

CaseReader::CaseReader(const std::string& folder) {
  if (!std::filesystem::is_directory(folder)) user_error("'{}' is no folder", folder);
  paths_.push_back(find_file(folder, "cases.jsonl"));
  if (std::string dense = optional_file(folder, "dense.jsonl"); !dense.empty())
    paths_.push_back(std::move(dense));
  for (const std::string& path : paths_) size_ += std::filesystem::file_size(path);
  cases_ = std::make_unique<Input>(paths_.front());
  read_exceptions((std::filesystem::path(folder) / "exceptions.jsonl").string());
  Input data(find_file(folder, "data.bin"));
  constexpr std::size_t kStep = std::size_t{1} << 20U;
  for (std::size_t got = kStep; got == kStep;) {
    const std::size_t size = data_.size();
    data_.resize(size + kStep);
    got = data.read(data_.data() + size, kStep);
    data_.resize(size + got);
  }
}

CaseReader::~CaseReader() = default;

void CaseReader::read_exceptions(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    try {
      const Json entry = Json::parse(line);
      exceptions_.emplace(
          entry.at("id").get<std::string>(),
          Exception{entry.at("why").get<std::string>(), entry.value("refused", false)});
    } catch (const UserError& error) {
      user_error("'{}': not an exception: {}", path, error.what());
    }
  }
}

bool CaseReader::open_next() {
  if (paths_.size() == 1) return false;
  read_ += std::filesystem::file_size(paths_.front());
  paths_.erase(paths_.begin());
  cases_ = std::make_unique<Input>(paths_.front());
  line_number_ = 0;
  return true;
}

bool CaseReader::read_line() {
  line_.clear();
  for (;;) {
    Input& in = *cases_;
    if (in.begin == in.end) {
      in.begin = 0;
      in.end = in.read(in.buffer.data(), in.buffer.size());
      if (in.end == 0) return !line_.empty();
    }
    const std::string_view rest(in.buffer.data() + in.begin, in.end - in.begin);
    const std::size_t newline = rest.find('\n');
    line_ += rest.substr(0, newline);
    if (newline != std::string_view::npos) {
      in.begin += newline + 1;
      return true;
    }
    in.begin = in.end;
  }
}

bool CaseReader::next(RecordedCase& out) {
  do {
    if (!read_line()) {
      if (!open_next()) return false;
      continue;
    }
    ++line_number_;
  } while (line_.find_first_not_of(" \t\r") == std::string::npos);
  try {
    read_case(out);
  } catch (const std::exception& error) {
    user_error("{}:{}: not a recorded call: {}", paths_.front(), line_number_, error.what());
  }
  return true;
}

void CaseReader::read_case(RecordedCase& out) const {
  const Json entry = Json::parse(line_);
  out = {};
  out.id = entry.at("id").get<std::string>();
  out.call = read_call(entry);
  if (const auto found = exceptions_.find(out.id); found != exceptions_.end()) {
    out.exception = found->second.why;
    out.refused = found->second.refused;
  }
  for (const Json& call : entry.value("setup", Json::array())) out.setup.push_back(read_call(call));
  out.loads = read_operands(entry, "loads", "system_loads");
  out.expects = read_operands(entry, "expects", "system_expects");
  out.returns = entry.value("returns", Json());
  out.outs = entry.value("outs", Json());
  out.vendor_quirk = !entry.value("bit_exact_expected", true) || !out.exception.empty();
  for (const Json& tag : entry.value("tags", Json::array())) {
    if (tag.text().starts_with("sequence")) out.in_sequence = true;
  }
  out.any_nan = entry.value("nan_payload", std::string()) == "any";
  if (entry.contains("tolerance_ulp") || entry.contains("tolerance_abs")) {
    out.tolerance = {entry.value("tolerance_ulp", std::int64_t{0}),
                     entry.value("tolerance_abs", 0.0)};
  }
  if (const Json* const dtypes = entry.find("dtypes"); dtypes != nullptr && !dtypes->empty()) {
    const auto& name = dtypes->front().text();
    if (name == "fp16") out.dtype = Dtype::kFp16;
    if (name == "bf16") out.dtype = Dtype::kBf16;
  }
}

std::vector<RecordedOperand> CaseReader::read_operands(const Json& entry, const char* local,
                                                       const char* system) const {
  std::vector<RecordedOperand> operands;
  for (const char* key : {local, system}) {
    const Json* const list = entry.find(key);
    if (list == nullptr) continue;
    for (const Json& item : *list) {
      RecordedOperand operand{item.value("param", std::string()),
                              item.value("must_match", true),
                              item.value("digest_bytes", std::uint64_t{0}),
                              {}};
      for (const Json& numbers : item.at("ranges")) {
        BufferRange range{numbers[0].get<int>() + (key == system ? BufferRange::kSystem : 0),
                          numbers[1].get<std::uint64_t>(), numbers[2].get<std::uint64_t>(),
                          numbers[3].get<std::int64_t>()};
        const auto count = numbers.size() > 4 ? numbers[4].get<std::uint64_t>() : 1;
        const std::uint64_t stored =
            operand.digest_bytes == 0
                ? range.bytes
                : (range.bytes + operand.digest_bytes - 1) / operand.digest_bytes * kDigestSize;
        if (count > static_cast<std::uint64_t>(BufferRange::kSystem))
          user_error("range {} is on more NPUs than a chip can have", numbers.dump());
        if (range.data != BufferRange::kNoData &&
            (range.data < 0 || stored > data_.size() ||
             static_cast<std::uint64_t>(range.data) > data_.size() - stored ||
             static_cast<std::uint64_t>(range.data) + stored * count > data_.size())) {
          user_error("range {} reads past the data's {} bytes", numbers.dump(), data_.size());
        }
        for (std::uint64_t k = 0; k < count; ++k) {
          operand.ranges.push_back(range);
          ++range.buffer;
          if (range.data != BufferRange::kNoData) range.data += static_cast<std::int64_t>(stored);
        }
      }
      operands.push_back(std::move(operand));
    }
  }
  return operands;
}

std::uint64_t CaseReader::position() const {
  return read_ + static_cast<std::uint64_t>(gzoffset(cases_->file));
}

std::uint64_t CaseReader::size() const {
  return size_;
}

std::span<const std::byte> CaseReader::bytes(const BufferRange& range) const {
  return std::span(data_).subspan(static_cast<std::size_t>(range.data), range.bytes);
}

std::uint64_t CaseReader::digest(const BufferRange& range, std::uint64_t piece) const {
  std::uint64_t value = 0;
  std::memcpy(&value, data_.data() + range.data + piece * kDigestSize, kDigestSize);
  return value;
}

}  // namespace tensorlane::conformance
