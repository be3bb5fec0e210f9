#include "model_manifest.h"

#include <filesystem>

#include "layout_endpoints.h"
#include "layout_options.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/file.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane::cli {
namespace {

// Everything make_layout() needs for the same places once more.
Json described(const NamedLayout& layout) {
  Json entry = {{"layout", notation(layout)},
                {"chip", layout.spec.owner_name()},
                {"dtype", dtype_name(layout.spec.dtype)},
                {"shape", layout.spec.shape}};
  if (layout.is_local()) entry["npus"] = layout.memory().npus;
  return entry;
}

NamedLayout layout_of(const Json& entry, const Json& dtype) {
  LayoutOptions options;
  options.layout = entry.at("layout").text();
  options.chip = entry.at("chip").text();
  options.dtype = dtype.text();
  if (const Json* const npus = entry.find("npus")) options.npus = npus->get<std::int64_t>();
  return make_layout(options.spec());
}

}  // namespace

Manifest::Manifest(const std::string& file) : file_(file) {
  const FileView view(file);
  try {
    const Json document = Json::parse(view.text());
    tensors_ = document.at("tensors");
    for (const Json& tensor : tensors_) {
      tensor.at("name").text();
      parse_dtype(tensor.at("dtype").text());
      tensor.at("shape").get<Shape>();
      if (const Json* const offset = tensor.find("offset"); offset && !offset->is_number())
        tensor.at("offset").text();
    }
  } catch (const UserError& error) {
    user_error("'{}' is no manifest of a model: {}", file, error.what());
  }
}

std::optional<Manifest> Manifest::of(const std::string& model, const std::string& named) {
  if (!named.empty()) return Manifest(named);
  const std::string beside = model + std::string(kManifestEnding);
  std::error_code error;
  if (!std::filesystem::exists(beside, error)) return std::nullopt;
  return Manifest(beside);
}

const Json* Manifest::find(std::string_view tensor) const {
  for (const Json& entry : tensors_) {
    if (entry.at("name").text() == tensor) return &entry;
  }
  return nullptr;
}

std::vector<PlacedTensor> Manifest::places() const {
  std::vector<PlacedTensor> places;
  for (const Json& entry : tensors_) {
    const std::int64_t offset = entry.value("offset", std::int64_t{-1});
    if (offset < 0) {
      user_error("'{}', tensor '{}': {} is missing", file_, entry.at("name").text(), "offset");
    }
    places.push_back({entry.at("name").text(), parse_dtype(entry.at("dtype").text()),
                      entry.at("shape").get<Shape>(), static_cast<std::uint64_t>(offset)});
  }
  return places;
}

void describe_conversion(Json& entry, const NamedLayout& from, const NamedLayout& to) {
  entry["layout"] = to.name();
  entry["chip"] = to.spec.owner_name();
  entry["notation"] = notation(to);
  entry["extents"] = to.spec.shape;
  if (to.is_local()) entry["npus"] = to.memory().npus;
  // What is transformed on the way, or not stored at all, does not come back.
  if (to.info->winograd || !to.holds_elements) return;
  entry["original"] = described(from);
}

PackedAs packed_as(const Json& entry) {
  const Json* const original = entry.find("original");
  if (original == nullptr) {
    if (!entry.contains("layout")) user_error("the manifest says nothing of how it was packed");
    user_error("{} cannot be unpacked: it does not hold the original's elements",
               entry.at("layout").text());
  }
  Json packed = entry;
  packed["layout"] = entry.at("notation");
  return {layout_of(packed, entry.at("dtype")), layout_of(*original, original->at("dtype"))};
}

}  // namespace tensorlane::cli
