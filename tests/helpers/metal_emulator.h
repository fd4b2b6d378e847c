// Just enough of Metal's standard library to run a kernel's own text on the CPU: one fibre a thread, in step at every
// barrier and every exchange within a SIMD group. Shows wrong logic, races at barriers excepted; shows no speed.
#pragma once
#include <chrono>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <thread>
#include <type_traits>
#include <ucontext.h>
#include <vector>
using SystemThread = std::thread;
#define device
#define thread
#define constant
#define threadgroup static thread_local  // a group's own: each may run in a thread of the system
typedef unsigned int uint;
typedef unsigned short ushort;
struct uint2 { uint x, y; };
struct uint3 { uint x, y, z; };
struct uint4 { uint x, y, z, w; };  // not aligned to 16 bytes, as MLX's arrays on the CPU are not
struct bfloat16_t {
  uint16_t bits;
  bfloat16_t() = default;
  explicit bfloat16_t(float value) {
    uint32_t raw;
    std::memcpy(&raw, &value, 4);
    bits = (uint16_t)((raw + 0x7fff + ((raw >> 16) & 1)) >> 16);
  }
  operator float() const {
    uint32_t raw = (uint32_t)bits << 16;
    float value;
    std::memcpy(&value, &raw, 4);
    return value;
  }
};
template <typename To, typename From>
To as_type(From from) {
  static_assert(sizeof(To) == sizeof(From), "as_type needs equal sizes");
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}
namespace precise {
inline float exp(float x) { return std::exp(x); }
inline float sin(float x) { return std::sin(x); }
inline float cos(float x) { return std::cos(x); }
inline float rsqrt(float x) { return 1.0f / std::sqrt(x); }
}  // namespace precise
using std::fma;
enum class mem_flags { mem_threadgroup, mem_device };

