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
  std::string section;  // heading in the gallery
  std::string caption;
  std::optional<LayoutSpec> spec;  // of figures that show a tensor
  std::string svg;
};

std::vector<GalleryFigure> make_gallery();
// The page that shows them, with links to `folder`.
std::string gallery_markdown(const std::vector<GalleryFigure>& figures, const std::string& folder);

}  // namespace tensorlane

#endif  // TENSORLANE_DRAW_GALLERY_H_
