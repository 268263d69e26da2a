import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import { decide } from "./decide.ts";
import { parseRule, type Rule } from "./rule.ts";
import { describeSubject } from "./subject.ts";

/**
 * Runs each line of a file in a subshell of bash 4 or newer. No program is on the path, so bash calls the handler with the name of every program that a line would
 * start; programs with a slash in their name are scripts that write it themselves.
 */
const runner = `
PATH=/nowhere
export id=0
command_not_found_handle() {
  # A shell runs its line: what that starts counts.
  if [[ $1 == sh || $1 == bash ]] && [[ $2 == -c || $2 == -lc ]]; then eval "$3"; return; fi
  printf '%s\\t%s\\n' "$id" "$1" >> "$log"
}
enable -n echo test [ cd pwd true false : let export declare typeset local set unset shift source . alias bg fg jobs kill umask ulimit
while IFS= read -r -d '' line <&3; do
  id=$((id+1))
  ( eval "$line"; wait ) < /dev/null > /dev/null 2>&1
done 3< "$lines"
`;

const pieces = [
  ..."ok ok ok ok evil evil other ./ok ./bin/ok git".split(" "),
  ..."ok\\ evil 'ok' \"ok\" 'ok evil' \"./ok evil\" o'k' o\\k ev\"\"il ok* ./o* ~ ok~".split(" "),
  ..."; && || | & |& ;; ( ) { } ! \n \t < > >> &> 2>&1 # \\ \\\n".split(" "),
  ..."' \" ` $ $( ) $x ${x} $'ok' $\"ok\" \\; \\' \\\" , = == [ ] [[ ]] .. / -".split(" "),
  ..."A=1 CI=1 PATH=. LANG=C A+=1 a[0]=1 B='x y' CI=$(evil) LANG=`evil`".split(" "),
  ..."if then else fi while do done for in case esac function time coproc select until".split(" "),
  ..."command exec eval builtin env sudo nice timeout xargs sh bash -c -lc -n 5 -- -x".split(" "),
  "sh -c 'ok'",
  "bash -c 'ok; evil'",
  "sh -c ok evil",
  "eval 'ok; evil'",
  "ok <<x\nevil\nx\n",
  " ",
  " ",
  " ",
  " ",
  "",
  "",
];

/** A small generator with a fixed seed: every run tries the same lines. */
function* generatedLines(seed: number): Generator<string> {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const allowedStarts = ["ok ", "ok a; ok ", "./ok ", "ok 'b' && ", "CI=1 ok ", "ok|", "ok ", ""];
  for (;;) {
    let line = allowedStarts[next(allowedStarts.length)] ?? "";
    for (let left = 1 + next(7); left > 0; left--) {
      line += (pieces[next(pieces.length)] ?? "") + (next(3) === 0 ? "" : " ");
    }
    yield line;
  }
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rules-fuzz-"));
  mkdirSync(join(folder, "bin"));
  for (const name of ["ok", "ok evil", "evil", "other", "okay", "bin/ok"]) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/bash\nprintf '%s\\t%s\\n' "$id" ${JSON.stringify(`./${name}`)} >> "$log"\n`);
    chmodSync(path, 0o755);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** For each line the programs that bash started. */
function programsStarted(lines: readonly string[]): readonly ReadonlySet<string>[] {
  const input = join(folder, "lines");
  const log = join(folder, "log");
  writeFileSync(input, lines.map((line) => `${line}\0`).join(""));
  writeFileSync(log, "");
  const env = { lines: input, log, HOME: folder };
  const { status, stderr } = spawnSync("bash", ["--norc", "--noprofile", "-c", runner], { cwd: folder, env });
  expect(status, stderr.toString()).toBe(0);
  const started = lines.map(() => new Set<string>());
  for (const entry of readFileSync(log, "utf8").split("\n")) {
    const [id = "", program = ""] = entry.split("\t");
    if (id !== "") started[Number(id) - 1]?.add(program);
  }
  return started;
}

function rulesOf(...texts: readonly `${Rule["decision"]} ${string}`[]): readonly Rule[] {
  return texts.map((text) => {
    const [decision, ...match] = text.split(" ");
    return { decision: decision as Rule["decision"], terms: parseRule(match.join(" ")) ?? [] };
  });
}

/** So many lines that are allowed, of however many were made. */
function allowedLines(book: readonly Rule[], seed: number, count: number): readonly string[] {
  const place = { agentId: "a", threadId: "t", cwd: folder };
  const allowed: string[] = [];
  for (const command of generatedLines(seed)) {
    if (allowed.length === count) break;
    const { decision } = decide(book, describeSubject({ kind: "execute", rawInput: { command } }, place));
    if (decision === "allow") allowed.push(command);
  }
  return allowed;
}

it.runIf(process.platform === "linux")(
  "no line that is allowed by its commands starts another program in bash",
  { timeout: 300_000 },
  () => {
    const count = rounds({ some: 300, all: 10_000 });
    const lines = allowedLines(rulesOf("allow command:ok *", "allow command:./ok *"), 1, count);
    const started = programsStarted(lines);
    const wrong = lines.flatMap((line, index) => {
      const others = [...(started[index] ?? [])].filter((program) => program !== "ok" && program !== "./ok");
      return others.length === 0 ? [] : [{ line, others }];
    });
    expect(wrong).toEqual([]);
    expect(started.filter((programs) => programs.size > 0).length).toBeGreaterThan(lines.length * 0.9);
  },
);

it.runIf(process.platform === "linux")(
  "no line that a deny rule lets pass starts the denied program in bash",
  { timeout: 300_000 },
  () => {
    const count = rounds({ some: 200, all: 10_000 });
    const lines = allowedLines(rulesOf("allow all", "deny command:evil *"), 2, count);
    const started = programsStarted(lines);
    const wrong = lines.filter(
      (_, index) => started[index]?.has("evil") === true || started[index]?.has("./evil") === true,
    );
    expect(wrong).toEqual([]);
  },
);
