// Cleans text of strangers (a server, a repository) before a model or a person reads it: no control characters, no letters that are not drawn, no endless text.
import { stripVTControlCharacters } from "node:util";

/** Line breaks and tabs stay. Letters that are not drawn can carry orders that only a model reads. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

export function cleanText(text: string, maxLength: number): string {
  // Truncated before it is searched: it may have any length.
  const start = text.slice(0, maxLength * 2);
  const plain = stripVTControlCharacters(start).replace(unseen, "");
  return plain.length > maxLength || start.length < text.length ? `${plain.slice(0, maxLength)}…` : plain;
}

/** The same on one line. */
export function cleanLine(text: string, maxLength: number): string {
  return cleanText(text, maxLength).replace(/\s+/g, " ").trim();
}
