// Writes the text of --help from the command definitions.
import type { Command, Flag } from "./command.ts";
import { commands } from "./commands/index.ts";

export function overview(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`);
  return [
    "Signalbox: run any coding agent. See, allow and keep everything it does.",
    "",
    "Usage: signalbox [command] [flags]",
    "",
    "Commands:",
    ...lines,
    "",
    "`signalbox COMMAND --help` shows the flags of a command and examples. `signalbox --version` shows the version.",
  ].join("\n");
}

export function formatHelp({ usage, about, flags, examples = [] }: Command): string {
  const all: readonly (readonly [string, Flag])[] = [
    ...Object.entries(flags),
    ["help", { type: "boolean", help: "show this help" }],
  ];
  const names = all.map(([name, flag]) => `--${name}${flag.type === "boolean" ? "" : ` ${flag.value}`}`);
  const width = Math.max(...names.map((name) => name.length));
  const lines = all.map(([, flag], index) => {
    const again = flag.type === "list" ? " (may be repeated)" : "";
    return `  ${(names[index] ?? "").padEnd(width)}  ${flag.help}${again}`;
  });
  const shown = examples.flatMap(([line, does]) => [`  ${line}`, `      ${does}`]);
  return [
    `Usage: ${usage}`,
    "",
    about,
    "",
    "Flags:",
    ...lines,
    ...(shown.length === 0 ? [] : ["", "Examples:", ...shown]),
  ].join("\n");
}
