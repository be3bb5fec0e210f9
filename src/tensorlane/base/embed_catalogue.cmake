# Writes OUTPUT, a C++ file with the text of PO: chinese_po() of catalogue.h.
file(READ ${PO} text)
file(WRITE ${OUTPUT} "// Made of ${PO}.
#include \"tensorlane/base/catalogue.h\"

namespace tensorlane {

std::string_view chinese_po() {
  return R\"catalogue(${text})catalogue\";
}

}  // namespace tensorlane
")
