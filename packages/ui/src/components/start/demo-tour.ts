// The tour that "Try the demo" starts: what every agent does, by a script. Each line is a step of the demo.

const steps = ["Write a note", "Change a line of it", "Check it with a command"];

/** The plan with the first `done` steps completed and the next one under way. */
function plan(done: number): string {
  const marked = steps.map((step, index) => `${index < done ? "[x] " : index === done ? "[-] " : ""}${step}`);
  return `plan: ${marked.join("; ")}`;
}

/** It ends with every step done, and with a change to review: the note stays in the demo's own folder. */
export const demoTour = [
  plan(0),
  "write note.md: This is a note. The demo wrote it and you allowed it.",
  plan(1),
  "edit note.md: you allowed it -> you allowed both steps",
  plan(2),
  "run cat note.md",
  plan(3),
].join("\n");
