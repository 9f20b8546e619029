/* test_ptx_format.c: printf in kernels against the C library's printf. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "ptx_runtime.h"

/* An argument buffer, filled like compiled code: each value aligned to its size. */
typedef struct arguments {
  uint8_t bytes[512];
  uint32_t used;
} arguments;

static void put (arguments *a, const void *value, uint32_t size) {
  a->used = (a->used + size - 1) & ~(size - 1);
  memcpy(a->bytes + a->used, value, size);
  a->used += size;
}
static void put_i (arguments *a, int v) { put(a, &v, 4); }
static void put_l (arguments *a, long long v) { put(a, &v, 8); }
static void put_d (arguments *a, double v) { put(a, &v, 8); }

static bool read_bytes (void *ud, uint32_t offset, void *out, uint32_t bytes) {
  const arguments *a = ud;
  if (offset + bytes > a->used) return false;
  memcpy(out, a->bytes + offset, bytes);
  return true;
}

static bool read_string (void *ud, uint64_t address, size_t limit, lcu_buf *out) {
  (void)ud;
  if (address == 1) return false;
  const char *text = (const char *)(uintptr_t)address;
  for (size_t n = 0; n < limit && text[n] != '\0'; n++) lcu_buf_add(out, text + n, 1);
  lcu_buf_add(out, "", 1);
  return true;
}

static void expect (arguments *a, const char *format, const char *want, int count) {
  lcu_buf out = { 0 };
  ptx_format_source source = { a, read_bytes, read_string };
  int n = ptx_format(&out, format, &source);
  const char *got = out.data != NULL ? out.data : "";
  if (n == count && (want == NULL || strcmp(got, want) == 0)) passed++;
  else {
    failed++;
    printf("\"%s\" gives \"%s\" (%d), should be \"%s\" (%d)\n", format, got, n, want, count);
  }
  lcu_buf_free(&out);
}

static void test_integers (void) {
  static const char *const formats[] = { "%d",   "%5d|",   "%-5d|", "%05d",   "%+d",    "% d",
                                         "%.4d", "%8.4d|", "%i",    "%u",     "%o",     "%#o",
                                         "%x",   "%#x",    "%X",    "%#010x", "%-#10X|" };
  static const int values[] = { 0, 1, -1, 42, -12345, 2147483647, -2147483647 - 1 };
  for (size_t k = 0; k < lcu_arraylen(formats); k++)
    for (size_t v = 0; v < lcu_arraylen(values); v++) {
      char want[64];
      arguments a = { .used = 0 };
      put_i(&a, values[v]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      snprintf(want, sizeof want, formats[k], values[v]);
#pragma GCC diagnostic pop
      expect(&a, formats[k], want, 1);
    }
}

static void test_lengths (void) {
  arguments a = { .used = 0 };
  put_i(&a, 300);
  put_i(&a, 70000);
  put_l(&a, -5000000000ll);
  put_l(&a, 1ll << 62);
  put_l(&a, -1);
  put_i(&a, 7);
  expect(&a, "%hhd %hd %ld %lld %lu %d",
         "44 4464 -5000000000 4611686018427387904 18446744073709551615 7", 6);
  a.used = 0;
  put_i(&a, -1);
  put_i(&a, -1);
  put_l(&a, 255);
  put_l(&a, 3);
  put_l(&a, 4);
  expect(&a, "%hhu %hx %zx %jd %td", "255 ffff ff 3 4", 5);
}

static void test_floats (void) {
  arguments a = { .used = 0 };
  put_i(&a, 1);
  put_d(&a, 3.14159);
  put_d(&a, -1e300);
  put_d(&a, 0.0001);
  put_d(&a, 1.0);
  expect(&a, "%d %8.3f|%e|%g|%a", "1    3.142|-1.000000e+300|0.0001|0x1p+0", 5);
  a.used = 0;
  put_i(&a, 10);
  put_i(&a, 2);
  put_d(&a, 2.71828);
  put_i(&a, -8);
  put_i(&a, 5);
  expect(&a, "[%*.*f][%*d]", "[      2.72][5       ]", 5);
  a.used = 0;
  put_d(&a, (double)NAN);
  put_d(&a, -(double)NAN);
  put_d(&a, -(double)INFINITY);
  expect(&a, "%f|%g|%5.1e", "nan|nan| -inf", 3);
}

static void test_text (void) {
  arguments a = { .used = 0 };
  static const char word[] = "kernel";
  put_l(&a, (long long)(uintptr_t)word);
  put_l(&a, (long long)(uintptr_t)word);
  put_i(&a, 'x');
  put_l(&a, 0);
  expect(&a, "%s|%10.3s|%c|%s", "kernel|       ker|x|(null)", 4);
  a.used = 0;
  /* under the sanitizer a fourth byte is an error */
  static const char open_end[] = { 'a', 'b', 'c' };
  put_l(&a, (long long)(uintptr_t)open_end);
  put_i(&a, 2);
  put_l(&a, (long long)(uintptr_t)open_end);
  expect(&a, "%.3s|%.*s", "abc|ab", 3);
  a.used = 0;
  expect(&a, "100%% sure", "100% sure", 0);
  expect(&a, "", "", 0);
  expect(&a, "end %", "end %", 0);
  expect(&a, "%y %-5", "%y %-5", 0);
  expect(&a, "%d", NULL, -1);
  put_l(&a, 1);
  expect(&a, "%s", NULL, -1);
  a.used = 0;
  put_i(&a, 1);
  lcu_buf out = { 0 };
  ptx_format_source source = { &a, read_bytes, read_string };
  int n = ptx_format(&out, "%999999999d", &source);
  if (n == 1 && out.len == 4096) passed++;
  else {
    failed++;
    printf("a huge width gives %zu characters\n", out.len);
  }
  lcu_buf_free(&out);
}

int main (void) {
  test_integers();
  test_lengths();
  test_floats();
  test_text();
  return check_result();
}
