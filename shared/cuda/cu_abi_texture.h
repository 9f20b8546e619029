/* cu_abi_texture.h: the part of the CUDA Driver interface about CUDA arrays, textures and surfaces
 * (a part of cu_abi.h). */
#ifndef CU_ABI_TEXTURE_H
#define CU_ABI_TEXTURE_H

typedef struct cu_mipmapped_array_ *cu_mipmapped_array; /* CUmipmappedArray */
typedef uint64_t cu_texture;                            /* CUtexObject */
typedef uint64_t cu_surface;                            /* CUsurfObject */

typedef struct cu_tensormap { /* CUtensorMap; before CUDA 13 aligned to 64 bytes */
  _Alignas(128) uint64_t opaque[16];
} cu_tensormap;

typedef enum cu_format { /* CUarray_format, those in use */
                         CU_FORMAT_U8 = 0x01,
                         CU_FORMAT_U16 = 0x02,
                         CU_FORMAT_U32 = 0x03,
                         CU_FORMAT_S8 = 0x08,
                         CU_FORMAT_S16 = 0x09,
                         CU_FORMAT_S32 = 0x0a,
                         CU_FORMAT_F16 = 0x10,
                         CU_FORMAT_F32 = 0x20
} cu_format;

enum { /* CUDA_ARRAY3D_... */
       CU_ARRAY_LAYERED = 1,
       CU_ARRAY_SURFACE = 2,
       CU_ARRAY_CUBEMAP = 4,
       CU_ARRAY_GATHER = 8
};

/* CUDA_ARRAY3D_DESCRIPTOR. Extents that an array does not have are 0: the height and depth of a 1D
 * array, the depth of a 2D array. The depth of a layered array or cubemap is its number of layers
 * or faces. */
typedef struct cu_array_desc {
  size_t width, height, depth; /* elements */
  int format;                  /* cu_format */
  unsigned channels;           /* 1, 2 or 4 */
  unsigned flags;
} cu_array_desc;

enum { CU_RESOURCE_ARRAY = 0, CU_RESOURCE_MIPMAPPED, CU_RESOURCE_LINEAR, CU_RESOURCE_PITCH2D };
typedef struct cu_resource_desc { /* CUDA_RESOURCE_DESC */
  int type;
  union {
    struct {
      cu_array handle;
    } array;
    struct {
      cu_mipmapped_array handle;
    } mipmapped;
    struct {
      cu_deviceptr address;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      cu_deviceptr address;
      int format;
      unsigned channels;
      size_t width, height; /* elements, rows */
      size_t pitch;         /* bytes */
    } pitch2d;
    int reserved[32];
  };
  unsigned flags; /* 0 */
} cu_resource_desc;

enum { CU_ADDRESS_WRAP = 0, CU_ADDRESS_CLAMP, CU_ADDRESS_MIRROR, CU_ADDRESS_BORDER };
enum { CU_FILTER_POINT = 0, CU_FILTER_LINEAR };
enum { /* CU_TRSF_... */
       CU_TEXTURE_READ_AS_INTEGER = 0x01,
       CU_TEXTURE_NORMALIZED_COORDINATES = 0x02,
       CU_TEXTURE_SRGB = 0x10,
       CU_TEXTURE_EXACT_TRILINEAR = 0x20, /* CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION */
       CU_TEXTURE_SEAMLESS_CUBEMAP = 0x40
};
typedef struct cu_texture_desc { /* CUDA_TEXTURE_DESC */
  int address[3];
  int filter;
  unsigned flags;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_min, mipmap_max;
  float border[4];
  int reserved[12];
} cu_texture_desc;

typedef struct cu_view_desc { /* CUDA_RESOURCE_VIEW_DESC */
  int format;                 /* CUresourceViewFormat; 0: that of the resource */
  size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer;
  unsigned reserved[16];
} cu_view_desc;

#endif
