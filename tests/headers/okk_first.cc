#include "okk_first.c"
