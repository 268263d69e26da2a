// `hold`: keeps the loopback of a session, which all its commands share, for as long as the session lasts. A server that one command starts
// is reached by the next one, and by no one else: the loopback is a network of its own. Who may open the holder's unix socket gives it orders:
// to let a command in, to make a socket, or to carry bytes to a port. `serve` starts it, as it starts commands.
#define _GNU_SOURCE
#include "sandbox.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

// An order is four bytes: what is wanted, and a number for it, its higher byte first.
enum wanted { WANTS_NETWORK = 'n', WANTS_SOCKET = 's', WANTS_PORT = 'p' };
struct order {
  uint8_t wanted, domain;
  uint16_t number; // the kind of socket, or the port
};

static int spaces[2]; // the network, and the user namespace that owns it

// On a loopback an answer comes immediately, unless the server does not take connections any more.
static int dial_port(uint16_t port) {
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  const struct timeval timeout = {.tv_usec = 250000};
  for (int i = 0; i < 2; i++) {
    int line = socket(i == 0 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line < 0) continue;
    setsockopt(line, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    const struct sockaddr *address = i == 0 ? (const struct sockaddr *)&four : (const struct sockaddr *)&six;
    if (connect(line, address, i == 0 ? sizeof four : sizeof six) == 0) {
      fcntl(line, F_SETFL, O_NONBLOCK);
      return line;
    }
    close(line);
  }
  return -1;
}

static bool give_socket(int caller, const struct order *order) {
  if (order->domain != AF_INET && order->domain != AF_INET6) return false;
  int kind = ntohs(order->number);
  if (kind != SOCK_STREAM && kind != SOCK_DGRAM) return false;
  int made = socket(order->domain, kind | SOCK_CLOEXEC, 0);
  bool given = made >= 0 && pass_descriptors(caller, &made, 1);
  if (made >= 0) close(made);
  return given;
}

static enum order_end obey(int caller, int *inner) {
  struct order order;
  if (read(caller, &order, sizeof order) != (ssize_t)sizeof order) return ORDER_DONE;
  switch (order.wanted) {
    case WANTS_NETWORK:
      pass_descriptors(caller, spaces, spaces[1] < 0 ? 1 : 2);
      return ORDER_DONE;
    case WANTS_SOCKET:
      return give_socket(caller, &order) ? ORDER_MORE : ORDER_DONE;
    case WANTS_PORT:
      *inner = dial_port(ntohs(order.number));
      return *inner >= 0 && write(caller, "+", 1) == 1 ? ORDER_CARRY : ORDER_DONE;
    default:
      return ORDER_DONE;
  }
}

static int listen_for_orders(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (strlen(path) >= sizeof address.sun_path) errno = ENAMETOOLONG;
  if (listener >= 0 && strlen(path) < sizeof address.sun_path) {
    strcpy(address.sun_path, path);
    unlink(path);
    umask(0177); // before it is there: only this user may give orders
    if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 128) == 0) return listener;
  }
  return -1;
}

int hold(struct plan *plan, int lifeline) {
  uid_t uid = geteuid();
  gid_t gid = getegid();
  signal(SIGPIPE, SIG_IGN);
  setsid(); // a Ctrl-C in the parent's terminal is the parent's to deal with
  // Made before the network is: to the commands in it, it is a socket of the machine, and closed.
  int orders = listen_for_orders(plan->loopback);
  if (orders < 0) fail("cannot listen at %s", plan->loopback);
  if (uid != 0 && unshare(CLONE_NEWUSER) != 0) fail("cannot make a user namespace");
  if (uid != 0) enter_user_namespace(uid, gid);
  if (!enter_private_network()) fail("cannot make a private network");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  spaces[0] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  spaces[1] = uid == 0 ? -1 : open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
  int *listeners = calloc((size_t)plan->proxy_count + 1, sizeof *listeners);
  if (spaces[0] < 0 || (uid != 0 && spaces[1] < 0) || listeners == NULL) fail("cannot open the network");
  for (int i = 0; i < plan->proxy_count; i++) listeners[i] = listen_at(&plan->proxy_places[i]);
  report("ready %d", getpid());
  carry(&(struct carrying){.plan = plan, .listeners = listeners, .orders = orders, .lifeline = lifeline, .obey = obey});
  unlink(plan->loopback);
  return 0;
}

// --- for commands of the session -----------------------------------------------------------------------------------

static int send_order(int holder, struct order order, int *descriptors, int count) {
  if (send(holder, &order, sizeof order, MSG_NOSIGNAL) != (ssize_t)sizeof order) return -1;
  return receive_descriptors(holder, descriptors, count);
}

// A line to the holder; -1 when it is gone. A holder that does not answer counts as gone.
int call_holder(const struct plan *plan) {
  const struct timeval timeout = {.tv_sec = 10};
  int holder = dial_socket(plan->loopback);
  if (holder >= 0) setsockopt(holder, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  return holder;
}

// Puts this process into the session's network, and for a normal user into the user namespace that owns it, without which the kernel
// does not let us in. False when the holder is gone.
bool join_session(const struct plan *plan) {
  int received[2] = {-1, -1}, holder = call_holder(plan);
  if (holder < 0) return false;
  int count = send_order(holder, (struct order){.wanted = WANTS_NETWORK}, received, 2);
  close(holder);
  bool joined = count >= 1 && (geteuid() == 0 || (count == 2 && setns(received[1], CLONE_NEWUSER) == 0)) &&
                setns(received[0], CLONE_NEWNET) == 0;
  for (int i = 0; i < 2; i++)
    if (received[i] >= 0) close(received[i]);
  return joined;
}

// A socket of the session's loopback; -1 when there is none.
int session_socket(int holder, int domain, int kind) {
  int made = -1;
  struct order order = {.wanted = WANTS_SOCKET, .domain = (uint8_t)domain, .number = htons((uint16_t)kind)};
  return send_order(holder, order, &made, 1) == 1 ? made : -1;
}
