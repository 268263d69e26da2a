// `run`: one command under the plan. Three processes: this one, which the parent knows and which passes the output on,
// keeps the limits and dies with its parent; in namespaces a first process (pid 1); and the command.
#define _GNU_SOURCE
#include "sandbox.h"
#include "kernel.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WATCH_INTERVAL 100 // milliseconds between two looks at the size of the tree
#define ASK_INTERVAL 5     // and at guarded paths, where they cannot be watched

struct command_start {
  struct plan *plan;
  int output;
  pid_t supervisor, starter, host; // starter: the supervisor's parent, which may be the host itself
  int listener; // set by the command for the first process: they share memory and descriptors until the exec
};

static int become_command(void *argument) {
  struct command_start *start = argument;
  struct plan *plan = start->plan;
  if (start->supervisor != 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != start->supervisor) _exit(125);
  }
  if (setsid() < 0) fail("cannot start a session");
  if (!plan->own_streams && (dup2(start->output, 1) < 0 || dup2(start->output, 2) < 0))
    fail("cannot connect the output");
  // Whatever descriptor came along by accident would be a way around every rule about paths.
  if (syscall(SYS_close_range, 3, ~0u, K_CLOSE_RANGE_CLOEXEC) != 0) fail("cannot close descriptors");
  if (chdir(plan->working_folder) != 0) fail("cannot enter %s", plan->working_folder);
  limit_resources(plan);
  if (plan->layer != LAYER_NONE) {
    drop_privileges();
    restrict_files(plan);
    start->listener = restrict_calls(plan, (pid_t[]){start->supervisor, start->starter, start->host}, 3);
  }
  release_signals();
  execvp(plan->command[0], plan->command);
  fail("cannot run %s", plan->command[0]);
}

// Like vfork: nothing is copied, and the caller waits until the command has its own program. `shared` lets it see the
// descriptors that the command opens meanwhile.
static pid_t start_command(struct command_start *start, int shared) {
  static char stack[512 * 1024] __attribute__((aligned(16)));
  return clone(become_command, stack + sizeof stack, CLONE_VM | CLONE_VFORK | shared | SIGCHLD, start);
}

// True once the child itself has ended; orphans are collected on the way.
static bool collect(pid_t child, int *status) {
  for (pid_t reaped; (reaped = waitpid(-1, status, WNOHANG)) > 0;)
    if (reaped == child) return true;
  return false;
}

// Without a limit on the tree there is no need to look at it, and nothing has to wake us.
static bool has_limits(const struct plan *plan) { return plan->memory != 0 || plan->processes != 0; }

// Which limit the tree has outgrown, as a report, or NULL. By the clock and not by idleness: a command must not be able to
// put the look off by keeping us busy.
static const char *outgrown_limit(const struct plan *plan) {
  static char message[64];
  if (!has_limits(plan)) return NULL;
  static int64_t next;
  struct timespec clock;
  clock_gettime(CLOCK_MONOTONIC, &clock);
  int64_t now = clock.tv_sec * 1000 + clock.tv_nsec / 1000000;
  if (next == 0) next = now + WATCH_INTERVAL;
  if (now < next) return NULL;
  struct tree_size size = measure_descendants();
  next = now + WATCH_INTERVAL;
  if (plan->memory != 0 && size.memory > plan->memory)
    snprintf(message, sizeof message, "limit memory %llu", (unsigned long long)plan->memory);
  else if (plan->processes != 0 && size.processes > plan->processes)
    snprintf(message, sizeof message, "limit processes %llu", (unsigned long long)plan->processes);
  else
    return NULL;
  return message;
}

static void report_end(int status) {
  if (WIFSIGNALED(status))
    report("signal %d", WTERMSIG(status));
  else
    report("exit %d", WEXITSTATUS(status));
}

// Standard error stays where it is the only place to say why the program ended.
static void close_streams(const struct plan *plan) {
  for (int stream = 0; stream <= (plan->same_end ? 1 : 2); stream++) close(stream);
}

// Signals for the command: TERM always, the others where its parent watches it as its own child.
static void pass_signals_to(const struct plan *plan, pid_t target) {
  for (int i = 0; i < (plan->same_end ? FORWARDED_COUNT : 1); i++)
    if (take_signal(FORWARDED[i])) kill(target, FORWARDED[i]);
}

// In a shared loopback the holder has the proxy.
static bool has_own_proxy(const struct plan *plan) { return plan->network == NETWORK_BY_NAME && plan->loopback == NULL; }

