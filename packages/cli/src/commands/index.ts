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
  claude: {
    summary: "Claude Code, speaking ACP on stdin and stdout, its tools through the client",
    load: async () => (await import("./claude.ts")).claude,
  },
  run: {
    summary: "one prompt without a screen, for scripts and CI",
    load: async () => (await import("./run.ts")).run,
  },
  agents: {
    summary: "which agents are installed and ready, and how to get the others",
    load: async () => (await import("./agents.ts")).agents,
  },
  doctor: {
    summary: "try the agents and this machine: what works, and what to do about the rest",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  threads: {
    summary: "list the threads of the register",
    load: async () => (await import("./threads.ts")).threads,
  },
  show: {
    summary: "show a thread",
    load: async () => (await import("./show.ts")).show,
  },
  search: {
    summary: "search everything that was said, done and shown",
    load: async () => (await import("./search.ts")).search,
  },
  stats: {
    summary: "count turns and tool calls, with durations and cost",
    load: async () => (await import("./stats.ts")).stats,
  },
  export: {
    summary: "write a thread as Markdown, JSON or HTML",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  rebuild: {
    summary: "make every row of the register again from its log",
    load: async () => (await import("./rebuild.ts")).rebuild,
  },
};

export const defaultCommand = "serve";
