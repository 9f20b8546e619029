/* lcu_image.h: the kinds of loadable code: PTX and machine code. */
#ifndef LCU_IMAGE_H
#define LCU_IMAGE_H

#include "lcu_status.h"

/* The kind of an image; why it cannot be complete, or NULL: it is damaged or of no known kind; the
 * same as a status, LCU_E_SYNTAX. */
typedef enum lcu_image_kind {
  LCU_IMAGE_NONE,
  LCU_IMAGE_PTX,
  LCU_IMAGE_ELF,
  LCU_IMAGE_FATBIN
} lcu_image_kind;
lcu_image_kind lcu_image_kind_of (const void *image, size_t size);
const char *lcu_image_fault (const void *image, size_t size);
lcu_status lcu_image_check (const void *image, size_t size);

#endif