// The first process of the namespaces: makes the view, starts the command, collects orphans. When it ends, the kernel
// ends all others. It reports the end itself, before the kernel takes the namespaces apart, for which no one needs to wait.
__attribute__((noreturn)) static void become_first(struct plan *plan, int output, int supervisor, uid_t uid, gid_t gid) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct pollfd alive = {.fd = supervisor, .events = POLLIN};
  if (poll(&alive, 1, 0) != 0) _exit(125); // the supervisor died before the line above could take effect
  if (uid != 0) enter_user_namespace(uid, gid);
  if (plan->loopback != NULL && plan->network != NETWORK_ON) stay_in_this_network();
  if (has_own_proxy(plan)) open_proxy_places(plan);
  if (plan->holder >= 0) reach_session(plan->holder);
  build_view(plan);
  watch_for_breaches(plan);
  struct command_start command = {.plan = plan, .output = output, .listener = -1};
  pid_t pid = start_command(&command, CLONE_FILES);
  if (pid < 0) fail("cannot start a process");
  close(output);
  close_streams(plan); // the command's now, in whose place they were put while descriptors were shared
  int status = 0;
  const char *limit = NULL, *breached = NULL;
  enum breach breach = NO_BREACH;
  while (!collect(pid, &status) && (limit = outgrown_limit(plan)) == NULL && breach == NO_BREACH) {
    struct pollfd events[] = {{.fd = command.listener, .events = POLLIN}, {.fd = breach_watch(), .events = POLLIN}};
    int ready = poll_for(events, 2, must_ask_for_breach() ? ASK_INTERVAL : has_limits(plan) ? WATCH_INTERVAL : -1);
    pass_signals_to(plan, -pid);
    if ((ready > 0 && events[1].revents != 0) || must_ask_for_breach()) breach = find_breach(&breached);
    if (ready > 0 && events[0].revents != 0) {
      if (events[0].revents & POLLIN)
        answer_socket_call(command.listener);
      else
        command.listener = -1; // no process is left that could call
    }
  }
  if (has_failed()) _exit(125);
  kill(-1, SIGKILL); // what the command left behind ends with it
  while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) continue;
  if (breach == NO_BREACH) breach = find_breach(&breached);
  if (breach == BREACH_MADE) remove_forbidden();
  keep_end(breach != NO_BREACH ? SIGKILL : status);
  if (breach == BREACH_MADE && plan->same_end)
    explain_end("ended, because it made %s, which programs outside would obey", breached);
  if (breach == BREACH_REPLACED && plan->same_end)
    explain_end("ended, because another program replaced %s, which is not protected any more then", breached);
  if (breach != NO_BREACH)
    report("%s %s", breach == BREACH_MADE ? "made" : "replaced", breached);
  else if (limit != NULL)
    report("%s", limit);
  else
    report_end(status);
  _exit(0);
}

static pid_t start(struct plan *plan, int output, pid_t host) {
  pid_t supervisor = getpid();
  uid_t uid = geteuid();
  gid_t gid = getegid();
  if (plan->layer != LAYER_NAMESPACES) {
    struct command_start command = {
        .plan = plan, .output = output, .supervisor = supervisor, .starter = getppid(), .host = host};
    return start_command(&command, 0);
  }
  int alive = (int)syscall(SYS_pidfd_open, supervisor, 0);
  if (alive < 0 || (has_own_proxy(plan) && start_carrier(plan) != 0)) return -1;
  long flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | SIGCHLD | (uid == 0 ? 0 : CLONE_NEWUSER);
  pid_t first = (pid_t)syscall(SYS_clone, flags, 0, 0, 0, 0);
  if (first == 0) become_first(plan, output, alive, uid, gid);
  close(alive);
  if (has_own_proxy(plan)) close(plan->proxy_pair);
  if (plan->holder >= 0) close(plan->holder);
  return first;
}

// Moves output from the command's pipe to the parent. The command gets a real pipe because the parent's descriptor is
// usually a socket, and `echo x > /dev/stderr` does not work on sockets.
struct pump {
  int from;
  char buffer[65536];
  size_t used, sent;
};

