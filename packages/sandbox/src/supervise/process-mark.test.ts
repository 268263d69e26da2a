// A process that is just becoming another program has no environment for a moment. It must not be taken for one without our mark.
import { expect, it } from "vitest";
import { isSurelyEmpty } from "./process-mark.ts";

/** As /proc has it: the name may hold anything, memory is field 23, the place of the environment 50 and 51. */
function stat(memory: number, begin: number, end: number): string {
  const fields = Array.from({ length: 50 }, () => "7");
  fields[20] = String(memory);
  fields[47] = String(begin);
  fields[48] = String(end);
  return `42 (a) b (c) R ${fields.slice(1).join(" ")}\n`;
}

it.each([
  ["a thread of the kernel, or a process that ends", stat(0, 0, 0), true],
  ["a program that was started without any variable", stat(2_000_000, 5000, 5000), true],
  ["a program whose memory was just replaced", stat(2_000_000, 0, 0), false],
  ["a program whose environment is being placed", stat(2_000_000, 0, 5000), false],
  ["a program that was replaced between opening and reading", stat(2_000_000, 5000, 6000), false],
])("no environment could be read: %s", (_what, line, expected) => expect(isSurelyEmpty(line)).toBe(expected));
