// Reads a tool from a server's list and makes its schema safe for every provider: one bad schema would fail every request of the session.

import { cleanText } from "@signalbox/agent-kit";
import { z } from "zod";
import { usableSchema } from "./usable-schema.ts";

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  /** Names of arguments that were changed for the model, and the server's own for each. */
  readonly renamed: ReadonlyMap<string, string>;
}

const maxDescriptionLength = 4000;

const listed = z.looseObject({
  name: z.string().min(1).max(500),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
});

/** Undefined when it is not a tool. */
export function readListedTool(value: unknown): ListedTool | undefined {
  const read = listed.safeParse(value);
  if (!read.success) return undefined;
  const { name, title, description, inputSchema } = read.data;
  const text = description ?? title ?? name;
  const shown = cleanText(text, maxDescriptionLength);
  const { schema, note, renamed } = usableSchema(inputSchema);
  return { name, description: note === "" ? shown : `${shown}\n${note}`, inputSchema: schema, renamed };
}
