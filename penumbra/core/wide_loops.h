#pragma once

// Loops that pay for it are compiled once for any x86-64 and once for wider vectors; the dynamic
// linker picks at start, before sanitizers are ready. AVX2 alone brings no fused multiply-add, so
// that PENUMBRA_WIDE gives the same bits on every processor; PENUMBRA_WIDEST may not.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PENUMBRA_WIDE __attribute__((target_clones("avx2", "default")))
#define PENUMBRA_WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PENUMBRA_WIDE
#define PENUMBRA_WIDEST
#endif
