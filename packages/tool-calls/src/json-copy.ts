// A copy of any value that is safe to send: JSON can hold it, its size is bounded, and later changes of the original do not reach it.
// The SDK serialises after it has accepted a message, and a value that JSON refuses would close the connection.

const deepest = 100;
const cutMark = "[cut]";

/** `maxLength` bounds the characters of all strings and keys together, and the number of values. */
export function jsonCopy(value: unknown, maxLength = Number.POSITIVE_INFINITY): unknown {
  return copy(value, { left: maxLength }, []);
}

interface Budget {
  left: number;
}

function copy(value: unknown, budget: Budget, ancestors: object[]): unknown {
  budget.left -= 1;
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
  const left = budget.left;
  budget.left -= value.length;
  return value.length <= left ? value : `${value.slice(0, Math.max(0, left))}${cutMark}`;
}

function copyObject(value: object, budget: Budget, ancestors: object[]): unknown {
  if (budget.left < 0) return cutMark;
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
    if (budget.left < 0) {
      result.push(cutMark);
      break;
    }
    result.push(copy(value, budget, ancestors) ?? null);
  }
  return result;
}

function copyFields(value: object, budget: Budget, ancestors: object[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (budget.left < 0) break;
    budget.left -= key.length;
    const copied = copy(field, budget, ancestors);
    if (copied === undefined) continue;
    if (key === "__proto__") Object.defineProperty(result, key, { value: copied, enumerable: true });
    else result[key] = copied;
  }
  return result;
}
