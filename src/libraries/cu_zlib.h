/* cu_zlib.h: zlib, opened at run time. */
#ifndef CU_ZLIB_H
#define CU_ZLIB_H

#include "cu_library.h"

/* z_stream. All zero: zlib allocates with malloc. */
typedef struct lcu_z_stream {
  const uint8_t *in;
  unsigned in_left;
  unsigned long in_total;
  uint8_t *out;
  unsigned out_left;
  unsigned long out_total;
  const char *message;
  void *state;
  void *(*alloc)(void *ud, unsigned count, unsigned size);
  void (*free)(void *ud, void *p);
  void *ud;
  int data_type;
  unsigned long checksum, reserved;
} lcu_z_stream;

/* Results of its functions. */
enum { LCU_Z_OK = 0, LCU_Z_STREAM_END = 1, LCU_Z_MEM_ERROR = -4, LCU_Z_BUF_ERROR = -5 };

typedef struct lcu_zlib {
#define LCU_ZLIB(result, name, params) result(*name) params;
#include "zlib.def"
#undef LCU_ZLIB
  char path[512]; /* the file that was opened */
} lcu_zlib;

/* zlib, opened at the first call: only LUACUDA_LIBZ where that is set ("off" or empty: nothing).
 * NULL where none can be used. It stays open until exit. */
const lcu_zlib *lcu_zlib_open (void);

/* Fails if LUACUDA_LIBZ names a file that cannot be used. */
lcu_status lcu_zlib_check (void);

/* Why lcu_zlib_open gives NULL. */
const char *lcu_zlib_missing (void);

#endif
