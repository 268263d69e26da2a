// The text of --help, made from the commands themselves.
import type { Command, Flag } from "./command.ts";
import { commands } from "./commands/index.ts";

export function overview(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`);
  return [
    "Signalbox: run any coding agent; see, allow and keep everything it does.",
    "",
    "Usage: signalbox [command] [flags]",
    "",
    "Commands:",
    ...lines,
    "",
    "`signalbox COMMAND --help` tells the flags of a command; `signalbox --version` the version.",
  ].join("\n");
}

export function helpFor({ usage, about, flags }: Command): string {
  const all: readonly (readonly [string, Flag])[] = [
    ...Object.entries(flags),
    ["help", { type: "boolean", help: "this text" }],
  ];
  const names = all.map(([name, flag]) => `--${name}${flag.type === "boolean" ? "" : ` ${flag.value}`}`);
  const width = Math.max(...names.map((name) => name.length));
  const lines = all.map(([, flag], index) => `  ${(names[index] ?? "").padEnd(width)}  ${flag.help}`);
  return [`Usage: ${usage}`, "", about, "", "Flags:", ...lines].join("\n");
}
