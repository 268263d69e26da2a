// The door of a network by name. Inside there is nothing but a loopback, with a few listening places on it. A carrier, which
// stays outside, accepts what connects there and takes it to the proxy's unix socket. It reads nothing of what passes; the proxy
// decides. For a place that stands for a host, the carrier asks the proxy for that host first.
#define _GNU_SOURCE
#include "sandbox.h"
#include "kernel.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_CONNECTIONS 256
#define BUFFER 65536
#define MAX_ANSWER 4096 // of the proxy, about a host
#define MAX_PASSED 64 // descriptors in one message; the kernel allows 253

// One direction of a connection.
struct flow {
  size_t used, sent;
  bool ended, closed; // nothing more comes; the other side knows
  char bytes[BUFFER];
};

struct connection {
  int inner, outer;
  bool asking; // the proxy has not answered about the host yet
  struct flow out, in;
};

// --- inside --------------------------------------------------------------------------------------------------------

static int listen_at(const struct door_place *place) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(place->port), .sin_addr = place->address};
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 128) != 0)
    fail("cannot listen on port %u of the private loopback", place->port);
  return listener;
}

static void pass_descriptors(int pair, const int *descriptors, int count) {
  char byte = (char)count, space[CMSG_SPACE(MAX_PASSED * sizeof(int))] = {0};
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space};
  message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
  memcpy(CMSG_DATA(rights), descriptors, (size_t)count * sizeof(int));
  if (sendmsg(pair, &message, 0) != 1) fail("cannot open the door");
}

// For the first process: a network of its own, and the listening places in it, which the carrier gets. A listening socket keeps its
// network, so what connects inside arrives outside.
void open_door(const struct plan *plan) {
  if (!enter_private_network()) fail("cannot make a private network");
  int listeners[MAX_PASSED];
  for (int begin = 0; begin < plan->door_count; begin += MAX_PASSED) {
    int count = plan->door_count - begin < MAX_PASSED ? plan->door_count - begin : MAX_PASSED;
    for (int i = 0; i < count; i++) listeners[i] = listen_at(&plan->doors[begin + i]);
    pass_descriptors(plan->door_pair, listeners, count);
    for (int i = 0; i < count; i++) close(listeners[i]);
  }
  close(plan->door_pair);
}

// --- outside -------------------------------------------------------------------------------------------------------

