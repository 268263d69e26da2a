// Reads the input of a tool call that is nearly JSON. Local models put raw line breaks into strings, a fence around the object, or a comma before a
// closing bracket. These have one meaning, so they are repaired; anything else is refused, with the place of the error.

type ToolInput = { readonly input: unknown; readonly invalid?: InvalidInput };

/** An input that could not be read: its text, and the reason with its place, for the model to correct. */
export interface InvalidInput {
  readonly text: string;
  readonly reason: string;
}

/** In the message, an input that cannot be read is an empty object, which every provider accepts. */
export function readToolInput(text: string): ToolInput {
  if (text.trim() === "") return { input: {} };
  try {
    return { input: JSON.parse(text) };
  } catch (error) {
    try {
      return { input: JSON.parse(repair(text)) };
    } catch {
      return { input: {}, invalid: { text, reason: error instanceof Error ? error.message : String(error) } };
    }
  }
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" };

/** Reads the text once, character by character: a pattern would go back and forth in a long string that never ends. */
function repair(text: string): string {
  const inner = withoutFence(text.trim());
  let repaired = "";
  let isInString = false;
  for (let index = 0; index < inner.length; index++) {
    const character = inner.charAt(index);
    if (isInString && character === "\\") repaired += character + inner.charAt(++index);
    else if (isInString && character < " ") repaired += escapeControl(character);
    else if (isInString || character !== "," || !/^\s*[}\]]/.test(inner.slice(index + 1, index + 100)))
      repaired += character;
    if (character === '"') isInString = !isInString;
  }
  return repaired;
}

function withoutFence(text: string): string {
  const isFenced = text.length > 6 && text.startsWith("```") && text.endsWith("```");
  return isFenced ? text.slice(text.indexOf("\n") + 1, -3) : text;
}

function escapeControl(character: string): string {
  return escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
