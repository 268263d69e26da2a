// Which socket files have a listener in this network namespace: the kernel's own list, asked over netlink.
#define _GNU_SOURCE
#include "sandbox.h"
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NETLINK_SOCK_DIAG 4
#define SOCK_DIAG_BY_FAMILY 20
#define LISTENING (1u << 10)
#define SHOW_FILE 0x2u
#define FILE_ATTRIBUTE 1
#define DUMP 0x301 // request, from the root, all matches
#define LAST_MESSAGE 3
#define ERROR_MESSAGE 2
#define ALIGN(length) (((length) + 3u) & ~3u)

struct message_header {
  uint32_t length;
  uint16_t type, flags;
  uint32_t sequence, port;
};
struct diag_request {
  struct message_header header;
  uint8_t family, protocol;
  uint16_t pad;
  uint32_t states, inode, show, cookie[2];
};
struct diag_answer {
  uint8_t family, type, state, pad;
  uint32_t inode, cookie[2];
};
struct attribute {
  uint16_t length, type;
};

static bool names_file(const char *attributes, uint32_t length, uint32_t file) {
  for (uint32_t at = 0; at + sizeof(struct attribute) <= length;) {
    struct attribute attribute;
    uint32_t number;
    memcpy(&attribute, attributes + at, sizeof attribute);
    if (attribute.length < sizeof attribute || at + attribute.length > length) return false;
    if (attribute.type == FILE_ATTRIBUTE && attribute.length >= sizeof attribute + sizeof number) {
      memcpy(&number, attributes + at + sizeof attribute, sizeof number);
      return number == file;
    }
    at += ALIGN(attribute.length);
  }
  return false;
}

// True when the list ends; `found` says whether the file was in it.
static bool read_messages(const char *buffer, uint32_t length, uint32_t file, bool *found) {
  for (uint32_t at = 0; at + sizeof(struct message_header) <= length;) {
    struct message_header header;
    memcpy(&header, buffer + at, sizeof header);
    if (header.type == LAST_MESSAGE || header.type == ERROR_MESSAGE) return true;
    if (header.length < sizeof header || at + header.length > length) return true;
    uint32_t start = sizeof header + sizeof(struct diag_answer);
    if (header.length > start && names_file(buffer + at + start, header.length - start, file)) *found = true;
    at += ALIGN(header.length);
  }
  return false;
}

// The list knows the lower half of a file's number and not its file system, so it can only rule out.
bool listens_in_this_network(ino_t file) {
  int list = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (list < 0) return false;
  struct diag_request request = {
      .header = {.length = sizeof request, .type = SOCK_DIAG_BY_FAMILY, .flags = DUMP},
      .family = AF_UNIX,
      .states = LISTENING,
      .show = SHOW_FILE,
  };
  static char buffer[32768];
  bool found = false;
  if (send(list, &request, sizeof request, 0) == (ssize_t)sizeof request)
    for (ssize_t got; (got = recv(list, buffer, sizeof buffer, 0)) > 0;)
      if (read_messages(buffer, (uint32_t)got, (uint32_t)file, &found)) break;
  close(list);
  return found;
}
