// Copies any value so that it is safe to send: JSON can hold it, its size is bounded, and later changes of the original do not reach it. The
// SDK serialises after it has accepted a message, and a value that JSON refuses would close the connection.

/**
 * The most characters of content, of raw input and of raw output in one message, unless a tracker says otherwise. Three such fields
 * stay under the 32 MB that an SDK client accepts as one message, however they are escaped.
 */
export const defaultMaxLength = 1_000_000;

const deepest = 100;
/** A graph of objects becomes a tree here, and may have very many branches. */
const maxValues = 1_000_000;
const truncationMark = "[truncated]";

/**
 * Without `maxLength` all text is kept. With it the strings together stay within it; one string gets at most half of what is left,
 * so that a long one does not displace the others.
 */
export function jsonCopy(value: unknown, maxLength = Number.POSITIVE_INFINITY): unknown {
  return copy(value, { characters: maxLength, values: maxValues }, []);
}

interface Budget {
  characters: number;
  values: number;
}

function isSpent(budget: Budget): boolean {
  return budget.characters <= 0 || budget.values <= 0;
}

function copy(value: unknown, budget: Budget, ancestors: object[]): unknown {
  budget.values -= 1;
  switch (typeof value) {
    case "string":
      return copyString(value, budget);
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : copyObject(value, budget, ancestors);
    default:
      return undefined;
  }
}

function copyString(value: string, budget: Budget): string {
  const room = Math.max(0, Math.floor(budget.characters / 2));
  const kept = value.length <= room ? value : `${value.slice(0, room)}${truncationMark}`;
  budget.characters -= kept.length;
  return kept;
}

function copyObject(value: object, budget: Budget, ancestors: object[]): unknown {
  if (isSpent(budget)) return truncationMark;
  if (ancestors.includes(value)) return "[circular]";
  if (ancestors.length >= deepest) return "[too deep]";
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  ancestors.push(value);
  try {
    if ("toJSON" in value && typeof value.toJSON === "function") return copy(value.toJSON(), budget, ancestors);
    if (Array.isArray(value)) return copyArray(value, budget, ancestors);
    if (value instanceof Error) return { name: value.name, message: copyString(value.message, budget) };
    return copyFields(value, budget, ancestors);
  } catch {
    // A getter, a toJSON or a Proxy that throws.
    return "[unreadable]";
  } finally {
    ancestors.pop();
  }
}

function copyArray(values: readonly unknown[], budget: Budget, ancestors: object[]): unknown[] {
  const result: unknown[] = [];
  for (const value of values) {
    if (isSpent(budget)) {
      result.push(truncationMark);
      break;
    }
    result.push(copy(value, budget, ancestors) ?? null);
  }
  return result;
}

function copyFields(value: object, budget: Budget, ancestors: object[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (isSpent(budget)) break;
    if (key.length > budget.characters) continue;
    budget.characters -= key.length;
    const copied = copy(field, budget, ancestors);
    if (copied === undefined) continue;
    if (key === "__proto__") Object.defineProperty(result, key, { value: copied, enumerable: true });
    else result[key] = copied;
  }
  return result;
}
