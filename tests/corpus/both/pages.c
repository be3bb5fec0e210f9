// Memory that no argument points to: tables of addresses, page numbers.
#include <string.h>

#include "fp32.h"

enum { kPageBytes = 4096, kPages = 6, kTableAt = 16384 };
static const dim4 kPageShape = {1, 64, 1, 16}, kTableShape = {1, 1, 1, 16};

// The table is brought into local memory, where the processor reads it.
static const void* fetch_table(unsigned long long address) {
  load(kTableAt, address, &kTableShape);
  poll();
  return local_pointer(0, kTableAt);
}

void pages_by_address(const void* args) {
  const args_t* a = args;
  initialize();
  const unsigned long long* table = fetch_table(a->in2);
  for (int k = 0; k < a->n; ++k) {
    load(0, table[k], &kPageShape);
    store(a->out + (unsigned long long)(k * kPageBytes), 0, &kPageShape);
  }
  poll();
}
KERNEL(pages_by_address)

// The first entry of the table is the address of another table.
void pages_by_two_tables(const void* args) {
  const args_t* a = args;
  initialize();
  const unsigned long long next = *(const unsigned long long*)fetch_table(a->in2);
  const unsigned long long* table = fetch_table(next);
  load(0, table[a->n], &kPageShape);
  store(a->out, 0, &kPageShape);
  poll();
}
KERNEL(pages_by_two_tables)

void pages_by_number(const void* args) {
  const args_t* a = args;
  initialize();
  const unsigned* table = fetch_table(a->in2);
  for (int k = 0; k < a->n; ++k) {
    load(0, (unsigned long long)table[k] * kPageBytes, &kPageShape);
    store(a->out + (unsigned long long)(k * kPageBytes), 0, &kPageShape);
  }
  poll();
}
KERNEL(pages_by_number)

void page_in_arguments(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, (unsigned long long)(unsigned)a->n * kPageBytes, &kPageShape);
  store(a->out, 0, &kPageShape);
  poll();
}
KERNEL(page_in_arguments)

void page_counted(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, a->in + (unsigned long long)a->n * kPageBytes, &kPageShape);
  store(a->out, 0, &kPageShape);
  poll();
}
KERNEL(page_counted)

struct book {
  bm_handle_t handle;
  bm_device_mem_t pages[kPages], table, out;
  unsigned long long addresses[8];
};

static struct book open_book(void) {
  struct book book;
  memset(&book, 0, sizeof(book));
  book.handle = open_device(0);
  for (int k = 0; k < kPages; ++k) {
    book.pages[k] = make_input(book.handle, kPageBytes);
    book.addresses[k] = bm_mem_get_device_addr(book.pages[k]);
  }
  book.table = make_buffer(book.handle, sizeof(book.addresses));
  book.out = make_buffer(book.handle, kPages * kPageBytes);
  bm_memcpy_s2d(book.handle, book.table, book.addresses);
  return book;
}

static int close_book(struct book book, const char* kernel, args_t args, unsigned read) {
  args.in2 = bm_mem_get_device_addr(book.table);
  args.out = bm_mem_get_device_addr(book.out);
  launch_sync(book.handle, kernel, &args, sizeof(args));
  show_result(book.handle, book.out, read);
  for (int k = 0; k < kPages; ++k) bm_free_device(book.handle, book.pages[k]);
  bm_free_device(book.handle, book.table);
  bm_free_device(book.handle, book.out);
  bm_dev_free(book.handle);
  return 0;
}

// A cache in pages: the launch gets the address of the table alone.
// SILENT
HOST(table_of_addresses) {
  const args_t args = {0, 0, 0, kPages, 0};
  return close_book(open_book(), "pages_by_address", args, kPages * kPageBytes);
}

// SILENT
HOST(table_of_tables) {
  struct book book = open_book();
  bm_device_mem_t outer = make_buffer(book.handle, sizeof(book.addresses));
  unsigned long long first[8] = {bm_mem_get_device_addr(book.table)};
  bm_memcpy_s2d(book.handle, outer, first);
  const bm_device_mem_t inner = book.table;
  book.table = outer;
  const args_t args = {0, 0, 0, 3, 0};
  const int status = close_book(book, "pages_by_two_tables", args, kPageBytes);
  bm_handle_t handle = open_device(0);
  bm_free_device(handle, inner);
  bm_dev_free(handle);
  return status;
}

// SILENT
HOST(table_of_page_numbers) {
  struct book book = open_book();
  unsigned numbers[16] = {0};
  for (int k = 0; k < kPages; ++k) numbers[k] = (unsigned)(book.addresses[k] / kPageBytes);
  bm_memcpy_s2d(book.handle, book.table, numbers);
  const args_t args = {0, 0, 0, kPages, 0};
  return close_book(book, "pages_by_number", args, kPages * kPageBytes);
}

// SILENT
HOST(page_number_as_an_argument) {
  const struct book book = open_book();
  const args_t args = {0, 0, 0, (int)(book.addresses[4] / kPageBytes), 0};
  return close_book(book, "page_in_arguments", args, kPageBytes);
}

// Pages are counted from the first, which the launch gets.
// SILENT
HOST(page_counted_from_the_first) {
  const struct book book = open_book();
  const args_t args = {book.addresses[0], 0, 0,
                       (int)((book.addresses[3] - book.addresses[0]) / kPageBytes), 0};
  return close_book(book, "page_counted", args, kPageBytes);
}

static unsigned long long kept;
void keep_address(const void* args) {
  kept = ((const args_t*)args)->in;
}
KERNEL(keep_address)
void copy_kept(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, kept, &kPageShape);  // @kept_load
  store(a->out, 0, &kPageShape);
  poll();
}
KERNEL(copy_kept)

// An address that another launch was given.
// EXPECT TL-MEMORY-005 warning @kept_load
HOST(address_of_another_launch) {
  struct book book = open_book();
  args_t args = {book.addresses[2], 0, 0, 0, 0};
  launch_sync(book.handle, "keep_address", &args, sizeof(args));
  memset(book.addresses, 0, sizeof(book.addresses));
  bm_memcpy_s2d(book.handle, book.table, book.addresses);
  args.in = 0;
  return close_book(book, "copy_kept", args, kPageBytes);
}
