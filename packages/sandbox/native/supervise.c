// `supervise`: one program without limits, with the promise that all its descendants end when it ends, when it is told
// to, or when the parent is gone. Its standard streams and its signals pass through untouched.
#define _GNU_SOURCE
#include "sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void become_program(char **command, pid_t supervisor) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(125);
  setsid();
  release_signals();
  execvp(command[0], command);
  fprintf(stderr, "signalbox-sandbox: cannot run %s: %s\n", command[0], strerror(errno));
  _exit(errno == ENOENT ? 127 : 126);
}

// Ends as the program did, so that the parent sees the same exit code or signal.
int end_like(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  struct rlimit none = {0};
  setrlimit(RLIMIT_CORE, &none);
  signal(WTERMSIG(status), SIG_DFL);
  release_signals();
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

int supervise(int lifeline, char **command) {
  const int parent_died = SIGRTMIN + 1; // a signal that is not forwarded
  int caught[FORWARDED_COUNT + 2] = {SIGCHLD, parent_died};
  for (int i = 0; i < FORWARDED_COUNT; i++) caught[i + 2] = FORWARDED[i];
  catch_signals(caught, FORWARDED_COUNT + 2);
  prctl(PR_SET_PDEATHSIG, parent_died);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (lifeline >= 0) fcntl(lifeline, F_SETFD, FD_CLOEXEC);
  pid_t supervisor = getpid();
  pid_t program = fork();
  if (program < 0) {
    fprintf(stderr, "signalbox-sandbox: cannot start a process: %s\n", strerror(errno));
    return 125;
  }
  if (program == 0) become_program(command, supervisor);
  for (int status;;) {
    struct pollfd parent = {.fd = lifeline, .events = POLLIN};
    int ready = poll_for(&parent, 1, -1);
    if (ready > 0 || take_signal(parent_died)) {
      kill_descendants();
      return 137;
    }
    for (int i = 0; i < FORWARDED_COUNT; i++)
      if (take_signal(FORWARDED[i])) kill(-program, FORWARDED[i]);
    if (!take_signal(SIGCHLD)) continue;
    for (pid_t reaped; (reaped = waitpid(-1, &status, WNOHANG)) > 0;)
      if (reaped == program) {
        kill_descendants();
        return end_like(status);
      }
  }
}
