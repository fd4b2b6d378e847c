// The dialect of CUDA: the words in which the two GPU languages differ, and where a kernel's thread stands.

#define DEVICE
#define THREAD
#define CONSTANT
#define INLINE __device__ __forceinline__
#define SHARED(type, name, count) __shared__ type name[count]
#define BARRIER() __syncthreads()
#define SHUFFLE_XOR(x, mask) __shfl_xor_sync(0xffffffffu, x, mask)
#define FLOAT_OF_BITS(x) __uint_as_float(x)
#define FMA(a, b, c) fmaf(a, b, c)
#define EXP(x) expf(x)
#define SIN(x) sinf(x)
#define COS(x) cosf(x)
#define RSQRT(x) rsqrtf(x)
#define UNROLL _Pragma("unroll")
#define UNROLL_CHUNKS UNROLL
INLINE float simd_total(float x) {
  UNROLL for (int mask = 16; mask > 0; mask >>= 1) x += SHUFFLE_XOR(x, mask);
  return x;
}

PART(start) {
  const int tid = (int)threadIdx.x;
  const int group_x = (int)blockIdx.x;
  const int group_y = (int)blockIdx.y;
  const int group_z = (int)blockIdx.z;
  const int groups_x = (int)gridDim.x;
}
