import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareTexts } from "@signalbox/checkpoints/compare-texts";
import type { ChangedFile, Hunk } from "@signalbox/protocol";
import { describeSubject } from "@signalbox/rules";
import { createPolicy } from "@signalbox/sandbox";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { QuestionHistory } from "../permissions/thread-permissions.ts";
import { describeQuestion } from "./describe-question.ts";
import type { ThreadContext } from "./thread-context.ts";

/** Applies hunks as `patch` does, and fails where the old text is not what they say. */
function applied(before: string, hunks: readonly Hunk[]): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let at = 0;
  for (const { old_start, old_lines, new_start, new_lines, lines } of hunks) {
    const start = old_lines === 0 ? old_start : old_start - 1;
    result.push(...old.slice(at, start));
    expect(new_lines === 0 ? new_start : new_start - 1).toBe(result.length);
    at = start;
    const counts = { old: 0, new: 0 };
    for (const [index, line] of lines.entries()) {
      if (line.startsWith("\\")) continue;
      const text = line.slice(1) + (lines[index + 1]?.startsWith("\\") === true ? "" : "\n");
      if (!line.startsWith("+")) {
        // Not `expect`: it would take seconds for a million lines.
        if (old[at++] !== text) throw new Error(`line ${at} of the old text is not ${JSON.stringify(text)}`);
        counts.old++;
      }
      if (!line.startsWith("-")) {
        result.push(text);
        counts.new++;
      }
    }
    expect(counts).toEqual({ old: old_lines, new: new_lines });
  }
  return [...result, ...old.slice(at)].join("");
}

async function expectTrue(before: string, after: string): Promise<void> {
  const { hunks, added, removed } = await compareTexts(before, after);
  expect(applied(before, hunks) === after).toBe(true);
  const signs = hunks.flatMap(({ lines }) => lines.map((line) => line[0]));
  expect({ added, removed }).toEqual({
    added: signs.filter((sign) => sign === "+").length,
    removed: signs.filter((sign) => sign === "-").length,
  });
  expect(hunks.length === 0).toBe(before === after);
}