// A switch between fibres is most of the work here: GCC's own jump is four times as fast as the C library's.
#if defined(__GNUC__) && !defined(__clang__)
typedef void* Place[5];
#define STOP_AT(place) __builtin_setjmp(place)
#define GO_TO(place) __builtin_longjmp(place, 1)
#else
typedef jmp_buf Place;
#define STOP_AT(place) _setjmp(place)
#define GO_TO(place) _longjmp(place, 1)
#endif
struct Fibre {
  ucontext_t context;  // for its first start only: switching by it costs two system calls
  Place place;
  bool begun;
  std::vector<char> stack;
  bool done;
};
static thread_local std::vector<Fibre> fibres;
static thread_local Place scheduler;
static thread_local int current;
static thread_local long waiting_since;
struct Meeting {
  int arrived = 0;
  long round = 0;
};
static thread_local std::vector<Meeting> meetings;  // one a SIMD group, the last for the whole group
static thread_local uint32_t slots[2][1024];
static thread_local std::vector<int> exchanges;  // how many exchanges each thread has made: two buffers take turns
inline __attribute__((noinline)) void leave_fibre() { GO_TO(scheduler); }
inline __attribute__((noinline)) void enter_fibre() { GO_TO(fibres[current].place); }
inline __attribute__((noinline)) void pause_fibre() {
  if (STOP_AT(fibres[current].place) == 0) leave_fibre();
}
inline void meet(int which, int members) {
  const long round = meetings[which].round;
  if (++meetings[which].arrived == members) {
    meetings[which].arrived = 0;
    meetings[which].round++;
    waiting_since = 0;
    return;
  }
  while (meetings[which].round == round) pause_fibre();
}
inline void threadgroup_barrier(mem_flags) { meet((int)meetings.size() - 1, (int)fibres.size()); }
template <typename T>
T simd_shuffle_xor(T value, ushort mask) {
  const int me = current;
  uint32_t* slot = slots[exchanges[me]++ & 1];
  std::memcpy(&slot[me], &value, 4);
  meet(me / 32, 32);
  std::memcpy(&value, &slot[me ^ mask], 4);
  return value;
}
// The words of every thread of the SIMD group, in the order of its threads: kernels do it with 31 exchanges of a word.
#define EXCHANGE_ALL exchange_all
static thread_local uint32_t wide_slots[2][4096];
inline void exchange_all(const uint32_t* mine, int count, uint32_t* all) {
  const int me = current;
  uint32_t* slot = wide_slots[exchanges[me]++ & 1];
  std::memcpy(&slot[me * 4], mine, count * 4);
  meet(me / 32, 32);
  for (int lane = 0; lane < 32; lane++) std::memcpy(&all[lane * count], &slot[(me / 32 * 32 + lane) * 4], count * 4);
}
// The sums of `value += simd_shuffle_xor(value, mask)` for 16, 8, 4, 2, 1, to the bit, with one exchange.
inline float simd_sum(float value) {
  const int me = current;
  uint32_t* slot = slots[exchanges[me]++ & 1];
  std::memcpy(&slot[me], &value, 4);
  meet(me / 32, 32);
  float sums[32];
  std::memcpy(sums, &slot[me / 32 * 32], sizeof sums);
  for (int half = 16; half > 0; half >>= 1)
    for (int lane = 0; lane < half; lane++) sums[lane] += sums[lane + half];
  return sums[0];
}
// For kernels whose groups wait for each other: such groups run at once, each in a thread of the system.
inline uint32_t groups_count(uint32_t* counter) { return __atomic_fetch_add(counter, 1u, __ATOMIC_SEQ_CST); }
inline void groups_meet(uint32_t* counter, uint32_t expected) {
  groups_count(counter);
  const auto begin = std::chrono::steady_clock::now();
  int turns = 0;
  while (__atomic_load_n(counter, __ATOMIC_SEQ_CST) < expected) {
    if (++turns < 16)
      sched_yield();
    else  // who only yields takes a whole core while the others work
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(60)) {
      std::fprintf(stderr, "groups wait for each other for ever: a meeting that not all come to\n");
      std::abort();
    }
  }
}
// Some warps of a group, the first ones, wait for each other and not for the rest.
static thread_local Meeting of_first_warps;
inline void warps_meet(int warps) {
  const long round = of_first_warps.round;
  if (++of_first_warps.arrived == warps * 32) {
    of_first_warps.arrived = 0;
    of_first_warps.round++;
    waiting_since = 0;
    return;
  }
  while (of_first_warps.round == round) pause_fibre();
}
// A gate opens each time that so many have arrived. Copies are done at once here.
inline void gate_make(uint64_t* gate, int arrivals) { *gate = (uint64_t)arrivals << 48; }
inline void gate_arrive(uint64_t* gate, int lane) {
  meet(current / 32, 32);
  if (lane != 0) return;
  *gate += 1ull << 32;
  if ((*gate >> 48) == (*gate >> 32 & 0xffff)) *gate = (*gate & 0xffff0000ffffffffull) + 1;
  waiting_since = 0;
}
inline void gate_wait(uint64_t* gate, uint32_t parity) {
  while ((*gate & 1) == parity) pause_fibre();
}
static thread_local void (*body)();
static void enter() {
  body();
  fibres[current].done = true;
  pause_fibre();
}
static void run_group(int threads, void (*function)()) {
  body = function;
  fibres.resize(threads);
  meetings.assign(threads / 32 + 1, Meeting());
  of_first_warps = Meeting();
  exchanges.assign(threads, 0);
  for (auto& fibre : fibres) {
    fibre.done = fibre.begun = false;
    fibre.stack.resize(65536);
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.stack.data();
    fibre.context.uc_stack.ss_size = fibre.stack.size();
    fibre.context.uc_link = nullptr;
    makecontext(&fibre.context, enter, 0);
  }
  static thread_local int left;  // a jump may forget locals
  left = threads;
  waiting_since = 0;
  while (left > 0) {
    for (current = 0; current < (int)fibres.size(); current++) {
      if (fibres[current].done) continue;
      if (STOP_AT(scheduler) == 0) {
        if (fibres[current].begun) enter_fibre();
        fibres[current].begun = true;
        setcontext(&fibres[current].context);
      }
      if (fibres[current].done) {
        left--;
        waiting_since = 0;
      }
    }
    if (++waiting_since > 8) {
      std::fprintf(stderr, "threads wait for each other for ever: a barrier that not all reach\n");
      std::abort();
    }
  }
}