// False once nothing more can come or the parent does not read any more.
static bool pump_once(struct pump *pump) {
  if (pump->sent == pump->used) {
    ssize_t got = read(pump->from, pump->buffer, sizeof pump->buffer);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
    pump->sent = 0;
    pump->used = got < 0 ? 0 : (size_t)got;
  }
  if (pump->sent == pump->used) return true;
  ssize_t put = write(OUTPUT, pump->buffer + pump->sent, pump->used - pump->sent);
  if (put < 0 && errno != EAGAIN && errno != EINTR) return false;
  if (put > 0) pump->sent += (size_t)put;
  return true;
}

static void end_tree(const struct plan *plan, pid_t child) {
  if (plan->layer == LAYER_NAMESPACES) {
    kill(child, SIGKILL); // the first process: the kernel ends the namespace with it and waits for the last to go
    waitpid(child, NULL, 0);
  }
  kill_descendants();
}

// With the network on, the command stays in the machine's and only has a line to the holder. False when the holder is gone.
static bool reach_loopback(struct plan *plan) {
  if (plan->loopback == NULL) return true;
  if (plan->network != NETWORK_ON) return join_session(plan);
  plan->holder = call_holder(plan);
  return plan->holder >= 0;
}

int run(struct plan *plan, pid_t host) {
  const int parent_died = SIGRTMIN + 1;
  int caught[FORWARDED_COUNT + 3] = {SIGCHLD, SIGPIPE, parent_died, SIGTERM};
  int caught_count = plan->same_end ? FORWARDED_COUNT + 3 : 4;
  memcpy(caught + 3, FORWARDED, sizeof FORWARDED); // TERM is the first of them
  static struct pump pump;
  int ends[2] = {-1, -1}, status = 0;
  catch_signals(caught, caught_count);
  bool has_session = reach_loopback(plan);
  prctl(PR_SET_PDEATHSIG, parent_died); // after the change of namespaces, which could undo it
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (!has_session) {
    const char *reason = "the loopback that this session shares is gone; try again";
    if (plan->same_end) explain_end("%s", reason);
    report("error %s", reason);
    return 125;
  }
  if (!plan->own_streams && pipe2(ends, O_CLOEXEC) != 0) return 125;
  pid_t child = start(plan, ends[1], host);
  if (child < 0) {
    if (plan->same_end) explain_end("cannot start a process: %s", strerror(errno));
    report("error cannot start a process: %s", strerror(errno));
    return 125;
  }
  if (plan->own_streams) {
    close_streams(plan);
  } else {
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(OUTPUT, F_SETFL, O_NONBLOCK);
    pump.from = ends[0];
  }
  bool running = true, output_open = !plan->own_streams;
  while (running || output_open) {
    bool waits_for_parent = pump.sent < pump.used;
    struct pollfd events[] = {{.fd = CONTROL, .events = POLLIN},
                              {.fd = !output_open ? -1 : waits_for_parent ? OUTPUT : pump.from,
                               .events = waits_for_parent ? POLLOUT : POLLIN}};
    bool watching = running && plan->layer != LAYER_NAMESPACES; // there the first process watches
    int ready = poll_for(events, 2, watching && has_limits(plan) ? WATCH_INTERVAL : -1);
    bool parent_wants_end = take_signal(parent_died) || (ready > 0 && events[0].revents != 0);
    const char *limit = watching ? outgrown_limit(plan) : NULL;
    if (parent_wants_end || limit != NULL) {
      if (running) end_tree(plan, child);
      report("%s", limit != NULL ? limit : "killed");
      return plan->same_end ? 137 : 0;
    }
    if (running) pass_signals_to(plan, plan->layer == LAYER_NAMESPACES ? child : -child); // there the first process passes it on
    if (ready > 0 && events[1].revents != 0 && !pump_once(&pump)) {
      output_open = false;
      close(OUTPUT); // the parent knows immediately that no more will come
    }
    if (running && take_signal(SIGCHLD) && collect(child, &status)) {
      running = false;
      if (plan->carrier != 0) kill(plan->carrier, SIGKILL); // before the next line looks for it
      kill_descendants(); // what the command left behind ends with it
    }
  }
  bool first_ended = plan->layer == LAYER_NAMESPACES && !WIFSIGNALED(status);
  if (has_failed() && plan->same_end) explain_failure();
  if (has_failed())
    report_failure();
  else if (plan->layer != LAYER_NAMESPACES || WIFSIGNALED(status)) // else the first process has reported
    report_end(status);
  if (!plan->same_end) return 0;
  return has_failed() ? 125 : end_like(first_ended ? kept_end() : status);
}
