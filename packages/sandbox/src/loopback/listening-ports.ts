// Reads at which addresses and ports programs listen in the network of a process, from the kernel's own list.
import { readFileSync } from "node:fs";
import { endianness } from "node:os";

export interface ListeningPort {
  readonly address: string;
  readonly port: number;
}

/** Empty where the process is gone. */
export function listeningPorts(pid: number): readonly ListeningPort[] {
  return ["tcp", "tcp6"].flatMap((list) => parseListening(readList(`/proc/${pid}/net/${list}`)));
}

const listening = "0A";

/** The text of /proc/net/tcp or tcp6: one line for each socket, with its address, its port and its state in hexadecimal digits. */
export function parseListening(text: string): readonly ListeningPort[] {
  return text.split("\n").flatMap((line) => {
    const [, address, port, state] =
      /^\s*\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) \S+ ([0-9A-F]{2}) /.exec(line) ?? [];
    if (address === undefined || port === undefined || state !== listening) return [];
    return [{ address: parseAddress(address), port: Number.parseInt(port, 16) }];
  });
}

/** Each four bytes are written as one number of the machine. */
function parseAddress(digits: string): string {
  const bytes = Buffer.from(digits, "hex");
  if (endianness() === "LE") bytes.swap32();
  if (bytes.length === 4) return [...bytes].join(".");
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16)).join(":");
  return groups.replace(/^0(?::0)*:/, "::").replace(/^::0$/, "::");
}

function readList(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
