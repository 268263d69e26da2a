// Sets V8 for what the agent does: little memory while it waits for its first prompt, speed from then on.
import { setFlagsFromString } from "node:v8";

/**
 * There may be many agents, and most of them wait. V8 lets the space for new objects grow to 16 MB while a program loads, and keeps it. Its second
 * of three compilers takes 2 MB when it is first used, its third one 6.5 MB. Tool calls take as long without the second, and streams stay far above
 * what a model writes. To collect what is new takes longer with several threads than with one, because the space for it is small: without them
 * a turn of 50 calls takes 5 to 7 % less.
 */
export function saveMemory(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString("--no-maglev");
  setFlagsFromString("--no-turbofan");
}

let works = false;

/** From the first prompt on: what is used often is compiled by the third compiler. */
export function beginWork(): void {
  if (works) return;
  works = true;
  setFlagsFromString("--turbofan");
}
