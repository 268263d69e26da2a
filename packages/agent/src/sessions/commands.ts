// Lists and parses the slash commands: our own, one for each skill, and one for each prompt of an MCP server.
import type { AvailableCommand, ContentBlock } from "@agentclientprotocol/sdk";
import type { McpPrompt } from "../mcp/mcp-session.ts";
import type { Skill } from "../skills/skill.ts";

export type Command =
  | { readonly type: "compact" }
  | { readonly type: "clear" }
  | { readonly type: "help" }
  | { readonly type: "model"; readonly name: string }
  | { readonly type: "mcp"; readonly words: string }
  | { readonly type: "prompt"; readonly prompt: McpPrompt; readonly rest: string }
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

/** What has commands of its own. */
interface CommandSources {
  readonly skills: readonly Skill[];
  readonly prompts: readonly McpPrompt[];
}

/** Of two with the same name the first is used. */
export function availableCommands({ skills, prompts }: CommandSources): AvailableCommand[] {
  const all = [
    ...own,
    ...skills.map(({ name, description }) => ({ name, description, input: { hint: "what to do" } })),
    ...prompts.map(({ command, description, hint }) => ({
      name: command,
      description,
      ...(hint !== "" && { input: { hint } }),
    })),
  ];
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}

/** Undefined when the prompt is no command: then it is for the model, slash and all. */
export function parseCommand(
  prompt: readonly ContentBlock[],
  { skills, prompts }: CommandSources,
): Command | undefined {
  const [first] = prompt;
  if (first?.type !== "text") return undefined;
  const [, name = "", rest = ""] = /^\/([\w:.-]+)(?:\s+([^]*))?$/.exec(first.text.trim()) ?? [];
  switch (name) {
    case "":
      return undefined;
    case "compact":
    case "clear":
    case "help":
      return { type: name };
    case "model":
      return { type: "model", name: rest.trim() };
    case "mcp":
      return { type: "mcp", words: rest };
    default: {
      const skill = skills.find((each) => each.name === name);
      if (skill !== undefined) return { type: "skill", skill, rest };
      const found = prompts.find(({ command }) => command === name);
      return found === undefined ? undefined : { type: "prompt", prompt: found, rest };
    }
  }
}

/** Whether the prompt may be a command of an MCP server that is not there yet. */
export function mayBePrompt([first]: readonly ContentBlock[]): boolean {
  return first?.type === "text" && /^\s*\/[\w.-]+:[\w.-]/.test(first.text);
}

export function helpText(sources: CommandSources): string {
  const lines = availableCommands(sources).map(({ name, description }) => `- \`/${name}\`: ${description}`);
  return `Say what you want done. These commands are there too:\n\n${lines.join("\n")}`;
}
