// Catalogues of translations, in the form of gettext (.po, .pot).
#ifndef TENSORLANE_BASE_CATALOGUE_H_
#define TENSORLANE_BASE_CATALOGUE_H_

#include <map>
#include <string>
#include <string_view>

namespace tensorlane {

struct Translation {
  std::string plural;  // the English text for other numbers than one; empty where there is one text
  std::string text;
};

// By the English text.
using Catalogue = std::map<std::string, Translation, std::less<>>;

// The entries of a file, without its header. Of plural forms the first counts, which is all that
// Chinese has.
Catalogue read_catalogue(std::string_view po);

// po/zh.po
std::string_view chinese_po();

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_CATALOGUE_H_
