// Traces the two flows of ARCHITECTURE.md through the running program: a warm prompt, from the frame that arrives at the host to the request that
// leaves for the model, and a chunk of the answer, from the model to the frame that leaves for the screen.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../support/host-process.ts";
import { askedByPrompt, askedByUpdate } from "../support/trace/asked-on-the-way.ts";
import { type TracedFunction, TracedProgram } from "../support/trace/traced-program.ts";

/**
 * A flow passes through a file when a function of the file is given the prompt or the update, or a part of its content, on the way between its two ends,
 * in every one of `rounds` warm rounds. All files that run are counted, except
 *
 * - those that are only asked on the way (`asked`): the list says of each why, and which functions may run;
 * - those that run in the meantime for something else (`besides`): while a prompt goes to the agent, a checkpoint of the folder is made and the turn
 *   that began goes to the screens; while a chunk goes to the screen, the register indexes earlier messages and stores the checkpoint's fact;
 * - the files of packages that most others import for their pure functions and types (`base`).
 *
 * A package in `whole` counts as one: how the register stores the beginning of a turn is a flow of its own, and the second one shows it.
 */
interface Flow {
  readonly through: readonly string[];
  readonly whole: readonly string[];
  readonly asked: typeof askedByPrompt;
  readonly besides: readonly string[];
  /** The present counts are 34 and 31; under load a file or two more run in every round. */
  readonly limit: number;
}

const base = ["base", "protocol", "rules", "config", "sandbox", "tool-calls", "agent-kit"];
const flows: Readonly<Record<"prompt" | "update", Flow>> = {
  prompt: {
    through: ["host", "agent"],
    whole: ["tinyvex"],
    asked: askedByPrompt,
    besides: [
      "checkpoints/",
      "host/src/open-host-services.ts",
      "host/src/server/fan-out.ts",
      "host/src/server/subscription.ts",
      "host/src/server/outbox.ts",
    ],
    limit: 35,
  },
  update: {
    through: ["agent", "host", "tinyvex"],
    whole: [],
    asked: askedByUpdate,
    besides: [
      "tinyvex/src/writer/idle-work.ts",
      "tinyvex/src/search/",
      "tinyvex/src/projection/facts.ts",
      "tinyvex/src/queries/rows.ts",
    ],
    limit: 35,
  },
};

const rounds = 5;
const ran: Record<"prompt" | "update", (readonly TracedFunction[])[]> = { prompt: [], update: [] };
let program: TracedProgram;

beforeAll(async () => {
  program = await TracedProgram.start();
  const { screen, project } = program;
  const { thread_id } = await screen.ask("session.create", { agent_id: "traced", cwd: project });
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id });
  // The first round loads what later ones find loaded.
  for (let round = 0; round <= rounds; round++) {
    const prompt = [{ type: "text", text: `Say word-${round}.` }];
    const ofPrompt = await program.trace(async () => {
      await screen.ask("run.submit", { thread_id, prompt_id: `prompt-${round}`, prompt });
      return await program.asked();
    });
    const answer = ofPrompt.result;
    const ofUpdate = await program.trace(() => {
      answer.begin(`word-${round}`);
      return screen.waitFor((message) => "text_delta" in message && message.text_delta === `word-${round}`);
    });
    answer.end();
    await screen.waitFor(
      (message) =>
        "stream" in message &&
        message.stream === "turns" &&
        "row" in message &&
        message.row.prompt_id === `prompt-${round}` &&
        message.row.ended_at !== null,
    );
    if (round === 0) continue;
    ran.prompt.push(ofPrompt.functions);
    ran.update.push(ofUpdate.functions);
  }
}, 60_000);

afterAll(async () => {
  await program[Symbol.asyncDispose]();
});

/** The functions that ran in every round, by file. */
function findFunctions(flow: "prompt" | "update"): ReadonlyMap<string, ReadonlySet<string>> {
  const [first = [], ...others] = ran[flow].map((round) => new Set(round.map(({ file, name }) => `${file} ${name}`)));
  const byFile = new Map<string, Set<string>>();
  for (const each of first) {
    if (!others.every((round) => round.has(each))) continue;
    const [file = "", ...name] = each.split(" ");
    byFile.set(file, (byFile.get(file) ?? new Set()).add(name.join(" ")));
  }
  return byFile;
}

function listFiles(flow: "prompt" | "update"): readonly string[] {
  return [...findFunctions(flow).keys()].toSorted();
}

function listPassedThrough(flow: "prompt" | "update"): readonly string[] {
  const { through, whole, asked, besides } = flows[flow];
  const files = listFiles(flow).filter(
    (file) => asked[file] === undefined && !besides.some((path) => file.startsWith(path)),
  );
  const isIn = (packages: readonly string[]) => (file: string) => packages.includes(file.split("/")[0] ?? "");
  return [...files.filter(isIn(through)), ...whole.filter((name) => files.some(isIn([name])))];
}

/** The files of a flow in the drawing of ARCHITECTURE.md, without those that take part under a condition only, and without the page's. */
function listDrawn(flow: "prompt" | "update"): readonly string[] {
  const drawing =
    readFileSync(join(root, "ARCHITECTURE.md"), "utf8").split("## The two flows")[1]?.split("```")[1] ?? "";
  const [, prompt = "", update = ""] = drawing.split(/\na (?:prompt)|\nan (?:update)/);
  let name = "";
  return (flow === "prompt" ? prompt : update).split("\n").flatMap((line) => {
    name = /^ {2}([\w-]+) /.exec(line)?.[1] ?? name;
    if (!["host", "agent", "tinyvex", "sandbox"].includes(name) || line.includes("(only")) return [];
    return [...line.matchAll(/[\w/-]+\.ts/g)].map(([file]) => `${name}/src/${file}`);
  });
}

describe.each(["prompt", "update"] as const)("a warm %s", (flow) => {
  it("passes through few files", () => {
    const files = listPassedThrough(flow);
    if (process.env.SIGNALBOX_PRINT_FLOWS === "1") {
      const asked = Object.keys(flows[flow].asked).map((file) => `(asked) ${file}`);
      console.log([`${flow}: ${files.length}, and ${asked.length} asked`, ...files, ...asked].join("\n"));
    }
    expect(files.length, files.join("\n")).toBeLessThanOrEqual(flows[flow].limit);
    // Far fewer would say that the trace saw nothing.
    expect(files.length).toBeGreaterThan(20);
  });

  it("goes where ARCHITECTURE.md draws it", () => {
    const files = listFiles(flow);
    expect(listDrawn(flow).length).toBeGreaterThan(8);
    expect(listDrawn(flow).filter((file) => !files.includes(file))).toEqual([]);
  });

  it("runs the listed functions, and no others, of the files that are only asked", () => {
    const functions = findFunctions(flow);
    const listed = Object.entries(flows[flow].asked);
    expect(listed.flatMap(([file]) => (functions.has(file) ? [] : [file]))).toEqual([]);
    const others = listed.flatMap(([file, { functions: names }]) =>
      [...(functions.get(file) ?? [])].filter((name) => !names.includes(name)).map((name) => `${file} ${name}`),
    );
    expect(others).toEqual([]);
  });

  it("uses no package that is not accounted for", () => {
    const { through, whole, besides } = flows[flow];
    const known = new Set([...through, ...whole, ...base]);
    const isBesides = (file: string) => besides.some((path) => file.startsWith(path));
    const packages = new Set(listFiles(flow).flatMap((file) => (isBesides(file) ? [] : [file.split("/")[0] ?? ""])));
    expect([...packages].filter((name) => !known.has(name))).toEqual([]);
  });
});
