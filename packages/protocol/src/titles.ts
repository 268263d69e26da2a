// Short texts that are made from a prompt: the title of a thread and the proposed message of a commit. They are cut between words.

const maxTitleLength = 80;
/** The length that git and its hosts show in one line. */
const maxSubjectLength = 72;

/** Returns the first line of a prompt, cut to the length of a title. Empty where the prompt begins with no text. */
export function makeTitle(prompt: string): string {
  return cutAtWord(prompt.trim().split("\n", 1)[0]?.trim() ?? "", maxTitleLength, "…");
}

/** Proposes a subject of at most 72 characters. A title that is longer is the body too, so that nothing of it is lost. */
export function makeCommitMessage(title: string): string {
  const subject = cutAtWord(title, maxSubjectLength, "");
  return subject === title ? title : `${subject}\n\n${title}`;
}

/** Returns the title of a fork: "Fix the test · 2" for the first one of "Fix the test". `others` are the titles that are in use. */
export function makeForkTitle(title: string, others: readonly string[]): string {
  const [, base = title] = /^(.*) · \d+$/.exec(title) ?? [];
  const numbers = others.flatMap((other) => {
    const [, number] = other.startsWith(`${base} · `) ? (/ · (\d+)$/.exec(other) ?? []) : [];
    return number === undefined ? [] : [Number(number)];
  });
  return `${base} · ${Math.max(1, ...numbers) + 1}`;
}

function cutAtWord(text: string, maxLength: number, mark: string): string {
  if (text.length <= maxLength) return text;
  const room = text.slice(0, maxLength - mark.length + 1);
  const end = room.lastIndexOf(" ");
  // One very long word is cut inside, but not in the middle of a surrogate pair.
  const kept = end > maxLength / 2 ? room.slice(0, end) : room.slice(0, -1).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept.replace(/[\s,;:.–-]+$/, "")}${mark}`;
}
