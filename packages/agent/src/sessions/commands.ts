// Lists and parses the slash commands: our own, and one for each command file, each skill and each prompt of an MCP server.
import type { AvailableCommand, ContentBlock } from "@agentclientprotocol/sdk";
import type { McpPrompt, McpServerStatus } from "../mcp/mcp-session.ts";
import type { CommandFile } from "../skills/command-file.ts";
import type { Skill } from "../skills/skill.ts";

export type Command =
  | { readonly type: "compact" }
  | { readonly type: "clear" }
  | { readonly type: "help" }
  | { readonly type: "model"; readonly name: string }
  | { readonly type: "mcp"; readonly words: string }
  | { readonly type: "prompt"; readonly prompt: McpPrompt; readonly rest: string }
  | { readonly type: "file"; readonly file: CommandFile; readonly rest: string }
  | { readonly type: "skill"; readonly skill: Skill; readonly rest: string };

const own: readonly AvailableCommand[] = [
  { name: "compact", description: "Replace the conversation so far by a summary, to make room" },
  { name: "clear", description: "Forget the conversation; files stay as they are" },
  { name: "model", description: "Show or choose the model", input: { hint: "name of the model" } },
  {
    name: "mcp",
    description: "Show the MCP servers, start one again, log in to one",
    input: { hint: "restart NAME, login NAME or logout NAME" },
  },
  { name: "help", description: "What can be done here" },
];

/** The sources of slash commands beside the built-in ones. */
export interface CommandSources {
  readonly skills: readonly Skill[];
  readonly files: readonly CommandFile[];
  readonly prompts: readonly McpPrompt[];
}

export const noCommandSources: CommandSources = { skills: [], files: [], prompts: [] };

interface OfferedCommand {
  readonly name: string;
  readonly description: string;
  readonly hint: string;
  readonly with: (rest: string) => Command;
}

/** Besides our own. Of two with the same name the first is used: what the user wrote comes before what a project brings. */
function offered({ skills, files, prompts }: CommandSources): readonly OfferedCommand[] {
  const selectFiles = (origin: CommandFile["origin"]) =>
    files
      .filter((file) => file.origin === origin)
      .map((file) => ({ ...file, with: (rest: string): Command => ({ type: "file", file, rest }) }));
  return [
    ...selectFiles("user"),
    ...skills.map((skill) => ({
      name: skill.name,
      description: skill.description,
      hint: "what to do",
      with: (rest: string): Command => ({ type: "skill", skill, rest }),
    })),
    ...selectFiles("project"),
    ...prompts.map((prompt) => ({
      name: prompt.command,
      description: prompt.description,
      hint: prompt.hint,
      with: (rest: string): Command => ({ type: "prompt", prompt, rest }),
    })),
  ];
}

export function availableCommands(sources: CommandSources): AvailableCommand[] {
  const all = [
    ...own,
    ...offered(sources).map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint !== "" && { input: { hint } }),
    })),
  ];
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}

/** A slash and a name, which may be that of a command. */
export interface SlashWord {
  readonly name: string;
  readonly rest: string;
}

/** Undefined when the prompt cannot be a command. */
export function readSlashWord([first]: readonly ContentBlock[]): SlashWord | undefined {
  if (first?.type !== "text") return undefined;
  const [, name, rest = ""] = /^\/([\w:.-]+)(?:\s+([^]*))?$/.exec(first.text.trim()) ?? [];
  return name === undefined ? undefined : { name, rest };
}

/** Undefined when there is no such command: then the prompt is for the model, slash and all. */
export function findCommand({ name, rest }: SlashWord, sources: CommandSources): Command | undefined {
  switch (name) {
    case "compact":
    case "clear":
    case "help":
      return { type: name };
    case "model":
      return { type: "model", name: rest.trim() };
    case "mcp":
      return { type: "mcp", words: rest };
    default:
      return offered(sources)
        .find((each) => each.name === name)
        ?.with(rest);
  }
}

/** Whether it may be a command of an MCP server that is still starting. */
export function isServerCommand({ name }: SlashWord): boolean {
  return /^[\w.-]+:[\w.-]/.test(name);
}

/** Commands of a server that is still starting, or does not run, are not known: it says so. */
export function helpText(sources: CommandSources, servers: readonly Pick<McpServerStatus, "name" | "state">[]): string {
  const lines = availableCommands(sources).map(({ name, description }) => `- \`/${name}\`: ${description}`);
  const named = (state: McpServerStatus["state"]) =>
    servers.flatMap((server) => (server.state === state ? [server.name] : [])).join(", ");
  const missing = [
    ...(named("starting") === "" ? [] : [`Still starting, and may bring more commands: ${named("starting")}.`]),
    ...(named("failed") === ""
      ? []
      : [`Not running, so its commands are not here: ${named("failed")}. \`/mcp\` says why.`]),
  ];
  const list = `Say what you want done. These commands are there too:\n\n${lines.join("\n")}`;
  return missing.length === 0 ? list : `${list}\n\nMCP servers:\n\n${missing.map((line) => `- ${line}`).join("\n")}`;
}
