// The worker's side of long-lines.ts: reads each line that it is sent, and sends back what became of it.
import { parentPort } from "node:worker_threads";
import { readLongLine } from "@signalbox/tinyvex";

parentPort?.on("message", ({ buffer, length }: Uint8Array<ArrayBuffer>) => {
  const read = readLongLine(Buffer.from(buffer, 0, length));
  const usesBytes =
    read.type === "refused" ||
    (read.type === "message" && read.lifted.texts.some(({ bytes }) => bytes.buffer === buffer));
  parentPort?.postMessage(read, usesBytes ? [buffer] : []);
});
