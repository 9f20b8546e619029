/* abi_check.c: compares our declarations of the CUDA driver, NVRTC, cuBLAS and NCCL with NVIDIA's
 * headers. It has no code: it passes if it compiles. It needs the headers of CUDA 13.0 or later. */
#include "cu_abi_more.h"
#include "cu_blas.h"
#include "cu_driver.h"
#include "cu_collective.h"
#include "cu_jitlink.h"
#include "cu_nccl.h"
#include "cu_nvrtc.h"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif
#include <cuda.h>
#if __has_include(<nccl.h>)
#include <nccl.h>
#endif
#include <nvrtc.h>
#if __has_include(<nvJitLink.h>)
#include <nvJitLink.h>
#endif

/* The tables match CUDA 13.0; the headers of an older toolkit lack some of the names. */
#if CUDA_VERSION < 13000
#pragma message("abi_check: nothing compared, the headers are older than CUDA 13.0")
#else

#define SAME(ours, theirs) \
  _Static_assert((long long)(ours) == (long long)(theirs), #ours " is not " #theirs)
#define SAME_TYPE(ours, theirs) \
  _Static_assert(sizeof(ours) == sizeof(theirs), "size of " #ours); \
  _Static_assert(_Alignof(ours) == _Alignof(theirs), "alignment of " #ours)
#define SAME_FIELD(ours, field, theirs, their_field) \
  SAME(offsetof(ours, field), offsetof(theirs, their_field)); \
  SAME(sizeof(((ours *)0)->field), sizeof(((theirs *)0)->their_field))


/* ---- plain types ---- */

SAME_TYPE(cu_result, CUresult);
SAME_TYPE(cu_device, CUdevice);
SAME_TYPE(cu_deviceptr, CUdeviceptr);
SAME_TYPE(cu_context, CUcontext);
SAME_TYPE(cu_module, CUmodule);
SAME_TYPE(cu_function, CUfunction);
SAME_TYPE(cu_library, CUlibrary);
SAME_TYPE(cu_kernel, CUkernel);
SAME(CU_LIBRARY_BINARY_IS_PRESERVED_, CU_LIBRARY_BINARY_IS_PRESERVED);
SAME_TYPE(cu_stream, CUstream);
SAME_TYPE(cu_event, CUevent);
SAME_TYPE(cu_mempool, CUmemoryPool);
SAME_TYPE(cu_link, CUlinkState);
SAME_TYPE(cu_array, CUarray);
SAME_TYPE(cu_graph, CUgraph);
SAME_TYPE(cu_graph_exec, CUgraphExec);
SAME_TYPE(cu_graph_node, CUgraphNode);
SAME_TYPE(cu_graph_condition, CUgraphConditionalHandle);
SAME_TYPE(cu_mipmapped_array, CUmipmappedArray);
SAME_TYPE(cu_texture, CUtexObject);
SAME_TYPE(cu_surface, CUsurfObject);
SAME_TYPE(cu_tensormap, CUtensorMap);
SAME_TYPE(cu_uuid, CUuuid);
SAME_TYPE(cu_green_ctx, CUgreenCtx);
SAME_TYPE(cu_dev_resource_desc, CUdevResourceDesc);
SAME_TYPE(cu_nvrtc_program, nvrtcProgram);
_Static_assert(__builtin_types_compatible_p(cu_host_fn, CUhostFn), "cu_host_fn");
_Static_assert(__builtin_types_compatible_p(cu_block_to_shared, CUoccupancyB2DSize),
               "cu_block_to_shared");

/* Our prototypes have int for these enums, so their sizes must be equal. */
SAME(sizeof(int), sizeof(CUdevice_attribute));
SAME(sizeof(int), sizeof(CUlimit));
SAME(sizeof(int), sizeof(CUjit_option));
SAME(sizeof(int), sizeof(CUjitInputType));
SAME(sizeof(int), sizeof(CUfunction_attribute));
SAME(sizeof(int), sizeof(CUmemPool_attribute));
SAME(sizeof(int), sizeof(CUpointer_attribute));
SAME(sizeof(int), sizeof(CUstreamCaptureStatus));
SAME(sizeof(int), sizeof(CUfunc_cache));
SAME(sizeof(int), sizeof(CUdevResourceType));
SAME(sizeof(int), sizeof(CUstreamCaptureMode));
SAME(sizeof(int), sizeof(CUgraphNodeType));
SAME(sizeof(int), sizeof(CUarray_format));
SAME(sizeof(int), sizeof(CUresourcetype));
SAME(sizeof(int), sizeof(CUaddress_mode));
SAME(sizeof(int), sizeof(CUfilter_mode));
SAME(sizeof(int), sizeof(CUresourceViewFormat));
SAME(sizeof(int), sizeof(nvrtcResult));


/* ---- structures ---- */

SAME_TYPE(cu_mem_location, CUmemLocation);
SAME_FIELD(cu_mem_location, type, CUmemLocation, type);
SAME_FIELD(cu_mem_location, id, CUmemLocation, id);

SAME_TYPE(cu_pool_props, CUmemPoolProps);
SAME_FIELD(cu_pool_props, alloc_type, CUmemPoolProps, allocType);
SAME_FIELD(cu_pool_props, handle_types, CUmemPoolProps, handleTypes);
SAME_FIELD(cu_pool_props, location, CUmemPoolProps, location);
SAME_FIELD(cu_pool_props, win32_security, CUmemPoolProps, win32SecurityAttributes);
SAME_FIELD(cu_pool_props, max_size, CUmemPoolProps, maxSize);
SAME_FIELD(cu_pool_props, usage, CUmemPoolProps, usage);
SAME_FIELD(cu_pool_props, reserved, CUmemPoolProps, reserved);

SAME_TYPE(cu_dev_resource, CUdevResource);
SAME_FIELD(cu_dev_resource, type, CUdevResource, type);
SAME_FIELD(cu_dev_resource, sm_count, CUdevResource, sm.smCount);
SAME(CU_DEV_RESOURCE_SM_, CU_DEV_RESOURCE_TYPE_SM);
SAME(CU_GREEN_CTX_DEFAULT_STREAM_, CU_GREEN_CTX_DEFAULT_STREAM);

SAME_TYPE(cu_ipc_memory, CUipcMemHandle);
SAME_FIELD(cu_ipc_memory, bytes, CUipcMemHandle, reserved);
SAME_TYPE(cu_ipc_event, CUipcEventHandle);
SAME_FIELD(cu_ipc_event, bytes, CUipcEventHandle, reserved);
SAME(CU_IPC_LAZY_PEER_ACCESS_, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);

SAME_TYPE(cu_pool_access, CUmemAccessDesc);
SAME_FIELD(cu_pool_access, location, CUmemAccessDesc, location);
SAME_FIELD(cu_pool_access, flags, CUmemAccessDesc, flags);

SAME(CU_POINTER_SYNC_MEMOPS, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
SAME(CU_POINTER_BUFFER_ID, CU_POINTER_ATTRIBUTE_BUFFER_ID);
SAME(CU_POINTER_IPC_CAPABLE, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE);
SAME(CU_POINTER_MAPPED, CU_POINTER_ATTRIBUTE_MAPPED);
SAME(CU_POINTER_HANDLE_TYPES, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES);
SAME(CU_POINTER_RDMA_CAPABLE, CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE);
SAME(CU_RANGE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY);
SAME(CU_RANGE_PREFERRED, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION);
SAME(CU_RANGE_ACCESSED_BY, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY);
SAME(CU_RANGE_PREFETCHED, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION);
SAME(CU_RANGE_PREFERRED_TYPE, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE);
SAME(CU_RANGE_PREFERRED_ID, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID);
SAME(CU_RANGE_PREFETCHED_TYPE, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE);
SAME(CU_RANGE_PREFETCHED_ID, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID);
SAME(CU_WRITE_NO_BARRIER, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER);
SAME(CU_WAIT_GEQ, CU_STREAM_WAIT_VALUE_GEQ);
SAME(CU_WAIT_EQ, CU_STREAM_WAIT_VALUE_EQ);
SAME(CU_WAIT_AND, CU_STREAM_WAIT_VALUE_AND);
SAME(CU_WAIT_NOR, CU_STREAM_WAIT_VALUE_NOR);
SAME(CU_WAIT_FLUSH, CU_STREAM_WAIT_VALUE_FLUSH);
SAME(CU_WORD_WAIT_32, CU_STREAM_MEM_OP_WAIT_VALUE_32);
SAME(CU_WORD_WRITE_32, CU_STREAM_MEM_OP_WRITE_VALUE_32);
SAME(CU_WORD_WAIT_64, CU_STREAM_MEM_OP_WAIT_VALUE_64);
SAME(CU_WORD_WRITE_64, CU_STREAM_MEM_OP_WRITE_VALUE_64);
SAME_TYPE(cu_word_op, CUstreamBatchMemOpParams);
SAME_FIELD(cu_word_op, operation, CUstreamBatchMemOpParams, operation);
SAME_FIELD(cu_word_op, address, CUstreamBatchMemOpParams, waitValue.address);
SAME_FIELD(cu_word_op, address, CUstreamBatchMemOpParams, writeValue.address);
SAME_FIELD(cu_word_op, value, CUstreamBatchMemOpParams, waitValue.value64);
SAME_FIELD(cu_word_op, value, CUstreamBatchMemOpParams, writeValue.value64);
SAME_FIELD(cu_word_op, flags, CUstreamBatchMemOpParams, waitValue.flags);
SAME_FIELD(cu_word_op, flags, CUstreamBatchMemOpParams, writeValue.flags);
SAME_TYPE(cu_array_desc2, CUDA_ARRAY_DESCRIPTOR);
SAME_FIELD(cu_array_desc2, width, CUDA_ARRAY_DESCRIPTOR, Width);
SAME_FIELD(cu_array_desc2, height, CUDA_ARRAY_DESCRIPTOR, Height);
SAME_FIELD(cu_array_desc2, format, CUDA_ARRAY_DESCRIPTOR, Format);
SAME_FIELD(cu_array_desc2, channels, CUDA_ARRAY_DESCRIPTOR, NumChannels);
SAME_TYPE(cu_host_node, CUDA_HOST_NODE_PARAMS);
SAME_FIELD(cu_host_node, fn, CUDA_HOST_NODE_PARAMS, fn);
SAME_FIELD(cu_host_node, ud, CUDA_HOST_NODE_PARAMS, userData);
SAME_TYPE(cu_memcpy_node, CUDA_MEMCPY_NODE_PARAMS);
SAME_FIELD(cu_memcpy_node, ctx, CUDA_MEMCPY_NODE_PARAMS, copyCtx);
SAME_FIELD(cu_memcpy_node, copy, CUDA_MEMCPY_NODE_PARAMS, copyParams);
SAME_TYPE(cu_child_node, CUDA_CHILD_GRAPH_NODE_PARAMS);
SAME_FIELD(cu_child_node, graph, CUDA_CHILD_GRAPH_NODE_PARAMS, graph);
SAME_FIELD(cu_child_node, ownership, CUDA_CHILD_GRAPH_NODE_PARAMS, ownership);
SAME(CU_CHILD_GRAPH_MOVE, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE);
SAME_TYPE(cu_mem_alloc_node, CUDA_MEM_ALLOC_NODE_PARAMS);
SAME_TYPE(cu_mem_alloc_node, CUDA_MEM_ALLOC_NODE_PARAMS_v2);
SAME_FIELD(cu_mem_alloc_node, props, CUDA_MEM_ALLOC_NODE_PARAMS, poolProps);
SAME_FIELD(cu_mem_alloc_node, access, CUDA_MEM_ALLOC_NODE_PARAMS, accessDescs);
SAME_FIELD(cu_mem_alloc_node, num_access, CUDA_MEM_ALLOC_NODE_PARAMS, accessDescCount);
SAME_FIELD(cu_mem_alloc_node, bytes, CUDA_MEM_ALLOC_NODE_PARAMS, bytesize);
SAME_FIELD(cu_mem_alloc_node, address, CUDA_MEM_ALLOC_NODE_PARAMS, dptr);
SAME(sizeof(cu_deviceptr), sizeof(CUDA_MEM_FREE_NODE_PARAMS));
SAME(CU_MEM_MANAGED_, CU_MEM_ALLOCATION_TYPE_MANAGED);
SAME(CU_GRAPH_MEM_USED_CURRENT, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
SAME(CU_GRAPH_MEM_USED_HIGH, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH);
SAME(CU_GRAPH_MEM_RESERVED_CURRENT, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
SAME(CU_GRAPH_MEM_RESERVED_HIGH, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
SAME(CU_INSTANTIATE_AUTO_FREE, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
SAME(CU_INSTANTIATE_DEVICE_LAUNCH, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
SAME_TYPE(cu_instantiate_params, CUDA_GRAPH_INSTANTIATE_PARAMS);
SAME_FIELD(cu_instantiate_params, flags, CUDA_GRAPH_INSTANTIATE_PARAMS, flags);
SAME_FIELD(cu_instantiate_params, upload, CUDA_GRAPH_INSTANTIATE_PARAMS, hUploadStream);
SAME_FIELD(cu_instantiate_params, error_node, CUDA_GRAPH_INSTANTIATE_PARAMS, hErrNode_out);
SAME_FIELD(cu_instantiate_params, result, CUDA_GRAPH_INSTANTIATE_PARAMS, result_out);
SAME(1, CUDA_GRAPH_INSTANTIATE_ERROR);
SAME(CU_USER_OBJECT_NO_SYNC, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
SAME(CU_GRAPH_USER_OBJECT_MOVE_, CU_GRAPH_USER_OBJECT_MOVE);
/* What the parameters of a node begin with is the same wherever they are. */
SAME_FIELD(cu_node_params, reserved1, CUgraphNodeParams, reserved1);
SAME(offsetof(cu_node_params, reserved1), offsetof(CUgraphNodeParams, kernel));
SAME(offsetof(cu_node_params, reserved1), offsetof(CUgraphNodeParams, memcpy));
SAME(offsetof(cu_node_params, reserved1), offsetof(CUgraphNodeParams, memset));
SAME(offsetof(cu_node_params, reserved1), offsetof(CUgraphNodeParams, host));
SAME(offsetof(cu_node_params, reserved1), offsetof(CUgraphNodeParams, graph));
SAME(offsetof(cu_node_params, reserved1), offsetof(CUgraphNodeParams, eventWait.event));
SAME(offsetof(cu_node_params, reserved1), offsetof(CUgraphNodeParams, eventRecord.event));
SAME(offsetof(cu_kernel_node, kernel), offsetof(CUDA_KERNEL_NODE_PARAMS_v3, kern));
SAME(sizeof(cu_kernel_node), sizeof(CUDA_KERNEL_NODE_PARAMS_v3));
SAME(offsetof(cu_memset_node, height), offsetof(CUDA_MEMSET_NODE_PARAMS_v2, height));
SAME(offsetof(cu_host_node, ud), offsetof(CUDA_HOST_NODE_PARAMS_v2, userData));

SAME_TYPE(cu_copy3d_peer, CUDA_MEMCPY3D_PEER);
SAME_FIELD(cu_copy3d_peer, src_lod, CUDA_MEMCPY3D_PEER, srcLOD);
SAME_FIELD(cu_copy3d_peer, reserved0, CUDA_MEMCPY3D_PEER, srcContext);
SAME_FIELD(cu_copy3d_peer, dst_host, CUDA_MEMCPY3D_PEER, dstHost);
SAME_FIELD(cu_copy3d_peer, reserved1, CUDA_MEMCPY3D_PEER, dstContext);
SAME_FIELD(cu_copy3d_peer, depth, CUDA_MEMCPY3D_PEER, Depth);

SAME_TYPE(cu_copy2d, CUDA_MEMCPY2D);
SAME_FIELD(cu_copy2d, src_x, CUDA_MEMCPY2D, srcXInBytes);
SAME_FIELD(cu_copy2d, src_y, CUDA_MEMCPY2D, srcY);
SAME_FIELD(cu_copy2d, src_type, CUDA_MEMCPY2D, srcMemoryType);
SAME_FIELD(cu_copy2d, src_host, CUDA_MEMCPY2D, srcHost);
SAME_FIELD(cu_copy2d, src_device, CUDA_MEMCPY2D, srcDevice);
SAME_FIELD(cu_copy2d, src_array, CUDA_MEMCPY2D, srcArray);
SAME_FIELD(cu_copy2d, src_pitch, CUDA_MEMCPY2D, srcPitch);
SAME_FIELD(cu_copy2d, dst_x, CUDA_MEMCPY2D, dstXInBytes);
SAME_FIELD(cu_copy2d, dst_y, CUDA_MEMCPY2D, dstY);
SAME_FIELD(cu_copy2d, dst_type, CUDA_MEMCPY2D, dstMemoryType);
SAME_FIELD(cu_copy2d, dst_host, CUDA_MEMCPY2D, dstHost);
SAME_FIELD(cu_copy2d, dst_device, CUDA_MEMCPY2D, dstDevice);
SAME_FIELD(cu_copy2d, dst_array, CUDA_MEMCPY2D, dstArray);
SAME_FIELD(cu_copy2d, dst_pitch, CUDA_MEMCPY2D, dstPitch);
SAME_FIELD(cu_copy2d, width, CUDA_MEMCPY2D, WidthInBytes);
SAME_FIELD(cu_copy2d, height, CUDA_MEMCPY2D, Height);

SAME_TYPE(cu_copy3d, CUDA_MEMCPY3D);
SAME_FIELD(cu_copy3d, src_x, CUDA_MEMCPY3D, srcXInBytes);
SAME_FIELD(cu_copy3d, src_y, CUDA_MEMCPY3D, srcY);
SAME_FIELD(cu_copy3d, src_z, CUDA_MEMCPY3D, srcZ);
SAME_FIELD(cu_copy3d, src_lod, CUDA_MEMCPY3D, srcLOD);
SAME_FIELD(cu_copy3d, src_type, CUDA_MEMCPY3D, srcMemoryType);
SAME_FIELD(cu_copy3d, src_host, CUDA_MEMCPY3D, srcHost);
SAME_FIELD(cu_copy3d, src_device, CUDA_MEMCPY3D, srcDevice);
SAME_FIELD(cu_copy3d, src_array, CUDA_MEMCPY3D, srcArray);
SAME_FIELD(cu_copy3d, reserved0, CUDA_MEMCPY3D, reserved0);
SAME_FIELD(cu_copy3d, src_pitch, CUDA_MEMCPY3D, srcPitch);
SAME_FIELD(cu_copy3d, src_height, CUDA_MEMCPY3D, srcHeight);
SAME_FIELD(cu_copy3d, dst_x, CUDA_MEMCPY3D, dstXInBytes);
SAME_FIELD(cu_copy3d, dst_y, CUDA_MEMCPY3D, dstY);
SAME_FIELD(cu_copy3d, dst_z, CUDA_MEMCPY3D, dstZ);
SAME_FIELD(cu_copy3d, dst_lod, CUDA_MEMCPY3D, dstLOD);
SAME_FIELD(cu_copy3d, dst_type, CUDA_MEMCPY3D, dstMemoryType);
SAME_FIELD(cu_copy3d, dst_host, CUDA_MEMCPY3D, dstHost);
SAME_FIELD(cu_copy3d, dst_device, CUDA_MEMCPY3D, dstDevice);
SAME_FIELD(cu_copy3d, dst_array, CUDA_MEMCPY3D, dstArray);
SAME_FIELD(cu_copy3d, reserved1, CUDA_MEMCPY3D, reserved1);
SAME_FIELD(cu_copy3d, dst_pitch, CUDA_MEMCPY3D, dstPitch);
SAME_FIELD(cu_copy3d, dst_height, CUDA_MEMCPY3D, dstHeight);
SAME_FIELD(cu_copy3d, width, CUDA_MEMCPY3D, WidthInBytes);
SAME_FIELD(cu_copy3d, height, CUDA_MEMCPY3D, Height);
SAME_FIELD(cu_copy3d, depth, CUDA_MEMCPY3D, Depth);

SAME_TYPE(cu_array_desc, CUDA_ARRAY3D_DESCRIPTOR);
SAME_FIELD(cu_array_desc, width, CUDA_ARRAY3D_DESCRIPTOR, Width);
SAME_FIELD(cu_array_desc, height, CUDA_ARRAY3D_DESCRIPTOR, Height);
SAME_FIELD(cu_array_desc, depth, CUDA_ARRAY3D_DESCRIPTOR, Depth);
SAME_FIELD(cu_array_desc, format, CUDA_ARRAY3D_DESCRIPTOR, Format);
SAME_FIELD(cu_array_desc, channels, CUDA_ARRAY3D_DESCRIPTOR, NumChannels);
SAME_FIELD(cu_array_desc, flags, CUDA_ARRAY3D_DESCRIPTOR, Flags);

SAME_TYPE(cu_resource_desc, CUDA_RESOURCE_DESC);
SAME_FIELD(cu_resource_desc, type, CUDA_RESOURCE_DESC, resType);
SAME_FIELD(cu_resource_desc, array.handle, CUDA_RESOURCE_DESC, res.array.hArray);
SAME_FIELD(cu_resource_desc, mipmapped.handle, CUDA_RESOURCE_DESC, res.mipmap.hMipmappedArray);
SAME_FIELD(cu_resource_desc, linear.address, CUDA_RESOURCE_DESC, res.linear.devPtr);
SAME_FIELD(cu_resource_desc, linear.format, CUDA_RESOURCE_DESC, res.linear.format);
SAME_FIELD(cu_resource_desc, linear.channels, CUDA_RESOURCE_DESC, res.linear.numChannels);
SAME_FIELD(cu_resource_desc, linear.bytes, CUDA_RESOURCE_DESC, res.linear.sizeInBytes);
SAME_FIELD(cu_resource_desc, pitch2d.address, CUDA_RESOURCE_DESC, res.pitch2D.devPtr);
SAME_FIELD(cu_resource_desc, pitch2d.format, CUDA_RESOURCE_DESC, res.pitch2D.format);
SAME_FIELD(cu_resource_desc, pitch2d.channels, CUDA_RESOURCE_DESC, res.pitch2D.numChannels);
SAME_FIELD(cu_resource_desc, pitch2d.width, CUDA_RESOURCE_DESC, res.pitch2D.width);
SAME_FIELD(cu_resource_desc, pitch2d.height, CUDA_RESOURCE_DESC, res.pitch2D.height);
SAME_FIELD(cu_resource_desc, pitch2d.pitch, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes);
SAME_FIELD(cu_resource_desc, flags, CUDA_RESOURCE_DESC, flags);

SAME_TYPE(cu_texture_desc, CUDA_TEXTURE_DESC);
SAME_FIELD(cu_texture_desc, address, CUDA_TEXTURE_DESC, addressMode);
SAME_FIELD(cu_texture_desc, filter, CUDA_TEXTURE_DESC, filterMode);
SAME_FIELD(cu_texture_desc, flags, CUDA_TEXTURE_DESC, flags);
SAME_FIELD(cu_texture_desc, anisotropy, CUDA_TEXTURE_DESC, maxAnisotropy);
SAME_FIELD(cu_texture_desc, mipmap_filter, CUDA_TEXTURE_DESC, mipmapFilterMode);
SAME_FIELD(cu_texture_desc, mipmap_bias, CUDA_TEXTURE_DESC, mipmapLevelBias);
SAME_FIELD(cu_texture_desc, mipmap_min, CUDA_TEXTURE_DESC, minMipmapLevelClamp);
SAME_FIELD(cu_texture_desc, mipmap_max, CUDA_TEXTURE_DESC, maxMipmapLevelClamp);
SAME_FIELD(cu_texture_desc, border, CUDA_TEXTURE_DESC, borderColor);
SAME_FIELD(cu_texture_desc, reserved, CUDA_TEXTURE_DESC, reserved);

SAME_TYPE(cu_view_desc, CUDA_RESOURCE_VIEW_DESC);
SAME_FIELD(cu_view_desc, format, CUDA_RESOURCE_VIEW_DESC, format);
SAME_FIELD(cu_view_desc, width, CUDA_RESOURCE_VIEW_DESC, width);
SAME_FIELD(cu_view_desc, height, CUDA_RESOURCE_VIEW_DESC, height);
SAME_FIELD(cu_view_desc, depth, CUDA_RESOURCE_VIEW_DESC, depth);
SAME_FIELD(cu_view_desc, first_level, CUDA_RESOURCE_VIEW_DESC, firstMipmapLevel);
SAME_FIELD(cu_view_desc, last_level, CUDA_RESOURCE_VIEW_DESC, lastMipmapLevel);
SAME_FIELD(cu_view_desc, first_layer, CUDA_RESOURCE_VIEW_DESC, firstLayer);
SAME_FIELD(cu_view_desc, last_layer, CUDA_RESOURCE_VIEW_DESC, lastLayer);
SAME_FIELD(cu_view_desc, reserved, CUDA_RESOURCE_VIEW_DESC, reserved);

SAME_TYPE(cu_launch_attr_value, CUlaunchAttributeValue);
SAME_TYPE(cu_mem_prop, CUmemAllocationProp);
SAME_FIELD(cu_mem_prop, type, CUmemAllocationProp, type);
SAME_FIELD(cu_mem_prop, location, CUmemAllocationProp, location);
SAME_FIELD(cu_mem_prop, flags, CUmemAllocationProp, allocFlags);
SAME_FIELD(cu_launch_attr_value, cooperative, CUlaunchAttributeValue, cooperative);
SAME_FIELD(cu_launch_attr_value, cluster, CUlaunchAttributeValue, clusterDim);
SAME_FIELD(cu_launch_attr_value, priority, CUlaunchAttributeValue, priority);
SAME_FIELD(cu_launch_attr_value, programmatic, CUlaunchAttributeValue,
           programmaticStreamSerializationAllowed);
SAME_FIELD(cu_launch_attr_value, sync_domain, CUlaunchAttributeValue, memSyncDomain);
SAME_TYPE(cu_launch_attr, CUlaunchAttribute);
SAME_FIELD(cu_launch_attr, id, CUlaunchAttribute, id);
SAME_FIELD(cu_launch_attr, value, CUlaunchAttribute, value);
SAME_TYPE(cu_launch_config, CUlaunchConfig);
SAME_FIELD(cu_launch_config, grid_x, CUlaunchConfig, gridDimX);
SAME_FIELD(cu_launch_config, grid_y, CUlaunchConfig, gridDimY);
SAME_FIELD(cu_launch_config, grid_z, CUlaunchConfig, gridDimZ);
SAME_FIELD(cu_launch_config, block_x, CUlaunchConfig, blockDimX);
SAME_FIELD(cu_launch_config, block_y, CUlaunchConfig, blockDimY);
SAME_FIELD(cu_launch_config, block_z, CUlaunchConfig, blockDimZ);
SAME_FIELD(cu_launch_config, shared_bytes, CUlaunchConfig, sharedMemBytes);
SAME_FIELD(cu_launch_config, stream, CUlaunchConfig, hStream);
SAME_FIELD(cu_launch_config, attrs, CUlaunchConfig, attrs);
SAME_FIELD(cu_launch_config, num_attrs, CUlaunchConfig, numAttrs);

SAME_TYPE(cu_edge_data, CUgraphEdgeData);
SAME_FIELD(cu_edge_data, from_port, CUgraphEdgeData, from_port);
SAME_FIELD(cu_edge_data, to_port, CUgraphEdgeData, to_port);
SAME_FIELD(cu_edge_data, type, CUgraphEdgeData, type);
SAME_TYPE(cu_kernel_node, CUDA_KERNEL_NODE_PARAMS);
SAME_FIELD(cu_kernel_node, function, CUDA_KERNEL_NODE_PARAMS, func);
SAME_FIELD(cu_kernel_node, grid_x, CUDA_KERNEL_NODE_PARAMS, gridDimX);
SAME_FIELD(cu_kernel_node, grid_y, CUDA_KERNEL_NODE_PARAMS, gridDimY);
SAME_FIELD(cu_kernel_node, grid_z, CUDA_KERNEL_NODE_PARAMS, gridDimZ);
SAME_FIELD(cu_kernel_node, block_x, CUDA_KERNEL_NODE_PARAMS, blockDimX);
SAME_FIELD(cu_kernel_node, block_y, CUDA_KERNEL_NODE_PARAMS, blockDimY);
SAME_FIELD(cu_kernel_node, block_z, CUDA_KERNEL_NODE_PARAMS, blockDimZ);
SAME_FIELD(cu_kernel_node, shared_bytes, CUDA_KERNEL_NODE_PARAMS, sharedMemBytes);
SAME_FIELD(cu_kernel_node, params, CUDA_KERNEL_NODE_PARAMS, kernelParams);
SAME_FIELD(cu_kernel_node, extra, CUDA_KERNEL_NODE_PARAMS, extra);
SAME_FIELD(cu_kernel_node, kernel, CUDA_KERNEL_NODE_PARAMS, kern);
SAME_FIELD(cu_kernel_node, ctx, CUDA_KERNEL_NODE_PARAMS, ctx);
SAME_TYPE(cu_memset_node, CUDA_MEMSET_NODE_PARAMS);
SAME_FIELD(cu_memset_node, dst, CUDA_MEMSET_NODE_PARAMS, dst);
SAME_FIELD(cu_memset_node, pitch, CUDA_MEMSET_NODE_PARAMS, pitch);
SAME_FIELD(cu_memset_node, value, CUDA_MEMSET_NODE_PARAMS, value);
SAME_FIELD(cu_memset_node, element_size, CUDA_MEMSET_NODE_PARAMS, elementSize);
SAME_FIELD(cu_memset_node, width, CUDA_MEMSET_NODE_PARAMS, width);
SAME_FIELD(cu_memset_node, height, CUDA_MEMSET_NODE_PARAMS, height);
SAME_TYPE(cu_conditional_node, CUDA_CONDITIONAL_NODE_PARAMS);
SAME_FIELD(cu_conditional_node, handle, CUDA_CONDITIONAL_NODE_PARAMS, handle);
SAME_FIELD(cu_conditional_node, type, CUDA_CONDITIONAL_NODE_PARAMS, type);
SAME_FIELD(cu_conditional_node, size, CUDA_CONDITIONAL_NODE_PARAMS, size);
SAME_FIELD(cu_conditional_node, bodies, CUDA_CONDITIONAL_NODE_PARAMS, phGraph_out);
SAME_FIELD(cu_conditional_node, ctx, CUDA_CONDITIONAL_NODE_PARAMS, ctx);
SAME_TYPE(cu_node_params, CUgraphNodeParams);
SAME_FIELD(cu_node_params, type, CUgraphNodeParams, type);
SAME_FIELD(cu_node_params, conditional, CUgraphNodeParams, conditional);
SAME_FIELD(cu_node_params, reserved2, CUgraphNodeParams, reserved2);
SAME_TYPE(cu_update_info, CUgraphExecUpdateResultInfo);
SAME_FIELD(cu_update_info, result, CUgraphExecUpdateResultInfo, result);
SAME_FIELD(cu_update_info, error_node, CUgraphExecUpdateResultInfo, errorNode);
SAME_FIELD(cu_update_info, error_from_node, CUgraphExecUpdateResultInfo, errorFromNode);


/* ---- numbers ---- */

#define LCU_CUERR(code, name, text) SAME(CU_ERR_##name, CUDA_ERROR_##name);
#include "cu_errors.def"
#undef LCU_CUERR
#define LCU_RTCERR(code, name, text) SAME(code, NVRTC_ERROR_##name);
#include "nvrtc_errors.def"
#undef LCU_RTCERR

#define ATTR(theirs, ours) SAME(CU_ATTR_##ours, CU_DEVICE_ATTRIBUTE_##theirs);
#define ALIAS(theirs, number) SAME(number, CU_DEVICE_ATTRIBUTE_##theirs);
#include "abi_attrs.h"
#undef ATTR
#undef ALIAS
/* abi_attrs.h has a line for each row of the table. */
enum {
  ROWS = 0
#define LCU_ATTR(number, name) +1
#define LCU_ATTR_ALIAS(number, name) +1
#include "cu_attrs.def"
#undef LCU_ATTR
#undef LCU_ATTR_ALIAS
  ,
  LINES = 0
#define ATTR(theirs, ours) +1
#define ALIAS(theirs, number) +1
#include "abi_attrs.h"
};
SAME(ROWS, LINES);

SAME(CU_STREAM_DEFAULT_, CU_STREAM_DEFAULT);
SAME(CU_STREAM_NON_BLOCKING_, CU_STREAM_NON_BLOCKING);
SAME(CU_EVENT_DEFAULT_, CU_EVENT_DEFAULT);
SAME(CU_EVENT_BLOCKING_SYNC_, CU_EVENT_BLOCKING_SYNC);
SAME(CU_EVENT_DISABLE_TIMING_, CU_EVENT_DISABLE_TIMING);
SAME(CU_EVENT_INTERPROCESS_, CU_EVENT_INTERPROCESS);
SAME(CU_REGISTER_PORTABLE, CU_MEMHOSTREGISTER_PORTABLE);
SAME(CU_REGISTER_DEVICEMAP, CU_MEMHOSTREGISTER_DEVICEMAP);
SAME(CU_REGISTER_IOMEMORY, CU_MEMHOSTREGISTER_IOMEMORY);
SAME(CU_REGISTER_READ_ONLY, CU_MEMHOSTREGISTER_READ_ONLY);
SAME(CU_HOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_PORTABLE);
SAME(CU_HOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_DEVICEMAP);
SAME(CU_HOSTALLOC_WRITECOMBINED, CU_MEMHOSTALLOC_WRITECOMBINED);
SAME(CU_MEM_ATTACH_GLOBAL_, CU_MEM_ATTACH_GLOBAL);
SAME(CU_MEM_ATTACH_HOST_, CU_MEM_ATTACH_HOST);
SAME(CU_MEM_ATTACH_SINGLE_, CU_MEM_ATTACH_SINGLE);
SAME(CU_CAPTURE_NONE, CU_STREAM_CAPTURE_STATUS_NONE);
SAME(CU_CAPTURE_ACTIVE, CU_STREAM_CAPTURE_STATUS_ACTIVE);
SAME(CU_CAPTURE_INVALIDATED, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
SAME(CU_CAPTURE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL);
SAME(CU_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(CU_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(CU_CAPTURE_ADD_DEPENDENCIES, CU_STREAM_ADD_CAPTURE_DEPENDENCIES);
SAME(CU_CAPTURE_SET_DEPENDENCIES, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
SAME(CU_EVENT_WAIT_EXTERNAL_, CU_EVENT_WAIT_EXTERNAL);
SAME(CU_EVENT_RECORD_EXTERNAL_, CU_EVENT_RECORD_EXTERNAL);
SAME(CU_NODE_KERNEL, CU_GRAPH_NODE_TYPE_KERNEL);
SAME(CU_NODE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMCPY);
SAME(CU_NODE_MEMSET, CU_GRAPH_NODE_TYPE_MEMSET);
SAME(CU_NODE_HOST, CU_GRAPH_NODE_TYPE_HOST);
SAME(CU_NODE_GRAPH, CU_GRAPH_NODE_TYPE_GRAPH);
SAME(CU_NODE_EMPTY, CU_GRAPH_NODE_TYPE_EMPTY);
SAME(CU_NODE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
SAME(CU_NODE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
SAME(CU_NODE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
SAME(CU_NODE_MEM_FREE, CU_GRAPH_NODE_TYPE_MEM_FREE);
SAME(CU_NODE_CONDITIONAL, CU_GRAPH_NODE_TYPE_CONDITIONAL);
SAME(CU_COND_IF, CU_GRAPH_COND_TYPE_IF);
SAME(CU_COND_WHILE, CU_GRAPH_COND_TYPE_WHILE);
SAME(CU_COND_SWITCH, CU_GRAPH_COND_TYPE_SWITCH);
SAME(CU_COND_ASSIGN_DEFAULT, CU_GRAPH_COND_ASSIGN_DEFAULT);
SAME(CU_UPDATE_SUCCESS, CU_GRAPH_EXEC_UPDATE_SUCCESS);
SAME(CU_UPDATE_ERROR, CU_GRAPH_EXEC_UPDATE_ERROR);
SAME(CU_UPDATE_TOPOLOGY_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
SAME(CU_UPDATE_NODE_TYPE_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
SAME(CU_UPDATE_FUNCTION_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED);
SAME(CU_UPDATE_PARAMETERS_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
SAME(CU_UPDATE_NOT_SUPPORTED, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED);
SAME(CU_UPDATE_UNSUPPORTED_FUNCTION_CHANGE, CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE);
SAME(CU_UPDATE_ATTRIBUTES_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
SAME(CU_DOT_VERBOSE, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);

SAME(CU_FUNC_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CU_FUNC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(CU_FUNC_CONST_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
SAME(CU_FUNC_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(CU_FUNC_NUM_REGS, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(CU_FUNC_PTX_VERSION, CU_FUNC_ATTRIBUTE_PTX_VERSION);
SAME(CU_FUNC_BINARY_VERSION, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
SAME(CU_FUNC_CACHE_MODE_CA, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
SAME(CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME(CU_FUNC_CLUSTER_SIZE_MUST_BE_SET, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
SAME(CU_FUNC_REQUIRED_CLUSTER_WIDTH, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
SAME(CU_FUNC_REQUIRED_CLUSTER_HEIGHT, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
SAME(CU_FUNC_REQUIRED_CLUSTER_DEPTH, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
SAME(CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME(CU_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
     CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);

SAME(CU_CTX_SCHED_AUTO_, CU_CTX_SCHED_AUTO);
SAME(CU_CTX_SCHED_SPIN_, CU_CTX_SCHED_SPIN);
SAME(CU_CTX_SCHED_YIELD_, CU_CTX_SCHED_YIELD);
SAME(CU_CTX_SCHED_BLOCKING_SYNC_, CU_CTX_SCHED_BLOCKING_SYNC);
SAME(CU_CTX_SCHED_MASK_, CU_CTX_SCHED_MASK);
SAME(CU_CTX_MAP_HOST_, CU_CTX_MAP_HOST);
SAME(CU_CTX_LMEM_RESIZE_TO_MAX_, CU_CTX_LMEM_RESIZE_TO_MAX);
SAME(CU_CACHE_PREFER_NONE_, CU_FUNC_CACHE_PREFER_NONE);
SAME(CU_CACHE_PREFER_SHARED_, CU_FUNC_CACHE_PREFER_SHARED);
SAME(CU_CACHE_PREFER_L1_, CU_FUNC_CACHE_PREFER_L1);
SAME(CU_CACHE_PREFER_EQUAL_, CU_FUNC_CACHE_PREFER_EQUAL);
SAME(CU_LIMIT_STACK_SIZE_, CU_LIMIT_STACK_SIZE);
SAME(CU_LIMIT_PRINTF_FIFO_SIZE_, CU_LIMIT_PRINTF_FIFO_SIZE);
SAME(CU_LIMIT_MALLOC_HEAP_SIZE_, CU_LIMIT_MALLOC_HEAP_SIZE);
SAME(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH_, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH);
SAME(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT_, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT);
SAME(CU_LIMIT_MAX_L2_FETCH_GRANULARITY_, CU_LIMIT_MAX_L2_FETCH_GRANULARITY);
SAME(CU_LIMIT_PERSISTING_L2_CACHE_SIZE_, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);

SAME(CU_JIT_MAX_REGISTERS_, CU_JIT_MAX_REGISTERS);
SAME(CU_JIT_THREADS_PER_BLOCK_, CU_JIT_THREADS_PER_BLOCK);
SAME(CU_JIT_WALL_TIME_, CU_JIT_WALL_TIME);
SAME(CU_JIT_INFO_LOG_BUFFER_, CU_JIT_INFO_LOG_BUFFER);
SAME(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES_, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
SAME(CU_JIT_ERROR_LOG_BUFFER_, CU_JIT_ERROR_LOG_BUFFER);
SAME(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(CU_JIT_OPTIMIZATION_LEVEL_, CU_JIT_OPTIMIZATION_LEVEL);
SAME(CU_JIT_TARGET_, CU_JIT_TARGET);
SAME(CU_JIT_FALLBACK_STRATEGY_, CU_JIT_FALLBACK_STRATEGY);
SAME(CU_JIT_GENERATE_DEBUG_INFO_, CU_JIT_GENERATE_DEBUG_INFO);
SAME(CU_JIT_LOG_VERBOSE_, CU_JIT_LOG_VERBOSE);
SAME(CU_JIT_GENERATE_LINE_INFO_, CU_JIT_GENERATE_LINE_INFO);
SAME(CU_JIT_CACHE_MODE_, CU_JIT_CACHE_MODE);
SAME(CU_JIT_INPUT_CUBIN_, CU_JIT_INPUT_CUBIN);
SAME(CU_JIT_INPUT_PTX_, CU_JIT_INPUT_PTX);
SAME(CU_JIT_INPUT_FATBINARY_, CU_JIT_INPUT_FATBINARY);
SAME(CU_JIT_INPUT_OBJECT_, CU_JIT_INPUT_OBJECT);
SAME(CU_JIT_INPUT_LIBRARY_, CU_JIT_INPUT_LIBRARY);

SAME(CU_POINTER_CONTEXT, CU_POINTER_ATTRIBUTE_CONTEXT);
SAME(CU_POINTER_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME(CU_POINTER_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_DEVICE_POINTER);
SAME(CU_POINTER_HOST_POINTER, CU_POINTER_ATTRIBUTE_HOST_POINTER);
SAME(CU_POINTER_IS_MANAGED, CU_POINTER_ATTRIBUTE_IS_MANAGED);
SAME(CU_POINTER_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
SAME(CU_POINTER_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
SAME(CU_POINTER_RANGE_SIZE, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
SAME(CU_MEMTYPE_HOST, CU_MEMORYTYPE_HOST);
SAME(CU_MEMTYPE_DEVICE, CU_MEMORYTYPE_DEVICE);
SAME(CU_MEMTYPE_ARRAY, CU_MEMORYTYPE_ARRAY);
SAME(CU_MEMTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED);

SAME(CU_FORMAT_U8, CU_AD_FORMAT_UNSIGNED_INT8);
SAME(CU_FORMAT_U16, CU_AD_FORMAT_UNSIGNED_INT16);
SAME(CU_FORMAT_U32, CU_AD_FORMAT_UNSIGNED_INT32);
SAME(CU_FORMAT_S8, CU_AD_FORMAT_SIGNED_INT8);
SAME(CU_FORMAT_S16, CU_AD_FORMAT_SIGNED_INT16);
SAME(CU_FORMAT_S32, CU_AD_FORMAT_SIGNED_INT32);
SAME(CU_FORMAT_F16, CU_AD_FORMAT_HALF);
SAME(CU_FORMAT_F32, CU_AD_FORMAT_FLOAT);
SAME(CU_ARRAY_LAYERED, CUDA_ARRAY3D_LAYERED);
SAME(CU_ARRAY_SURFACE, CUDA_ARRAY3D_SURFACE_LDST);
SAME(CU_ARRAY_CUBEMAP, CUDA_ARRAY3D_CUBEMAP);
SAME(CU_ARRAY_GATHER, CUDA_ARRAY3D_TEXTURE_GATHER);
SAME(CU_RESOURCE_ARRAY, CU_RESOURCE_TYPE_ARRAY);
SAME(CU_RESOURCE_MIPMAPPED, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
SAME(CU_RESOURCE_LINEAR, CU_RESOURCE_TYPE_LINEAR);
SAME(CU_RESOURCE_PITCH2D, CU_RESOURCE_TYPE_PITCH2D);
SAME(CU_ADDRESS_WRAP, CU_TR_ADDRESS_MODE_WRAP);
SAME(CU_ADDRESS_CLAMP, CU_TR_ADDRESS_MODE_CLAMP);
SAME(CU_ADDRESS_MIRROR, CU_TR_ADDRESS_MODE_MIRROR);
SAME(CU_ADDRESS_BORDER, CU_TR_ADDRESS_MODE_BORDER);
SAME(CU_FILTER_POINT, CU_TR_FILTER_MODE_POINT);
SAME(CU_FILTER_LINEAR, CU_TR_FILTER_MODE_LINEAR);
SAME(CU_TEXTURE_READ_AS_INTEGER, CU_TRSF_READ_AS_INTEGER);
SAME(CU_TEXTURE_NORMALIZED_COORDINATES, CU_TRSF_NORMALIZED_COORDINATES);
SAME(CU_TEXTURE_SRGB, CU_TRSF_SRGB);
SAME(CU_TEXTURE_EXACT_TRILINEAR, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
SAME(CU_TEXTURE_SEAMLESS_CUBEMAP, CU_TRSF_SEAMLESS_CUBEMAP);

SAME(1, CU_MEM_LOCATION_TYPE_DEVICE);
SAME(1, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME(1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
SAME(3, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
SAME(1, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
SAME(CU_POOL_REUSE_FOLLOW_EVENT, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES);
SAME(CU_POOL_REUSE_OPPORTUNISTIC, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC);
SAME(CU_POOL_REUSE_INTERNAL, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES);
SAME(CU_POOL_RELEASE_THRESHOLD, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME(CU_POOL_RESERVED_CURRENT, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
SAME(CU_POOL_RESERVED_HIGH, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
SAME(CU_POOL_USED_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
SAME(CU_POOL_USED_HIGH, CU_MEMPOOL_ATTR_USED_MEM_HIGH);
SAME(CU_POINTER_ACCESS_FLAGS, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS);
SAME(CU_POINTER_POOL, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);
SAME(CU_ADVISE_READ_MOSTLY, CU_MEM_ADVISE_SET_READ_MOSTLY);
SAME(CU_ADVISE_PREFERRED_LOCATION, CU_MEM_ADVISE_SET_PREFERRED_LOCATION);
SAME(CU_ADVISE_ACCESSED_BY, CU_MEM_ADVISE_SET_ACCESSED_BY);
SAME(CU_ADVISE_UNSET_ACCESSED_BY, CU_MEM_ADVISE_UNSET_ACCESSED_BY);
SAME(CU_DEVICE_HOST, CU_DEVICE_CPU);
SAME(CU_MEM_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME(CU_LOCATION_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE);
SAME(CU_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
SAME(CU_LAUNCH_ATTR_IGNORE, CU_LAUNCH_ATTRIBUTE_IGNORE);
SAME(CU_LAUNCH_ATTR_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME(CU_LAUNCH_ATTR_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(CU_LAUNCH_ATTR_PRIORITY, CU_LAUNCH_ATTRIBUTE_PRIORITY);
SAME(CU_LAUNCH_ATTR_PROGRAMMATIC, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME(CU_LAUNCH_ATTR_SYNC_DOMAIN, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);
SAME(CU_SYNC_DOMAIN_DEFAULT, CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT);
SAME(CU_SYNC_DOMAIN_REMOTE, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
SAME(CU_CACHE_NONE, CU_FUNC_CACHE_PREFER_NONE);
SAME(CU_CACHE_SHARED, CU_FUNC_CACHE_PREFER_SHARED);
SAME(CU_CACHE_L1, CU_FUNC_CACHE_PREFER_L1);
SAME(CU_CACHE_EQUAL, CU_FUNC_CACHE_PREFER_EQUAL);


/* ---- entry points of the driver ---- */

/* cudaTypedefs.h has a type PFN_<name>_v<version> for every ABI of every entry point. Included with
 * their type names replaced by ours, which the checks above have shown to be the same, each of
 * these types must be exactly the type of our row: name, version, number and types of the
 * parameters. */
#define CUresult cu_result
#define CUdevice_v1 cu_device
#define CUdevice_attribute int
#define CUlimit int
#define CUjit_option int
#define CUjitInputType int
#define CUlinkState cu_link
#define CUfunction_attribute int
#define CUfunc_cache int
#define CUmemPool_attribute int
#define CUpointer_attribute int
#define CUmem_advise int
#define CUmemLocation_v1 cu_mem_location
#define CUexecAffinityParam void
#define CUctxCreateParams void
#define CUmemAllocationGranularity_flags int
#define CUmemGenericAllocationHandle_v1 cu_mem_handle
#define CUmemAllocationProp_v1 cu_mem_prop
#define CUipcMemHandle_v1 cu_ipc_memory
#define CUipcEventHandle_v1 cu_ipc_event
#define CUstreamCaptureStatus int
#define CUfunc_cache int
#define CUdevResourceType int
#define CUstreamCaptureMode int
#define CUgraphNodeType int
#define CUgraph cu_graph
#define CUgraphExec cu_graph_exec
#define CUgraphNode cu_graph_node
#define CUgraphConditionalHandle cu_graph_condition
#define CUgraphEdgeData cu_edge_data
#define CUgraphNodeParams cu_node_params
#define CUgraphExecUpdateResultInfo cu_update_info
#define CUDA_KERNEL_NODE_PARAMS_v2 cu_kernel_node
#define CUDA_MEMSET_NODE_PARAMS_v1 cu_memset_node
#define CUDA_HOST_NODE_PARAMS_v1 cu_host_node
#define CUDA_MEM_ALLOC_NODE_PARAMS cu_mem_alloc_node
#define CUgraphMem_attribute int
#define CUDA_GRAPH_INSTANTIATE_PARAMS cu_instantiate_params
#define CUuserObject cu_user_object
#define CUmem_range_attribute int
#define CUstreamBatchMemOpParams_v1 cu_word_op
#define CUstreamBatchMemOpParams cu_word_op
#define CUDA_ARRAY_DESCRIPTOR_v2 cu_array_desc2
#define cuuint32_t uint32_t
#define cuuint64_t uint64_t
#define CUdeviceptr_v2 cu_deviceptr
#define CUdeviceptr cu_deviceptr
#define CUcontext cu_context
#define CUmodule cu_module
#define CUfunction cu_function
#define CUlibrary cu_library
#define CUkernel cu_kernel
#define CUlibraryOption int
#define CUmemAccess_flags int
#define CUmemAllocationType int
#define CUfunctionLoadingState int
#define CUmoduleLoadingMode int
#define CUstream cu_stream
#define CUevent cu_event
#define CUmemoryPool cu_mempool
#define CUuuid cu_uuid
#define CUgreenCtx cu_green_ctx
#define CUdevResourceDesc cu_dev_resource_desc
#define CUdevResource cu_dev_resource
#define CUmemPoolProps_v1 cu_pool_props
#define CUmemAccessDesc_v1 cu_pool_access
#define CUDA_MEMCPY2D_v2 cu_copy2d
#define CUDA_MEMCPY3D_v2 cu_copy3d
#define CUarray cu_array
#define CUmipmappedArray cu_mipmapped_array
#define CUtexObject_v1 cu_texture
#define CUsurfObject_v1 cu_surface
#define CUtensorMap cu_tensormap
#define CUtensorMapDataType int
#define CUtensorMapInterleave int
#define CUtensorMapSwizzle int
#define CUtensorMapL2promotion int
#define CUtensorMapFloatOOBfill int
#define CUDA_ARRAY3D_DESCRIPTOR_v2 cu_array_desc
#define CUDA_RESOURCE_DESC_v1 cu_resource_desc
#define CUDA_TEXTURE_DESC_v1 cu_texture_desc
#define CUDA_RESOURCE_VIEW_DESC_v1 cu_view_desc
#define CUlaunchConfig cu_launch_config
#define CUDA_MEMCPY3D_PEER_v1 cu_copy3d
#define CUmemLocation cu_mem_location
#define CUdevice_P2PAttribute int
#define CUstreamCallback cu_stream_callback
#define CUhostFn cu_host_fn
#define CUoccupancyB2DSize cu_block_to_shared
#include <cudaTypedefs.h>
#include <cudaProfilerTypedefs.h>

/* LCU_DRV itself pastes the names: one macro further in, cuMemAlloc would already be cuMemAlloc_v2,
 * a macro of cuda.h. */
#define CHECK_REQ(pfn, text, params) \
  _Static_assert(__builtin_types_compatible_p(pfn, cu_result(*) params), "type of " text);
#define CHECK_OPT CHECK_REQ
#define CHECK_EXT(pfn, text, params)
#define LCU_DRV(need, since, name, symbol, params, args) \
  CHECK_##need(PFN_##name##_v##since, #name, params)
#include "driver.def"
#undef LCU_DRV
#define CPU_FACE(since, name, symbol, params, result) \
  CHECK_REQ(PFN_##name##_v##since, #name, params)
#include "face.def"
#undef CPU_FACE
#define CPU_MORE(since, name, symbol, params, args) CHECK_REQ(PFN_##name##_v##since, #name, params)
#include "cpu_more.def"
#undef CPU_MORE


/* ---- entry points of NVRTC ---- */

/* NVRTC's headers have no type for each entry point: results are replaced by name, and the one row
 * with a result code as a parameter is compared by hand. */
#define cu_nvrtc_program nvrtcProgram
#define RESULT_int nvrtcResult
#define RESULT_const const
#define IS_TEXT(type) __builtin_types_compatible_p(type, const char *)
#define LCU_RTC(need, result, name, params, args) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), RESULT_##result(*) params) || \
                   IS_TEXT(result), \
                 "type of " #name);
#include "nvrtc.def"
#undef LCU_RTC
_Static_assert(__builtin_types_compatible_p(__typeof__(&nvrtcGetErrorString),
                                            const char *(*)(nvrtcResult)),
               "type of nvrtcGetErrorString");


/* ---- cuBLAS, if its headers are installed ---- */
#ifdef CUBLAS_VER_MAJOR

#define LCU_BLASERR(code, name, text) SAME(code, CUBLAS_STATUS_##name);
#include "cublas_errors.def"
#undef LCU_BLASERR

SAME(CU_BLAS_N, CUBLAS_OP_N);
SAME(CU_BLAS_T, CUBLAS_OP_T);
SAME(CU_BLAS_R_16F, CUDA_R_16F);
SAME(CU_BLAS_R_16BF, CUDA_R_16BF);
SAME(CU_BLAS_R_32F, CUDA_R_32F);
SAME(CU_BLAS_R_64F, CUDA_R_64F);
SAME(CU_BLAS_C_32F, CUDA_C_32F);
SAME(CU_BLAS_C_64F, CUDA_C_64F);
SAME(CU_BLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F);
SAME(CU_BLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F);
SAME(CU_BLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME(CU_BLAS_ALGORITHM_DEFAULT, CUBLAS_GEMM_DEFAULT);
SAME(0, MAJOR_VERSION);
SAME(1, MINOR_VERSION);
SAME(2, PATCH_LEVEL);

SAME_TYPE(cu_blas_status, cublasStatus_t);
SAME_TYPE(cu_blas_property, libraryPropertyType);
SAME_TYPE(cu_blas_op, cublasOperation_t);
SAME_TYPE(cu_blas_type, cudaDataType);
SAME_TYPE(cu_blas_compute, cublasComputeType_t);
SAME_TYPE(cu_blas_algorithm, cublasGemmAlgo_t);
SAME_TYPE(cu_blas, cublasHandle_t);
SAME_TYPE(cu_stream, cudaStream_t);

#define cu_blas cublasHandle_t
#define cu_blas_property libraryPropertyType
#define cu_blas_op cublasOperation_t
#define cu_blas_type cudaDataType
#define cu_blas_compute cublasComputeType_t
#define cu_blas_algorithm cublasGemmAlgo_t
#define cu_stream cudaStream_t
#define LCU_BLAS(name, params) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), cublasStatus_t(*) params), \
                 "type of " #name);
#include "cublas.def"
#undef LCU_BLAS

#endif


/* ---- NCCL, if its header is installed ---- */
#ifdef NCCL_VERSION_CODE

#define LCU_NCCLERR(code, name, text) SAME(code, name);
#include "nccl_errors.def"
#undef LCU_NCCLERR

SAME(NCCL_UNDEFINED_INT, NCCL_CONFIG_UNDEF_INT);
SAME(NCCL_NO_COLOR, NCCL_SPLIT_NOCOLOR);
SAME(LCU_REDUCE_SUM, ncclSum);
SAME(LCU_REDUCE_PROD, ncclProd);
SAME(LCU_REDUCE_MIN, ncclMin);
SAME(LCU_REDUCE_MAX, ncclMax);
SAME(LCU_REDUCE_AVG, ncclAvg);
SAME(LCU_NCCL_INT8, ncclInt8);
SAME(LCU_NCCL_UINT8, ncclUint8);
SAME(LCU_NCCL_INT32, ncclInt32);
SAME(LCU_NCCL_UINT32, ncclUint32);
SAME(LCU_NCCL_INT64, ncclInt64);
SAME(LCU_NCCL_UINT64, ncclUint64);
SAME(LCU_NCCL_FLOAT16, ncclFloat16);
SAME(LCU_NCCL_FLOAT32, ncclFloat32);
SAME(LCU_NCCL_FLOAT64, ncclFloat64);
SAME(LCU_NCCL_BFLOAT16, ncclBfloat16);

/* The last field that version 2.18 has. */
SAME_FIELD(nccl_config, size, ncclConfig_t, size);
SAME_FIELD(nccl_config, magic, ncclConfig_t, magic);
SAME_FIELD(nccl_config, version, ncclConfig_t, version);
SAME_FIELD(nccl_config, blocking, ncclConfig_t, blocking);
SAME_FIELD(nccl_config, cga_cluster_size, ncclConfig_t, cgaClusterSize);
SAME_FIELD(nccl_config, min_ctas, ncclConfig_t, minCTAs);
SAME_FIELD(nccl_config, max_ctas, ncclConfig_t, maxCTAs);
SAME_FIELD(nccl_config, net_name, ncclConfig_t, netName);
SAME_FIELD(nccl_config, split_share, ncclConfig_t, splitShare);
SAME_TYPE(nccl_id, ncclUniqueId);

#undef cu_stream
#define cu_stream cudaStream_t
#define nccl_comm ncclComm_t
#define nccl_type ncclDataType_t
#define nccl_op ncclRedOp_t
#define nccl_id ncclUniqueId
#define nccl_config ncclConfig_t
#define nccl_result ncclResult_t
#define LCU_NCCL(need, name, params) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), ncclResult_t(*) params), \
                 "type of " #name);
#include "nccl.def"
#undef LCU_NCCL

#endif


/* ---- nvJitLink ---- */

#if __has_include(<nvJitLink.h>)

SAME_TYPE(cu_jitlink, nvJitLinkHandle);
SAME(sizeof(int), sizeof(nvJitLinkResult));
SAME(sizeof(int), sizeof(nvJitLinkInputType));
SAME(1, NVJITLINK_INPUT_CUBIN);
SAME(2, NVJITLINK_INPUT_PTX);
SAME(3, NVJITLINK_INPUT_LTOIR);
SAME(4, NVJITLINK_INPUT_FATBIN);
SAME(5, NVJITLINK_INPUT_OBJECT);
SAME(6, NVJITLINK_INPUT_LIBRARY);

#endif
#endif
