// The gallery of the documentation: every figure of the documents, drawn from the mapping.
#ifndef TENSORLANE_DRAW_GALLERY_H_
#define TENSORLANE_DRAW_GALLERY_H_

#include <optional>
#include <string>
#include <vector>

#include "tensorlane/layout/named.h"

namespace tensorlane {

struct GalleryFigure {
  std::string name;     // file name without ending; figures of the documents keep their names there
  std::string section;  // of the gallery
  std::string heading;
  std::string remark;              // below the heading; empty for most
  std::optional<LayoutSpec> spec;  // of figures that show a tensor
  std::string svg;
};

// All texts are in the language of the process.
std::vector<GalleryFigure> make_gallery();
// The page that shows them, with links to `folder`.
std::string gallery_markdown(const std::vector<GalleryFigure>& figures, const std::string& folder);

}  // namespace tensorlane

#endif  // TENSORLANE_DRAW_GALLERY_H_