static int receive_descriptors(int pair, int *descriptors, int most) {
  char byte, space[CMSG_SPACE(MAX_PASSED * sizeof(int))] = {0};
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
  if (recvmsg(pair, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  if (rights == NULL || rights->cmsg_type != SCM_RIGHTS) return -1;
  int count = (int)((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  if (count > most) return -1;
  memcpy(descriptors, CMSG_DATA(rights), (size_t)count * sizeof(int));
  return count;
}

static int dial(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (line >= 0 && connect(line, (struct sockaddr *)&address, sizeof address) == 0) return line;
  if (line >= 0) close(line);
  return -1;
}

static void hang_up(struct connection *connection) {
  close(connection->inner);
  close(connection->outer);
  connection->inner = -1;
}

static void accept_at(const struct plan *plan, int listener, const struct door_place *place, struct connection *connection) {
  int inner = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (inner < 0) return;
  int outer = dial(plan->door);
  if (outer < 0) {
    close(inner);
    return;
  }
  connection->inner = inner;
  connection->outer = outer;
  connection->asking = place->target != NULL;
  for (struct flow *flow = &connection->out; flow != NULL; flow = flow == &connection->out ? &connection->in : NULL)
    flow->used = flow->sent = 0, flow->ended = flow->closed = false;
  if (!connection->asking) return;
  const char *words = "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n";
  connection->out.used = (size_t)snprintf(connection->out.bytes, BUFFER, words, place->target, place->target);
}

// Moves what is there. False when the connection is broken.
static bool move(struct flow *flow, int from, int to, bool may_read) {
  if (may_read && flow->sent == flow->used && !flow->ended) {
    ssize_t got = read(from, flow->bytes, BUFFER);
    if (got < 0 && errno != EAGAIN && errno != EINTR) return false;
    flow->ended = got == 0;
    flow->sent = 0;
    flow->used = got > 0 ? (size_t)got : 0;
  }
  if (flow->sent < flow->used) {
    ssize_t put = write(to, flow->bytes + flow->sent, flow->used - flow->sent);
    if (put < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (put > 0) flow->sent += (size_t)put;
  }
  if (flow->ended && !flow->closed && flow->sent == flow->used) {
    shutdown(to, SHUT_WR);
    flow->closed = true;
  }
  return true;
}

// The proxy's answer about the host ends with an empty line. What follows it came from the host, which may talk first. False when it is no.
static bool read_answer(struct connection *connection) {
  struct flow *in = &connection->in;
  ssize_t got = read(connection->outer, in->bytes + in->used, MAX_ANSWER - in->used);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  in->used += (size_t)got;
  const char *end = memmem(in->bytes, in->used, "\r\n\r\n", 4);
  if (end == NULL) return in->used < MAX_ANSWER;
  in->sent = (size_t)(end - in->bytes) + 4;
  connection->asking = false;
  return in->sent > 12 && memcmp(in->bytes, "HTTP/1.1 200", 12) == 0;
}

static bool serve_connection(struct connection *connection, bool from_inner, bool from_outer) {
  if (connection->asking) {
    if (!move(&connection->out, connection->inner, connection->outer, false)) return false;
    return !from_outer || read_answer(connection);
  }
  if (!move(&connection->out, connection->inner, connection->outer, from_inner)) return false;
  if (!move(&connection->in, connection->outer, connection->inner, from_outer)) return false;
  return !(connection->out.closed && connection->in.closed);
}

// What is waited for on one side: its bytes where the other side has taken all, and room where it has bytes to take.
static short events_for(const struct flow *from, const struct flow *to) {
  short events = 0;
  if (!from->ended && from->sent == from->used) events |= POLLIN;
  if (to->sent < to->used) events |= POLLOUT;
  return events;
}

static struct connection *free_place(struct connection *connections) {
  for (int i = 0; i < MAX_CONNECTIONS; i++)
    if (connections[i].inner < 0) return &connections[i];
  return NULL;
}

static void carry(const struct plan *plan, const int *listeners) {
  struct connection *connections = calloc(MAX_CONNECTIONS, sizeof *connections);
  struct pollfd *events = calloc((size_t)plan->door_count + 2 * MAX_CONNECTIONS, sizeof *events);
  if (connections == NULL || events == NULL) return;
  for (int i = 0; i < MAX_CONNECTIONS; i++) connections[i].inner = -1;
  for (;;) {
    bool is_full = free_place(connections) == NULL;
    struct pollfd *sides = events + plan->door_count;
    for (int i = 0; i < plan->door_count; i++)
      events[i] = (struct pollfd){.fd = is_full ? -1 : listeners[i], .events = POLLIN};
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
      struct connection *each = &connections[i];
      bool open = each->inner >= 0;
      short inner = open && !each->asking ? events_for(&each->out, &each->in) : 0;
      short outer = open ? events_for(&each->in, &each->out) : 0;
      if (open && each->asking) outer |= POLLIN;
      // A side from which nothing is wanted is left out: its end would wake us for ever.
      sides[2 * i] = (struct pollfd){.fd = inner == 0 ? -1 : each->inner, .events = inner};
      sides[2 * i + 1] = (struct pollfd){.fd = outer == 0 ? -1 : each->outer, .events = outer};
    }
    if (poll(events, (nfds_t)(plan->door_count + 2 * MAX_CONNECTIONS), -1) < 0 && errno != EINTR) return;
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
      bool from_inner = sides[2 * i].revents & (POLLIN | POLLHUP | POLLERR);
      bool from_outer = sides[2 * i + 1].revents & (POLLIN | POLLHUP | POLLERR);
      if (sides[2 * i].revents == 0 && sides[2 * i + 1].revents == 0) continue;
      if (!serve_connection(&connections[i], from_inner, from_outer)) hang_up(&connections[i]);
    }
    for (int i = 0; i < plan->door_count; i++) {
      struct connection *place = events[i].revents == 0 ? NULL : free_place(connections);
      if (place != NULL) accept_at(plan, listeners[i], &plan->doors[i], place);
    }
  }
}

// Starts the carrier, before the namespaces are made. It keeps the machine's network and nothing else of what we have open, and ends with us.
int start_carrier(struct plan *plan) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return -1;
  pid_t supervisor = getpid(), carrier = fork();
  if (carrier < 0) return -1;
  if (carrier > 0) {
    close(pair[1]);
    plan->door_pair = pair[0];
    plan->carrier = carrier;
    return 0;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(0);
  signal(SIGPIPE, SIG_IGN);
  release_signals();
  int mine = dup2(pair[1], 0);
  if (mine != 0 || syscall(SYS_close_range, 1, ~0u, 0) != 0) _exit(1);
  int *listeners = calloc((size_t)plan->door_count, sizeof *listeners);
  for (int have = 0, got; listeners != NULL && have < plan->door_count; have += got) {
    got = receive_descriptors(mine, listeners + have, plan->door_count - have);
    if (got <= 0) _exit(1);
  }
  if (listeners != NULL) carry(plan, listeners);
  _exit(1);
}
