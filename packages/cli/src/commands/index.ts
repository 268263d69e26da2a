// Lists the commands. The file behind each loads when the command is used.
import type { CommandTable } from "../command.ts";

export const commands: CommandTable = {
  serve: {
    summary: "start Signalbox and open the page (the default)",
    load: async () => (await import("./serve.ts")).serve,
  },
  agent: {
    summary: "Signalbox's own agent over ACP on stdin and stdout",
    load: async () => (await import("./agent.ts")).agent,
  },
  claude: {
    summary: "Claude Code over ACP on stdin and stdout",
    load: async () => (await import("./claude.ts")).claude,
  },
  acp: {
    summary: "any agent over ACP on stdin and stdout, for editors",
    load: async () => (await import("./acp.ts")).acp,
  },
  proxy: {
    summary: "record what an editor and an agent's command say to each other",
    load: async () => (await import("./proxy.ts")).proxy,
  },
  run: {
    summary: "run one prompt, for scripts and CI",
    load: async () => (await import("./run.ts")).run,
  },
  agents: {
    summary: "list agents: which are installed, how to install the others",
    load: async () => (await import("./agents.ts")).agents,
  },
  models: {
    summary: "list models with windows, prices and levels of thinking",
    load: async () => (await import("./models.ts")).models,
  },
  doctor: {
    summary: "test this machine and the installed agents",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  shared: {
    summary: "prepare the database that machines share",
    load: async () => (await import("./shared.ts")).shared,
  },
  threads: {
    summary: "list threads",
    load: async () => (await import("./threads.ts")).threads,
  },
  show: {
    summary: "show a thread",
    load: async () => (await import("./show.ts")).show,
  },
  search: {
    summary: "search messages, tool calls and output of all threads",
    load: async () => (await import("./search.ts")).search,
  },
  stats: {
    summary: "turns and tool calls with durations, tokens and cost",
    load: async () => (await import("./stats.ts")).stats,
  },
  changes: {
    summary: "list the files that a thread changed",
    load: async () => (await import("./changes.ts")).changes,
  },
  aside: {
    summary: "settings that commands made and that were put aside: list, keep, drop",
    load: async () => (await import("./aside.ts")).aside,
  },
  restore: {
    summary: "put files back to how they were before a prompt",
    load: async () => (await import("./restore.ts")).restore,
  },
  export: {
    summary: "export a thread as Markdown, JSON or HTML",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  import: {
    summary: "import sessions of Claude Code or Codex",
    load: async () => (await import("./import.ts")).importCommand,
  },
  rules: {
    summary: "rules that answer agents' questions: list, test, add, remove",
    load: async () => (await import("./rules.ts")).rules,
  },
  secrets: {
    summary: "find secrets in the register, and take them out",
    load: async () => (await import("./secrets.ts")).secrets,
  },
  rebuild: {
    summary: "rebuild the register's tables from its event log",
    load: async () => (await import("./rebuild.ts")).rebuild,
  },
  completion: {
    summary: "a script that completes commands and flags in a shell",
    load: async () => (await import("./completion.ts")).completeCommands(commands),
  },
};

export const defaultCommand = "serve";
