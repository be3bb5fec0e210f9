#include "convert_model.h"

#include <fmt/ranges.h>
#include <malloc.h>
#include <sys/stat.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include "model_plan.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/file.h"
#include "tensorlane/io/resumable_file.h"
#include "tensorlane/io/sha256.h"

namespace tensorlane::cli {
namespace {

// Source and result of the tensors that are worked on at once take no more bytes than those of the
// largest one.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : free_(bytes) {}
  void take(std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [&] { return free_ >= bytes; });
    free_ -= bytes;
  }
  void give_back(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    free_ += bytes;
    given_back_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::uint64_t free_;
};

// What is known of a tensor in the output.
struct Written {
  std::string sha256;  // empty: not there yet
  std::uint32_t sum = 0;
};

class ModelConversion {
 public:
  ModelConversion(const ConvertModel& command, const ModelFile& model, const ModelPlan& plan,
                  FileFormat format)
      : command_(command),
        model_(model),
        plan_(plan),
        format_(format),
        places_(format, placed(), static_cast<std::uint64_t>(command.align)),
        written_(plan.tensors().size()) {}

  void run() {
    ResumableFile file(command_.output, places_.file_bytes(), identity(), command_.restart);
    try {
      take_up(file);
      convert_all(file);
      std::vector<std::uint32_t> sums;
      for (const Written& each : written_) sums.push_back(each.sum);
      for (const TensorPlaces::Piece& piece : places_.frame(sums))
        file.write(piece.offset, piece.bytes);
      write_file(manifest_path(), manifest());
      file.commit();
    } catch (const UserError& error) {
      if (!std::filesystem::exists(file.part().string() + ".notes") || done() == 0) throw;
      user_error("{}; {} of {} tensors are done and stay in '{}': the same command goes on there",
                 error.what(), done(), written_.size(), file.part().string());
    }
  }
  std::size_t taken_up() const { return taken_up_; }
  std::uint64_t file_bytes() const { return places_.file_bytes(); }
  std::string manifest_path() const { return command_.output + std::string(kManifestEnding); }

 private:
  std::vector<PlacedTensor> placed() const {
    std::vector<PlacedTensor> wanted;
    for (const ModelTensor& tensor : plan_.tensors())
      wanted.push_back({model_.tensors()[tensor.source].name, tensor.dtype, tensor.shape});
    return wanted;
  }

  // Of what this run makes: source, rules as they were understood, format.
  std::string identity() const {
    struct stat status {};
    ::stat(command_.input.c_str(), &status);
    const std::string text = fmt::format(
        "{} {} {}.{:09} {} {}\n{}", TENSORLANE_VERSION, status.st_size, status.st_mtim.tv_sec,
        status.st_mtim.tv_nsec, file_format_name(format_), command_.align, plan_.identity(model_));
    return "tensorlane model 1 " + sha256(std::as_bytes(std::span(text)));
  }

  // What a run before has written, if it really is there.
  void take_up(const ResumableFile& file) {
    for (const std::string& line : file.notes()) {
      const std::optional<Json> note = Json::try_parse(line);
      if (!note || !note->is_object()) continue;
      const auto k = note->value("tensor", std::size_t{0} - 1);
      if (k >= written_.size() || !written_[k].sha256.empty()) continue;
      const PlacedTensor& place = places_.tensors()[k];
      const std::vector<std::byte> bytes = file.read(place.offset, place.bytes);
      if (sha256(bytes) != note->value("sha256", "")) continue;
      written_[k] = {note->at("sha256").text(), places_.sum(k, bytes)};
      ++taken_up_;
    }
  }

  std::uint64_t cost(std::size_t k) const {
    const TensorInfo& source = model_.tensors()[plan_.tensors()[k].source];
    return source.bytes + 2 * places_.tensors()[k].bytes;
  }

