// @signalbox/base: small things that every package may use.
export { guard } from "./guard.ts";
export { messageOf } from "./message-of.ts";
export { SerialQueue } from "./serial-queue.ts";
