// The message of anything that was thrown.

const maxLength = 10_000;

/** Describes anything that was thrown, for a person and for the model. Never throws and is never empty. */
export function messageOf(thrown: unknown): string {
  return describe(thrown).slice(0, maxLength) || "It failed without an error message.";
}

function describe(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name;
    if (typeof thrown === "string") return thrown;
    if (thrown === undefined || thrown === null) return "";
    if (typeof thrown === "object" && "message" in thrown && typeof thrown.message === "string") return thrown.message;
    return JSON.stringify(thrown) ?? "";
  } catch {
    // Hostile or cyclic objects: nothing in them can be trusted to be readable.
    return "";
  }
}
