// A line of an agent as a message. What a tool showed can be tens of megabytes in one string, which the register takes from the line itself:
// such a string is not parsed, so that it is in memory once.
import { randomBytes } from "node:crypto";
import { isJsonObject } from "@signalbox/protocol";
import { sliceParams } from "@signalbox/tinyvex";

/** Shorter lines are parsed as they are: nothing is gained. */
const longLine = 1024 * 1024;
const longLiteral = 64 * 1024;
/** Stands for a string that was left out; no agent can guess it. */
const leftOut = `\ue003${randomBytes(12).toString("hex")}`;

/** Agents print other things on stdout now and then; a line that is no JSON object is no message. */
export function parseLine(line: string): Record<string, unknown> | null {
  return (line.length > longLine ? parseAbridged(line) : null) ?? parseWhole(line);
}

function parseWhole(line: string): Record<string, unknown> | null {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === "object" && message !== null && !Array.isArray(message)
      ? (message as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Null unless all that was left out is what a tool showed, and the register has it from the line: everything else is needed whole. */
function parseAbridged(line: string): Record<string, unknown> | null {
  const sliced = sliceParams(line);
  if (sliced === null) return null;
  let abridged = "";
  let done = 0;
  for (const token of sliced.strings) {
    if (token.end - token.start < longLiteral) continue;
    abridged += line.slice(done, sliced.start + token.start) + leftOut;
    done = sliced.start + token.end;
  }
  const message = done === 0 ? null : parseWhole(abridged + line.slice(done));
  if (message === null || !isJsonObject(message.params) || !isJsonObject(message.params.update)) return null;
  const { content: _content, rawOutput: _output, ...update } = message.params.update;
  if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") return null;
  const needed = { ...message, params: { ...message.params, update } };
  return JSON.stringify(needed).includes(leftOut) ? null : message;
}