  void convert_all(ResumableFile& file) {
    std::vector<std::size_t> left;
    std::uint64_t largest = 0, bytes = 0;
    for (std::size_t k = 0; k < written_.size(); ++k) {
      if (!written_[k].sha256.empty()) continue;
      left.push_back(k);
      largest = std::max(largest, cost(k));
      bytes += cost(k);
    }
    // In the order of the source, which so is read from one end to the other.
    MemoryBudget budget(largest);
    ProgressBar bar(stderr_terminal(), tr("convert"), bytes);
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&] {
      for (std::size_t at = 0; !failed && (at = next++) < left.size();) {
        const std::size_t k = left[at];
        budget.take(cost(k));
        try {
          convert_one(file, k, cost(k) == largest);
        } catch (...) {
          const std::lock_guard lock(failing);
          if (!failed.exchange(true)) failure = std::current_exception();
        }
        budget.give_back(cost(k));
        bar.advance(cost(k));
      }
    };
    const unsigned most = command_.jobs > 0 ? static_cast<unsigned>(command_.jobs)
                                            : std::max(1U, std::thread::hardware_concurrency());
    const std::size_t count = std::min<std::size_t>(most, left.size());
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < count; ++t) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
  }

  void convert_one(ResumableFile& file, std::size_t k, bool alone) {
    const ModelTensor& tensor = plan_.tensors()[k];
    const std::string& name = model_.tensors()[tensor.source].name;
    try {
      const bool threads = alone && command_.jobs != 1;
      const Tensor result = tensor.converted(model_.read(tensor.source, tensor.read_as),
                                             threads ? CopyThreads::kAuto : CopyThreads::kSerial);
      std::vector<std::byte> buffer;
      const std::span<const std::byte> bytes = placed_elements(format_, result, buffer);
      file.write(places_.tensors()[k].offset, bytes);
      written_[k] = {sha256(bytes), places_.sum(k, bytes)};
      file.note(Json{{"tensor", k}, {"sha256", written_[k].sha256}}.dump());
    } catch (const UserError& error) {
      const std::string text = error.what();
      if (text.find(fmt::format("'{}'", name)) != std::string::npos) throw;
      user_error("tensor '{}': {}", name, text);
    } catch (const std::bad_alloc&) {
      user_error("tensor '{}': not enough memory for {} bytes", name, cost(k));
    }
  }

  std::size_t done() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(written_, [](const Written& each) { return !each.sha256.empty(); }));
  }

  // A line for each tensor.
  std::string manifest() const {
    std::string lines;
    for (std::size_t k = 0; k < written_.size(); ++k) {
      const PlacedTensor& place = places_.tensors()[k];
      Json entry = {{"name", place.name},
                    {"offset", place.offset},
                    {"bytes", place.bytes},
                    {"sha256", written_[k].sha256},
                    {"dtype", dtype_name(place.dtype)},
                    {"shape", place.shape}};
      const ModelTensor& tensor = plan_.tensors()[k];
      if (tensor.to && tensor.action == ModelAction::kConvert)
        describe_conversion(entry, *tensor.from, *tensor.to);
      lines += (lines.empty() ? "\n" : ",\n") + entry.dump();
    }
    const auto name = [](const std::string& path) {
      return std::filesystem::path(path).filename().string();
    };
    const Json head = {{"manifest", 1},
                       {"file", name(command_.output)},
                       {"format", file_format_name(format_)},
                       {"bytes", places_.file_bytes()},
                       {"source", name(command_.input)},
                       {"rules", name(command_.rules)}};
    std::string text = head.dump();
    text.back() = ',';
    return text + "\n\"tensors\":[" + lines + "\n]}\n";
  }

  const ConvertModel& command_;
  const ModelFile& model_;
  const ModelPlan& plan_;
  FileFormat format_;
  TensorPlaces places_;
  std::vector<Written> written_;
  std::size_t taken_up_ = 0;
};

// By its ending; what has none that we know is a blob, as MACE's model.data.
FileFormat output_format(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".onnx")
    user_error("'{}': models of ONNX are read, not written", path);
  return path.ends_with(".data") ? FileFormat::kRaw : file_format_of(path);
}

}  // namespace

void convert_model(const ConvertModel& command) {
  // Freed memory of large tensors goes back to the system, instead of staying with each thread.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 18);
  if (command.align < 1 || command.align > 1 << 20)
    user_error("{} {}: allowed are {} to {}", "--align", command.align, 1, 1 << 20);
  const FileFormat format = output_format(command.output);
  std::error_code error;
  if (std::filesystem::equivalent(command.input, command.output, error))
    user_error("'{}' is the file to be read", command.output);
  const std::optional<Manifest> manifest = Manifest::of(command.input, command.manifest);
  const bool named = names_its_tensors(command.input);
  const ModelFile model(command.input,
                        named || !manifest ? std::nullopt : std::optional(manifest->places()));
  const ModelPlan plan(command.input, model, command.rules, manifest);
  ModelConversion conversion(command, model, plan, format);
  if (!command.quiet) {
    for (const std::int64_t line : plan.idle_rules()) {
      std::fputs(
          tr("note: no tensor came to the rule in line {} of '{}'\n", line, command.rules).c_str(),
          stderr);
    }
  }
  conversion.run();
  if (command.quiet) return;
  std::size_t converted = 0;
  for (const ModelTensor& tensor : plan.tensors())
    converted += tensor.action == ModelAction::kKeep ? 0 : 1;
  fmt::print("{}\n",
             tr("{} -> {}: {} tensors, {} bytes: {} converted, {} kept, {} left out", command.input,
                command.output, plan.tensors().size(), conversion.file_bytes(), converted,
                plan.tensors().size() - converted, plan.skipped()));
  if (conversion.taken_up() > 0) {
    fmt::print("{}\n",
               tr("{} of them were there from a run that was broken off", conversion.taken_up()));
  }
  fmt::print("{}\n", tr("manifest: {}", conversion.manifest_path()));
}

}  // namespace tensorlane::cli
