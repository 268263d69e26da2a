// The three steps that "Try the demo" shows: write a note, improve it, check it. Each needs what a real agent needs: a permission, or the sandbox.
import type { ToolResultPart } from "../model.ts";
import { parseScript, type Step } from "./demo-script.ts";

/** The sentence that the page sends. */
const prompt = "Write a note and improve it";

const steps = ["Write a note", "Improve it", "Check it with a command"];

/** The plan with the first `done` steps completed and the next one under way. */
function plan(done: number): string {
  const marked = steps.map((step, index) => `${index < done ? "[x] " : index === done ? "[-] " : ""}${step}`);
  return `plan: ${marked.join("; ")}`;
}

/** It ends with every step done, and with a change to review: the note stays in the demo's own folder. */
const script =
  parseScript(
    [
      plan(0),
      "write note.md: This is a note. The demo wrote it and you allowed it.",
      plan(1),
      "edit note.md: you allowed it -> you allowed both steps",
      plan(2),
      "run cat note.md",
      plan(3),
    ].join("\n"),
  ) ?? [];

const beginning =
  "I am the **demo**: a script, not a model. I need no key and no network. I write a note, improve it and read it back; you decide about each change.";

const whatNext = `### What next

1. Open **Changes** above: it shows the note line by line. Comment on a line, or press **Undo file**.
2. Press **Search** at the top left and look for "note": everything that was said and done is found.
3. Press **New thread** and choose a real agent. Your folder, your rules, the same page.`;

export function isFirstSteps(text: string): boolean {
  return text.trim().replace(/[.!]$/, "").toLowerCase() === prompt.toLowerCase();
}

export function takeFirstSteps(results: readonly ToolResultPart[]): { readonly text: string; readonly call?: Step } {
  const last = results.at(-1);
  if (last?.isError === true) {
    return { text: `You denied that step, so nothing was changed by it. That is all a denial does.\n\n${whatNext}` };
  }
  const call = script[results.length];
  if (call === undefined) return { text: whatNext };
  return { text: last === undefined ? beginning : "", call };
}
