// The device nodes that a command may open. All others (disks, cameras, keyboards) reach past every rule about files.
#include "sandbox.h"

const char *const DEVICES[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"};
const int DEVICE_COUNT = sizeof DEVICES / sizeof *DEVICES;
