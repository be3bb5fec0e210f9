// A stand-in for the package ml_dtypes: the same names, numpy types registered in the same way
// (kind 'V', one element to 1 or 2 bytes, casts to float32 or int8), nothing else of it.
// test_ml_dtypes.py compiles it.
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <math.h>
#include <numpy/arrayobject.h>
#include <stdint.h>
#include <string.h>

// A type: its name, bytes, bits of exponent and mantissa (0: an integer of 4 bits, signed or not).
typedef struct {
  const char *name, *full_name;
  int bytes, exponent, mantissa, is_signed;
  char letter;
  PyTypeObject* scalar;
  PyArray_Descr* type;
} Kind;

static Kind kinds[] = {
    {"bfloat16", "ml_dtypes.bfloat16", 2, 8, 7, 1, 'E', NULL, NULL},
    {"float8_e4m3fn", "ml_dtypes.float8_e4m3fn", 1, 4, 3, 1, '4', NULL, NULL},
    {"float8_e5m2", "ml_dtypes.float8_e5m2", 1, 5, 2, 1, '5', NULL, NULL},
    {"int4", "ml_dtypes.int4", 1, 0, 0, 1, 'a', NULL, NULL},
    {"uint4", "ml_dtypes.uint4", 1, 0, 0, 0, 'A', NULL, NULL},
};
enum { kKinds = sizeof kinds / sizeof *kinds };

static const Kind* kind_of(void* array) {
  for (int k = 0; k < kKinds; ++k)
    if (PyArray_DESCR((PyArrayObject*)array)->type_num == kinds[k].type->type_num) return &kinds[k];
  return &kinds[0];
}

static double value_of(const Kind* kind, const void* data) {
  uint16_t bits = 0;
  memcpy(&bits, data, (size_t)kind->bytes);
  if (kind->exponent == 0) return kind->is_signed ? (int8_t)(bits << 4) >> 4 : bits & 15;
  const int bias = (1 << (kind->exponent - 1)) - 1, fraction = bits & ((1 << kind->mantissa) - 1);
  const int exponent = bits >> kind->mantissa & ((1 << kind->exponent) - 1);
  const double size =
      exponent == 0 ? ldexp(fraction, 1 - bias - kind->mantissa)
                    : ldexp(fraction + (1 << kind->mantissa), exponent - bias - kind->mantissa);
  return bits >> (kind->exponent + kind->mantissa) & 1 ? -size : size;
}

static PyObject* getitem(void* data, void* array) {
  return PyFloat_FromDouble(value_of(kind_of(array), data));
}
static int setitem(PyObject* item, void* data, void* array) {
  (void)item, (void)data, (void)array;
  PyErr_SetString(PyExc_TypeError, "the stand-in takes no scalars");
  return -1;
}
static npy_bool nonzero(void* data, void* array) {
  return value_of(kind_of(array), data) != 0;
}
static void copyswapn(void* to, npy_intp to_step, void* from, npy_intp from_step, npy_intp n,
                      int swap, void* array) {
  (void)swap;
  const Kind* const kind = kind_of(array);
  for (npy_intp k = 0; from != NULL && k < n; ++k)
    memcpy((char*)to + k * to_step, (char*)from + k * from_step, (size_t)kind->bytes);
}
static void copyswap(void* to, void* from, int swap, void* array) {
  copyswapn(to, 0, from, 0, 1, swap, array);
}

static void to_float(void* from, void* to, npy_intp n, void* array, void* other) {
  (void)other;
  const Kind* const kind = kind_of(array);
  for (npy_intp k = 0; k < n; ++k)
    ((float*)to)[k] = (float)value_of(kind, (char*)from + k * kind->bytes);
}
static void to_int8(void* from, void* to, npy_intp n, void* array, void* other) {
  (void)other;
  const Kind* const kind = kind_of(array);
  for (npy_intp k = 0; k < n; ++k) ((int8_t*)to)[k] = (int8_t)value_of(kind, (char*)from + k);
}
static void from_int8(void* from, void* to, npy_intp n, void* array, void* other) {
  (void)array, (void)other;
  for (npy_intp k = 0; k < n; ++k) ((int8_t*)to)[k] = ((int8_t*)from)[k];
}

static PyArray_ArrFuncs functions;

static int add(PyObject* module, Kind* kind) {
  PyType_Slot slots[] = {{0, NULL}};
  PyType_Spec spec = {kind->full_name, 0, 0, Py_TPFLAGS_DEFAULT, slots};
  kind->scalar = (PyTypeObject*)PyType_FromSpecWithBases(&spec, (PyObject*)&PyGenericArrType_Type);
  if (kind->scalar == NULL) return -1;
  PyArray_Descr* const type = PyObject_New(PyArray_Descr, &PyArrayDescr_Type);
  *type = (PyArray_Descr){.ob_base = type->ob_base,
                          .typeobj = kind->scalar,
                          .kind = 'V',
                          .type = kind->letter,
                          .byteorder = '=',
                          .flags = NPY_NEEDS_PYAPI | NPY_USE_GETITEM | NPY_USE_SETITEM,
                          .elsize = kind->bytes,
                          .alignment = kind->bytes,
                          .f = &functions,
                          .hash = -1};
  Py_INCREF(kind->scalar);
  const int number = PyArray_RegisterDataType(type);
  if (number < 0) return -1;
  kind->type = type;
  if (kind->exponent > 0) {
    if (PyArray_RegisterCastFunc(type, NPY_FLOAT, to_float) < 0) return -1;
  } else {
    PyArray_Descr* const int8 = PyArray_DescrFromType(NPY_BYTE);
    PyArray_Descr* const uint8 = PyArray_DescrFromType(NPY_UBYTE);
    if (PyArray_RegisterCastFunc(type, NPY_BYTE, to_int8) < 0 ||
        PyArray_RegisterCastFunc(type, NPY_UBYTE, to_int8) < 0 ||
        PyArray_RegisterCastFunc(int8, number, from_int8) < 0 ||
        PyArray_RegisterCastFunc(uint8, number, from_int8) < 0)
      return -1;
  }
  return PyModule_AddObjectRef(module, kind->name, (PyObject*)kind->scalar);
}

PyMODINIT_FUNC PyInit_ml_dtypes(void) {
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT, "ml_dtypes", "A stand-in.", -1, NULL, NULL, NULL, NULL, NULL};
  import_array();
  PyArray_InitArrFuncs(&functions);
  functions.getitem = getitem;
  functions.setitem = setitem;
  functions.nonzero = nonzero;
  functions.copyswap = copyswap;
  functions.copyswapn = copyswapn;
  PyObject* const module = PyModule_Create(&definition);
  for (int k = 0; module != NULL && k < kKinds; ++k)
    if (add(module, &kinds[k]) < 0) return NULL;
  return module;
}
