// Defines the host's errors. Codes are stable; messages are for people.
export { HostError } from "@signalbox/protocol";

/** The host cannot start at all; the message is the whole explanation. */
export class StartError extends Error {
  override readonly name = "StartError";
}
