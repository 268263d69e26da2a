// Rewrites strings of a JSON text in place: every byte of it that is not part of a changed string stays as it was sent.
import { pointerStep } from "../log/long-text.ts";

/** Where a string is: the field that it is the value of (also as an item of a list), or that it names itself. */
interface StringPlace {
  readonly field: string | undefined;
  readonly isKey: boolean;
  /** Its JSON Pointer, or that of the field that it names. */
  readonly pointer: () => string;
}

/** `objects` has other JSON for the objects at some places (JSON Pointers): they hold no other object. */
export function rewriteStrings(
  json: string,
  rewrite: (text: string, place: StringPlace) => string,
  objects: ReadonlyMap<string, string> = new Map(),
): string {
  const steps: (number | string)[] = [];
  const pointer = () => steps.map((step) => `/${typeof step === "number" ? step : pointerStep(step)}`).join("");
  const field = () => steps.findLast((step) => typeof step === "string");
  let result = "";
  let copied = 0;
  const replace = (start: number, end: number, by: string) => {
    result += json.slice(copied, start) + by;
    copied = end;
  };
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '"': {
        const end = endOfLiteral(json, at);
        const text = String(JSON.parse(json.slice(at, end)));
        const isKey = isFollowedByColon(json, end);
        if (isKey) steps[steps.length - 1] = text;
        const rewritten = rewrite(text, { field: field(), isKey, pointer });
        if (rewritten !== text) replace(at, end, JSON.stringify(rewritten));
        at = end - 1;
        break;
      }
      case "{": {
        const other = objects.size === 0 ? undefined : objects.get(pointer());
        if (other !== undefined) {
          const end = json.indexOf("}", at) + 1;
          replace(at, end, other);
          at = end - 1;
        } else steps.push("");
        break;
      }
      case "[":
        steps.push(0);
        break;
      case "}":
      case "]":
        steps.pop();
        break;
      case ",": {
        const index = steps.at(-1);
        if (typeof index === "number") steps[steps.length - 1] = index + 1;
        break;
      }
      case undefined:
      default:
    }
  }
  return result + json.slice(copied);
}

/** The index after the quote that ends the literal at `start`. */
function endOfLiteral(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

function isFollowedByColon(json: string, end: number): boolean {
  let at = end;
  while (at < json.length && json.charCodeAt(at) <= 0x20) at++;
  return json[at] === ":";
}
