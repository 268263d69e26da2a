// Reads a tool from a server's list and makes its schema safe for every provider: one bad schema would fail every request of the session.
import { z } from "zod";

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

const maxDescriptionLength = 4000;
const maxSchemaLength = 50_000;
const anyObject = { type: "object" };

/** Lenient: one wrong tool must not hide the others. */
export const toolsPage = z.looseObject({
  tools: z.array(z.unknown()).catch([]),
  nextCursor: z.string().optional().catch(undefined),
});

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
  return {
    name,
    description: text.length > maxDescriptionLength ? `${text.slice(0, maxDescriptionLength)}…` : text,
    inputSchema: usableSchema(inputSchema),
  };
}

/** The schema, if it describes an object and is not too long. Else one that allows everything: the server checks its input itself. */
function usableSchema(schema: unknown): object {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return anyObject;
  const { type, properties, required } = schema as Record<string, unknown>;
  const fits =
    type === "object" &&
    (properties === undefined ||
      (typeof properties === "object" && properties !== null && !Array.isArray(properties))) &&
    (required === undefined || (Array.isArray(required) && required.every((name) => typeof name === "string"))) &&
    JSON.stringify(schema).length <= maxSchemaLength;
  return fits ? schema : anyObject;
}
