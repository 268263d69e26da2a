// What changed between two texts, as the lines between what is the same at the start and at the end, with a little around them.

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

const around = 3;

export function lineDiff(oldText: string | null, newText: string): readonly DiffLine[] {
  const before = oldText === null ? [] : oldText.split("\n");
  const after = newText.split("\n");
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start++;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const lines = (texts: readonly string[], sign: DiffLine["sign"]) => texts.map((text) => ({ sign, text }));
  return [
    ...lines(before.slice(Math.max(0, start - around), start), " "),
    ...lines(before.slice(start, before.length - end), "-"),
    ...lines(after.slice(start, after.length - end), "+"),
    ...lines(before.slice(before.length - end, before.length - end + around), " "),
  ];
}
