// Decides what the demo answers next, from the prompt and the results so far. A script is followed step by step, and so is the page's "Try the demo";
// any other prompt gets a tour of the folder.
import type { ModelMessage, ModelRequest, ToolResultPart } from "../model.ts";
import { parseScript, type Step } from "./demo-script.ts";
import { isFirstSteps, takeFirstSteps } from "./first-steps.ts";

export interface DemoTurn {
  readonly thought?: string;
  readonly text: string;
  readonly call?: Step;
}

const whatIAm =
  "I am the **demo**: a script, not a model. I need no key and no network, and I am here so that you can see Signalbox work.";
const howItWorks =
  "I run in a process of my own, as every agent does. Each word of this answer was saved before it reached this page.";
const whatToTry =
  "Try a line such as `read FILE`, `run ls`, `write notes.txt: hello`, `edit notes.txt: hello -> bye` or `plan: look; change; check`; several lines are several steps. To work with a model, paste a key on the start page, or choose another agent there.";

export function demoTurn({ messages, tools }: ModelRequest): DemoTurn {
  const asked = messages.findLastIndex((message) => message.role === "user");
  const prompt = readText(messages[asked]);
  const results = messages.slice(asked + 1).flatMap((message) => (message.role === "tool" ? message.results : []));
  if (tools.length === 0) return { text: `The demo cannot sum up. It was asked: ${prompt.slice(0, 200)}` };
  if (isFirstSteps(prompt)) return takeFirstSteps(results);
  const script = parseScript(prompt);
  const turn = script === undefined ? tour(prompt, promptCount(messages), results) : follow(script, results);
  const missing = turn.call !== undefined && !tools.some(({ name }) => name === turn.call?.tool);
  return missing ? { text: `${turn.text}\n\nThere is no tool ${turn.call?.tool} here now.` } : turn;
}

function follow(script: readonly Step[], results: readonly ToolResultPart[]): DemoTurn {
  const length = script.length === 1 ? "one step" : `${script.length} steps`;
  const last = results.at(-1);
  const next = script[results.length];
  const text = [
    ...(last === undefined ? [whatIAm] : []),
    // The tool's own card says how a step went. Only what failed, and the end, need words; a plan is shown by itself.
    ...(last !== undefined && (last.isError || (next === undefined && last.name !== "todo_write"))
      ? [outcome(last)]
      : []),
    ...(next === undefined ? [`That was all: ${length}.`] : []),
  ].join("\n\n");
  const call = next === undefined ? {} : { call: next };
  return { text, ...(last === undefined && { thought: `This is a script of ${length}.` }), ...call };
}

function outcome({ name, content, isError }: ToolResultPart): string {
  const text = content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
  const [first = ""] = text.split("\n");
  if (isError) return `\`${name}\` failed: ${first}`;
  const lines = text.trimEnd().split("\n").length;
  return lines === 1 ? `\`${name}\` returned: ${first.slice(0, 200)}` : `\`${name}\` returned ${lines} lines.`;
}

function tour(prompt: string, turn: number, results: readonly ToolResultPart[]): DemoTurn {
  const [listing, readme] = results;
  if (listing === undefined) {
    const quoted = prompt.split("\n").map((line) => `> ${line}`);
    const text = [
      whatIAm,
      "",
      `This is prompt ${turn} of this thread. You wrote:`,
      "",
      ...quoted,
      "",
      "Let me look around.",
    ];
    return { text: text.join("\n"), call: { tool: "list_directory", input: { path: "." } } };
  }
  const file = findReadme(listing);
  if (readme === undefined && file !== undefined) {
    return { text: `${outcome(listing)} There is a ${file}.`, call: { tool: "read", input: { path: file } } };
  }
  return { text: `${outcome(readme ?? listing)}\n\n${whatToTry}\n\n${howItWorks}` };
}

function findReadme({ content, isError }: ToolResultPart): string | undefined {
  if (isError) return undefined;
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return /\b(README(?:\.md|\.txt)?|AGENTS\.md|package\.json)\b/i.exec(text)?.[1];
}

function promptCount(messages: readonly ModelMessage[]): number {
  return messages.filter(({ role }) => role === "user").length;
}

/** The first text is the user's own. Files and skills follow. */
function readText(message: ModelMessage | undefined): string {
  if (message?.role !== "user") return "";
  const text = message.content.find((part) => part.type === "text")?.text ?? "";
  const images = message.content.filter((part) => part.type === "image").length;
  return images === 0 ? text : `${text}\n[${images === 1 ? "an image" : `${images} images`}]`;
}
