// Carries bytes between a private loopback and the outside. What connects at a place of the loopback is taken to the proxy's unix
// socket; for a place that stands for a host, the proxy is asked for that host first. It reads nothing of what passes; the proxy decides.
// The holder of a session's loopback also takes orders, which hold.c obeys.
#define _GNU_SOURCE
#include "sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_CONNECTIONS 256
#define KEPT_FREE 32 // for orders: programs that open many connections must not keep the next command from starting
#define BUFFER 65536
#define MAX_ANSWER 4096 // of the proxy, about a host

// One direction of a connection.
struct flow {
  size_t used, sent;
  bool ended, closed; // nothing more comes; the other side knows
  char bytes[BUFFER];
};

// Asking: the proxy has not answered about the host yet. Ordering: the one outside has not said what it wants yet.
enum state { FREE, ASKING, ORDERING, OPEN };

struct connection {
  enum state state;
  int inner, outer;
  struct flow out, in;
};

int dial_socket(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (line >= 0 && connect(line, (struct sockaddr *)&address, sizeof address) == 0) return line;
  if (line >= 0) close(line);
  return -1;
}

static void hang_up(struct connection *connection) {
  if (connection->inner >= 0) close(connection->inner);
  if (connection->outer >= 0) close(connection->outer);
  connection->state = FREE;
}

static void begin(struct connection *connection, enum state state, int inner, int outer) {
  connection->state = state;
  connection->inner = inner;
  connection->outer = outer;
  for (struct flow *flow = &connection->out; flow != NULL; flow = flow == &connection->out ? &connection->in : NULL)
    flow->used = flow->sent = 0, flow->ended = flow->closed = false;
}

static void accept_at(const struct plan *plan, int listener, const struct proxy_place *place, struct connection *connection) {
  int inner = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (inner < 0) return;
  int outer = dial_socket(plan->proxy);
  if (outer < 0) {
    close(inner);
    return;
  }
  fcntl(outer, F_SETFL, O_NONBLOCK);
  begin(connection, place->target == NULL ? OPEN : ASKING, inner, outer);
  if (place->target == NULL) return;
  const char *words = "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n";
  connection->out.used = (size_t)snprintf(connection->out.bytes, BUFFER, words, place->target, place->target);
}

static void accept_order(int listener, struct connection *connection) {
  int outer = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (outer >= 0) begin(connection, ORDERING, -1, outer);
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
  connection->state = OPEN;
  return in->sent > 12 && memcmp(in->bytes, "HTTP/1.1 200", 12) == 0;
}

static bool follow_order(struct connection *connection, const struct carrying *carrying) {
  switch (carrying->obey(connection->outer, &connection->inner)) {
    case ORDER_MORE:
      return true;
    case ORDER_CARRY:
      connection->state = OPEN;
      return true;
    default:
      return false;
  }
}

static bool serve_connection(struct connection *connection, const struct carrying *carrying, bool from_inner, bool from_outer) {
  if (connection->state == ORDERING) return follow_order(connection, carrying);
  if (connection->state == ASKING) {
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
    if (connections[i].state == FREE) return &connections[i];
  return NULL;
}

static int count_free(const struct connection *connections) {
  int count = 0;
  for (int i = 0; i < MAX_CONNECTIONS; i++) count += connections[i].state == FREE;
  return count;
}

// A side from which nothing is wanted is left out: its end would wake us for ever.
static struct pollfd wait_for(int side, short events) {
  return (struct pollfd){.fd = events == 0 ? -1 : side, .events = events};
}

static void wait_for_sides(const struct connection *connection, struct pollfd *sides) {
  short inner = 0, outer = 0;
  if (connection->state == OPEN) inner = events_for(&connection->out, &connection->in);
  if (connection->state == OPEN || connection->state == ASKING) outer = events_for(&connection->in, &connection->out);
  if (connection->state == ASKING || connection->state == ORDERING) outer |= POLLIN;
  sides[0] = wait_for(connection->inner, inner);
  sides[1] = wait_for(connection->outer, outer);
}

// Returns when the lifeline ends, or when nothing can be done any more.
void carry(const struct carrying *carrying) {
  const struct plan *plan = carrying->plan;
  const int own = 2, first_side = own + plan->proxy_count, count = first_side + 2 * MAX_CONNECTIONS;
  struct connection *connections = calloc(MAX_CONNECTIONS, sizeof *connections);
  struct pollfd *events = calloc((size_t)count, sizeof *events);
  if (connections == NULL || events == NULL) return;
  for (;;) {
    int free_count = count_free(connections);
    struct pollfd *places = events + own, *sides = events + first_side;
    events[0] = (struct pollfd){.fd = carrying->lifeline, .events = POLLIN};
    events[1] = (struct pollfd){.fd = free_count == 0 ? -1 : carrying->orders, .events = POLLIN};
    for (int i = 0; i < plan->proxy_count; i++)
      places[i] = (struct pollfd){.fd = free_count <= KEPT_FREE ? -1 : carrying->listeners[i], .events = POLLIN};
    for (int i = 0; i < MAX_CONNECTIONS; i++) wait_for_sides(&connections[i], sides + 2 * i);
    if (poll(events, (nfds_t)count, -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (events[0].revents != 0) return;
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
      short inner = sides[2 * i].revents, outer = sides[2 * i + 1].revents;
      const short came = POLLIN | POLLHUP | POLLERR;
      if (inner == 0 && outer == 0) continue;
      if (!serve_connection(&connections[i], carrying, inner & came, outer & came)) hang_up(&connections[i]);
    }
    struct connection *place;
    if (events[1].revents != 0 && (place = free_place(connections)) != NULL) accept_order(carrying->orders, place);
    for (int i = 0; i < plan->proxy_count; i++)
      if (places[i].revents != 0 && (place = free_place(connections)) != NULL)
        accept_at(plan, carrying->listeners[i], &plan->proxy_places[i], place);
  }
}
