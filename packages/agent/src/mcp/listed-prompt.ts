// Reads a prompt from a server's list, names it as a slash command, and fills its arguments from what the person wrote.

import { cleanLine } from "@signalbox/agent-kit";
import { z } from "zod";

export interface ListedPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
}

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

const maxNameLength = 200;
const maxDescriptionLength = 300;
const maxArguments = 20;

const argument = z.looseObject({
  name: z.string().min(1).max(maxNameLength),
  description: z.string().catch(""),
  required: z.boolean().catch(false),
});

const listed = z.looseObject({
  name: z.string().min(1).max(maxNameLength),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  arguments: z.array(argument).max(maxArguments).optional(),
});

/** Undefined when it is no prompt. */
export function readListedPrompt(value: unknown): ListedPrompt | undefined {
  const read = listed.safeParse(value);
  if (!read.success) return undefined;
  const { name, title, description, arguments: args = [] } = read.data;
  return {
    name,
    description: cleanLine(description ?? title ?? name, maxDescriptionLength),
    arguments: args.map((each) => ({
      name: each.name,
      description: cleanLine(each.description, maxDescriptionLength),
      required: each.required,
    })),
  };
}

/** `server:prompt`, of letters that a command may have. */
export function promptCommand(server: string, prompt: string): string {
  return `${commandWord(server)}:${commandWord(prompt)}`;
}

function commandWord(text: string): string {
  return text.replace(/[^\w.-]+/g, "_").slice(0, 64) || "_";
}

/** Describes the arguments to type after the command. */
export function argumentHint({ arguments: args }: ListedPrompt): string {
  return args.map(({ name, required }) => cleanLine(required ? `<${name}>` : `[${name}]`, 60)).join(" ");
}

/**
 * The arguments in the order of the list, or as `name=value`; quotes keep words together, and the last one gets all the rest. A sentence says
 * which one is missing.
 */
export function promptArguments(prompt: ListedPrompt, text: string): Readonly<Record<string, string>> | string {
  const { arguments: args } = prompt;
  const given = new Map<string, string>();
  let rest = text.trim();
  for (;;) {
    const [whole, name = "", value = ""] = /^([^\s=]+)=("[^"]*"|\S*)\s*/.exec(rest) ?? [];
    if (whole === undefined || !args.some((each) => each.name === name)) break;
    given.set(name, unquoted(value));
    rest = rest.slice(whole.length);
  }
  const open = args.filter(({ name }) => !given.has(name));
  for (const [index, { name }] of open.entries()) {
    if (rest === "") break;
    const isLast = index === open.length - 1;
    const [word = rest] = isLast ? [rest] : (/^(?:"[^"]*"|\S+)/.exec(rest) ?? []);
    given.set(name, unquoted(word));
    rest = rest.slice(word.length).trim();
  }
  const missing = args.filter(({ name, required }) => required && !given.has(name));
  if (missing.length === 0) return Object.fromEntries(given);
  const about = missing.map(({ name, description }) => (description === "" ? name : `${name} (${description})`));
  return `It needs ${about.join(", ")}. Write: ${argumentHint(prompt)}`;
}

function unquoted(word: string): string {
  return /^"[^"]*"$/.test(word) ? word.slice(1, -1) : word;
}
