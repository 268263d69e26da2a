// The commands there are. A line each; the file behind it is loaded when the command is used.
import type { Command } from "../command.ts";

interface Entry {
  readonly summary: string;
  load(): Promise<Command>;
}

export const commands: Readonly<Record<string, Entry>> = {
  serve: {
    summary: "start the host and open the page (this is the default)",
    load: async () => (await import("./serve.ts")).serve,
  },
  agent: {
    summary: "Signalbox's own agent, speaking ACP on stdin and stdout",
    load: async () => (await import("./agent.ts")).agent,
  },
};

export const defaultCommand = "serve";
