// Finds out once per process what this machine's sandbox can do, because proving it takes a moment.
import { type Enforcement, proveEnforcement } from "@signalbox/sandbox";

const proven = new Map<boolean, Promise<Enforcement>>();

/** `off` only from the user's own config. */
export function machineEnforcement(off: boolean): Promise<Enforcement> {
  const known = proven.get(off) ?? proveEnforcement({ off });
  proven.set(off, known);
  return known;
}
