// Lists and parses the slash commands: our own, and one for each skill.
import type { AvailableCommand, ContentBlock } from "@agentclientprotocol/sdk";
import type { Skill } from "../skills/skill.ts";

export type Command =
  | { readonly type: "compact" }
  | { readonly type: "clear" }
  | { readonly type: "help" }
  | { readonly type: "model"; readonly name: string }
  | { readonly type: "skill"; readonly skill: Skill; readonly rest: string };

const own: readonly AvailableCommand[] = [
  { name: "compact", description: "Replace the conversation so far by a summary, to make room" },
  { name: "clear", description: "Forget the conversation; files stay as they are" },
  { name: "model", description: "Show or choose the model", input: { hint: "name of the model" } },
  { name: "help", description: "What can be done here" },
];

export function availableCommands(skills: readonly Skill[]): AvailableCommand[] {
  return [
    ...own,
    ...skills
      .filter(({ name }) => !own.some((command) => command.name === name))
      .map(({ name, description }) => ({ name, description, input: { hint: "what to do" } })),
  ];
}

/** Undefined when the prompt is no command: then it is for the model, slash and all. */
export function parseCommand(prompt: readonly ContentBlock[], skills: readonly Skill[]): Command | undefined {
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
    default: {
      const skill = skills.find((each) => each.name === name);
      return skill === undefined ? undefined : { type: "skill", skill, rest };
    }
  }
}

export function helpText(skills: readonly Skill[]): string {
  const lines = availableCommands(skills).map(({ name, description }) => `- \`/${name}\`: ${description}`);
  return `Say what you want done. These commands are there too:\n\n${lines.join("\n")}`;
}
