// Sets V8 for what the agent does: little memory while it waits for its first prompt, speed from then on.
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Of both halves of the space for new objects. Beyond this a turn gets no faster. */
const maxNewSpace = 8_000_000;

/** Whether the space for new objects may grow. */
let grows = false;
let works = false;

/**
 * There may be many agents, and most of them wait. V8 lets the space for new objects grow to 32 MB while a program loads, and keeps it. Its second
 * of three compilers takes 2 MB when it is first used, its third one 6.5 MB. Tool calls take as long without the second, and streams stay far above
 * what a model writes.
 */
export function saveMemory(): void {
  setGrowth(false);
  setFlagsFromString("--no-maglev");
  setFlagsFromString("--no-turbofan");
}

/** From the first prompt on: what is used often is compiled by the third compiler, and new objects get more space. */
export function beginWork(): void {
  if (works) return;
  works = true;
  setFlagsFromString("--turbofan");
  setGrowth(true);
}

/** To be called now and then during a turn: V8 itself stops only at 32 MB. */
export function boundNewSpace(): void {
  if (!grows) return;
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  if (space === undefined || space.space_size >= maxNewSpace) setGrowth(false);
}

function setGrowth(may: boolean): void {
  grows = may;
  setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`);
}
