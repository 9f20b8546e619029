/* sort_code.h: codes: unsigned integers in the order of the values, as in sort_codes.lua. */
#ifndef SORT_CODE_H
#define SORT_CODE_H

#include "lcu_dtype.h"

/* From the bits of a value to its code and back, for real dtypes of 2, 4 and 8 bytes:
 *
 *   size > infinity ? most : (b ^ (top | (b negative ? flipped : 0))) - least
 *
 * where `size` is b without its sign, and minus_zero counts as 0. */
typedef struct sort_code {
  uint64_t top, flipped, least;  /* the bit of the sign; what else negative values turn; the code
                                   of -infinity before it becomes 0 */
  uint64_t minus_zero, infinity; /* 0 and the greatest size, where nothing is special */
  uint64_t reverse;              /* all ones where the order is descending */
} sort_code;

/* The bits in which codes differ are any & ~all. */
typedef struct sort_bits {
  uint64_t any, all;
} sort_bits;

#define SORT_NO_BITS ((sort_bits){ 0, ~(uint64_t)0 })

/* `rank`: equal values have equal codes: zeros are one, NaNs are one. For complex dtypes: of their
 * parts. */
sort_code sort_code_of (const lcu_dtype *t, bool rank, bool descending);
/* The code of each byte. */
void sort_byte_codes (uint8_t codes[256], const lcu_dtype *t, bool rank, bool descending);

/* Codes of the elements from `first` to `last` of `from`, at their places in `to`, which may be
 * `from`; and the other way. */
sort_bits sort_codes (const sort_code *k, int size, const void *from, void *to, int64_t first,
                      int64_t last);
void sort_values (const sort_code *k, int size, const void *from, void *to, int64_t first,
                  int64_t last);
/* Records of elements of up to 4 bytes: the code above, the place from 0 below. */
sort_bits sort_records (const sort_code *k, int size, const void *from, uint64_t *to, int64_t first,
                        int64_t last);
/* Two codes of each complex number, of which the second decides between equals; 32 bits of each in
 * one word for complex64 (`low` is not used). `k` is that of the parts, ascending. */
sort_bits sort_complex (const sort_code *k, int size, const void *from, uint64_t *high,
                        uint64_t *low, uint64_t reverse, int64_t first, int64_t last);

#endif
