/* rustc's ThreadSanitizer calls these three, which GCC's runtime does not have. Its own memcpy, memset and memmove watch for races
   as well. */
#include <string.h>

void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memmove(void *to, const void *from, size_t size);
void *__tsan_memset(void *to, int byte, size_t size);

__attribute__((weak)) void *__tsan_memcpy(void *to, const void *from, size_t size) {
    return memcpy(to, from, size);
}

__attribute__((weak)) void *__tsan_memmove(void *to, const void *from, size_t size) {
    return memmove(to, from, size);
}

__attribute__((weak)) void *__tsan_memset(void *to, int byte, size_t size) {
    return memset(to, byte, size);
}
