// Moves the wall clock of a process, and of all processes that it starts, by the seconds in the file $SIGNALBOX_FAULTS_CLOCK (an int64), while they run.
// For LD_PRELOAD. Timers are not moved: they use the monotonic clock, as they do when a person sets the clock of a machine.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t none = 0;
static const volatile int64_t *shift = &none;
static int (*read_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
  read_clock = dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("SIGNALBOX_FAULTS_CLOCK");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) shift = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  if (read_clock == NULL) begin();
  int result = read_clock(clock, at);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += *shift;
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at != NULL) *at = now.tv_sec;
  return now.tv_sec;
}
