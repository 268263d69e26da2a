// Signals as flags: they stay blocked except while a loop polls, so that none is lost between looking and waiting.
#define _GNU_SOURCE
#include "sandbox.h"
#include <signal.h>
#include <time.h>

const int FORWARDED[FORWARDED_COUNT] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

static volatile sig_atomic_t arrived[65];
static sigset_t before;

static void mark_arrived(int signal) { arrived[signal] = 1; }

void catch_signals(const int *signals, int count) {
  sigset_t caught;
  sigemptyset(&caught);
  struct sigaction action = {.sa_handler = mark_arrived};
  for (int i = 0; i < count; i++) {
    sigaddset(&caught, signals[i]);
    sigaction(signals[i], &action, NULL);
  }
  sigprocmask(SIG_BLOCK, &caught, &before);
}

bool take_signal(int signal) {
  bool was = arrived[signal];
  arrived[signal] = 0;
  return was;
}

// Waits for a descriptor, a caught signal, or the time; a negative time waits for ever.
int poll_for(struct pollfd *descriptors, int count, int milliseconds) {
  struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = (milliseconds % 1000) * 1000000L};
  return ppoll(descriptors, (nfds_t)count, milliseconds < 0 ? NULL : &time, &before);
}

// For a child before it runs its program; exec itself puts the handlers back.
void release_signals(void) { sigprocmask(SIG_SETMASK, &before, NULL); }
