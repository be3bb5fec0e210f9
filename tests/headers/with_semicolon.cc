#include "with_semicolon.c"
