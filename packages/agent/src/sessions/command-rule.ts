// Whether a rule about commands fits a command. What allows must fit all of it; what asks or denies is enough to fit a part.

/** `*` is any text. To allow, the star stands for plain words only: nothing that could start another command. */
export function commandFits(pattern: string, args: unknown, decision: "allow" | "ask" | "deny"): boolean {
  const command = typeof args === "object" && args !== null && "command" in args ? args.command : undefined;
  if (typeof command !== "string") return false;
  if (decision === "allow") return toRegExp(pattern, "[^;&|<>$`(){}\\n\\r]*").test(command.trim());
  const anywhere = toRegExp(pattern, "[^]*");
  return [command, ...command.split(/[;&|\n\r(){}`]+/)].some((part) => anywhere.test(part.trim()));
}

function toRegExp(pattern: string, star: string): RegExp {
  const parts = pattern.trim().split("*");
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(star)}$`);
}