const line = fc.oneof(
  fc.constantFrom("", "{", "}", "  return x;", "same", "same"),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const text = fc
  .tuple(fc.array(line, { maxLength: 60 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, newline, isEnded]) => lines.join(newline) + (isEnded && lines.length > 0 ? newline : ""));

/** Numbers that a seed decides, as a test must fail again in the same way. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** About a megabyte, and the same after so many edits: lines replaced, removed, inserted, moved. */
function bigTexts(seed: number, edits: number): { before: string; after: string } {
  const next = random(seed);
  const makeLine = () => `${"word ".repeat(next(12))}${next(5) === 0 ? "" : next(1_000_000)}\n`;
  const lines = Array.from({ length: 26_000 }, makeLine);
  const changed = [...lines];
  for (let i = 0; i < edits; i++) {
    const at = next(changed.length);
    const removed = changed.splice(at, next(4));
    const kind = next(3);
    if (kind === 0) changed.splice(at, 0, makeLine(), makeLine());
    else if (kind === 1) changed.splice(next(changed.length), 0, ...removed);
  }
  return { before: lines.join(""), after: changed.join("") };
}

describe("the hunks of a change, applied to the old text, give the new one", () => {
  it("for any two texts", async () => {
    await fc.assert(fc.asyncProperty(text, text, expectTrue), { numRuns: rounds({ some: 60, all: 300 }) });
  });

  it("for two texts with common lines", async () => {
    const related = fc.tuple(fc.array(line, { maxLength: 80 }), fc.array(fc.nat(80), { maxLength: 10 }));
    await fc.assert(
      fc.asyncProperty(related, async ([lines, places]) => {
        const after = lines
          .filter((_, index) => !places.includes(index))
          .flatMap((each, index) => (places.includes(index + 1) ? [each, "new"] : [each]));
        await expectTrue(lines.join("\n"), after.join("\n"));
      }),
      { numRuns: rounds({ some: 40, all: 200 }) },
    );
  });

  it.each([1, 40, 3000, 30_000].slice(0, rounds({ some: 3, all: 4 })))(
    "for texts of a megabyte with %i edits",
    async (edits) => {
      const { before, after } = bigTexts(edits, edits);
      await expectTrue(before, after);
    },
  );

  it("for a megabyte of other lines, of equal lines, and of one line", async () => {
    const { before } = bigTexts(1, 0);
    await expectTrue(before, bigTexts(2, 0).before);
    await expectTrue("a\n".repeat(500_000), "a\nb\n".repeat(250_000));
    await expectTrue("a".repeat(1_000_000), "b".repeat(1_000_000));
  });
});

/** A text of at most so many bytes, of few or many different lines, with or without a newline at its end. */
function randomText(next: (below: number) => number, maxBytes: number, kinds: number): string {
  const lines: string[] = [];
  for (let left = maxBytes; left > 0; ) {
    const added = `${"wört ".repeat(next(14))}${next(kinds)}${next(8) === 0 ? "\r\n" : "\n"}`;
    left -= Buffer.byteLength(added);
    if (left > 0) lines.push(added);
  }
  return next(2) === 0 ? lines.join("") : lines.join("").trimEnd();
}

/** Another text, or the same one after some edits. */
function changedText(next: (below: number) => number, before: string, maxBytes: number, kinds: number): string {
  if (next(4) === 0) return randomText(next, next(maxBytes + 1), kinds);
  const lines = before.split(/(?<=\n)/);
  for (let edits = next(next(2) === 0 ? 5 : 2000); edits > 0; edits--) {
    lines.splice(next(lines.length + 1), next(4), ...Array.from({ length: next(4) }, () => `new ${next(kinds)}\n`));
  }
  return lines.join("").slice(0, maxBytes / 2);
}

const megabyte = 1024 ** 2;

/** What a person is shown who is asked about writing `after` to a file that has `before`. */
async function shownFiles(cwd: string, before: string, after: string): Promise<readonly ChangedFile[]> {
  const path = join(cwd, "file.txt");
  writeFileSync(path, before);
  const place = { agentId: "a", threadId: "t", cwd };
  const settings = { workspaceFolders: [cwd], dataFolder: join(cwd, "data"), writable: [] };
  const policy = createPolicy({ mode: "sandbox", network: "off", ...settings });
  // Only what describing a change needs of a thread.
  const permissions = { history: new QuestionHistory() };
  const thread = { place, sandbox: { policy }, permissions } as unknown as ThreadContext;
  const call = { kind: "edit", content: [{ type: "diff", path, oldText: before, newText: after }] };
  const asked = { subject: describeSubject(call, place), asked: call, known: call, isByHost: false };
  const { hunks, allHunks } = await describeQuestion(thread, asked);
  return allHunks === undefined ? hunks : (JSON.parse(allHunks) as readonly ChangedFile[]);
}

describe("the hunks that a question shows, applied to the old text, give the new one", () => {
  it("for random texts up to 1 MB", async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-hunks-")));
    mkdirSync(join(cwd, "data"));
    const sizes = fc.oneof(fc.integer({ min: 0, max: megabyte }), fc.constantFrom(0, 1, megabyte));
    const kinds = fc.constantFrom(2, 50, 1_000_000);
    try {
      await fc.assert(
        fc.asyncProperty(fc.nat(), sizes, kinds, async (seed, size, lineKinds) => {
          const next = random(seed);
          const before = randomText(next, size, lineKinds);
          const after = changedText(next, before, megabyte, lineKinds);
          const [file] = await shownFiles(cwd, before, after);
          expect(file?.too_big).toBeUndefined();
          expect(applied(before, file?.hunks ?? []) === after).toBe(true);
        }),
        { numRuns: rounds({ some: 3, all: 25 }) },
      );
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  });
});

describe("a change", () => {
  it("of one line in a file of 5 MB is one hunk", async () => {
    const lines = Array.from({ length: 120_000 }, (_, index) => `line ${index} of a file that is rather long\n`);
    const before = lines.join("");
    const { hunks, added, removed, isRough } = await compareTexts(
      before,
      before.replace("line 90000 of", "backdoor in"),
    );
    expect({ added, removed, isRough }).toEqual({ added: 1, removed: 1, isRough: false });
    expect(hunks).toMatchObject([{ old_start: 89_998, old_lines: 7, new_start: 89_998, new_lines: 7 }]);
  });

  it("of thousands of lines far apart counts only those", async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`);
    const after = lines.map((each, index) => (index % 10 === 0 ? `new ${each}` : each));
    const { added, removed, isRough } = await compareTexts(lines.join(""), after.join(""));
    expect({ added, removed, isRough }).toEqual({ added: 5000, removed: 5000, isRough: false });
  });

  it("of only the last newline is shown", async () => {
    const { hunks } = await compareTexts("a\nb\n", "a\nb");
    expect(hunks).toMatchObject([{ lines: [" a", "-b", "+b", "\\ No newline at end of file"] }]);
  });

  it("is compared in slices: other work goes on meanwhile", async () => {
    const { before } = bigTexts(3, 0);
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await compareTexts(before.repeat(4), bigTexts(4, 0).before.repeat(4));
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(3);
  });
});
