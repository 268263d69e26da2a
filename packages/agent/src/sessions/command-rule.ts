// Whether a rule about commands fits a command. What allows must fit all of it; what asks or denies is enough to fit a part.

/** `*` is any text, `?` one letter. To allow, they stand for plain words only: nothing that could start another command. */
export function commandFits(pattern: string, args: unknown, decision: "allow" | "ask" | "deny"): boolean {
  const command = typeof args === "object" && args !== null && "command" in args ? args.command : undefined;
  if (typeof command !== "string") return false;
  if (decision === "allow") return toRegExp(pattern, "[^;&|<>$`(){}\\n\\r]").test(command.trim());
  const anywhere = toRegExp(pattern, "[^]");
  return [command, ...command.split(/[;&|\n\r(){}`]+/)].some((part) => anywhere.test(part.trim()));
}

/** `git *` also means `git` alone. A backslash takes the next letter literally. */
function toRegExp(pattern: string, letter: string): RegExp {
  const [, head = "", alone] = /^([^]*?)( \*)?$/.exec(pattern.trim()) ?? [];
  const source = head.replaceAll(/\\([^])|[^]/g, (token, literal: string | undefined) => {
    if (literal !== undefined) return escape(literal);
    return token === "*" ? `${letter}*` : token === "?" ? letter : escape(token);
  });
  return new RegExp(`^${source}${alone === undefined ? "" : `(?: ${letter}*)?`}$`);
}

function escape(letter: string): string {
  return letter.replace(/[.*+?^${}()|[\]\\]/, "\\$&");
}
