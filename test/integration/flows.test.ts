// Traces the two flows of ARCHITECTURE.md through the running program: a warm prompt, from the frame that arrives at the host to the request that
// leaves for the model, and a chunk of the answer, from the model to the frame that leaves for the screen.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../support/host-process.ts";
import { TracedProgram } from "../support/trace/traced-program.ts";

/**
 * A flow passes through a file when a function of the file runs between its two ends, in every one of `rounds` warm rounds. Of that are counted:
 *
 * - every file of the packages that the flow goes through (`through`), whether the data itself goes through it or it is only asked on the way;
 * - one for each package that is asked as a whole (`asked`): how the register stores the beginning of a turn is the register's own flow;
 * - no file of the packages that most others import for their pure functions and types (`base`);
 * - no file of `besides`, which runs at the same time for something else: while a prompt goes to the agent, the turn that began goes to the screens;
 *   while a chunk goes to the screen, the register may index earlier messages.
 */
interface Flow {
  readonly through: readonly string[];
  readonly asked: readonly string[];
  readonly besides: readonly string[];
  /** It may fall. The goal is 35 for each. */
  readonly limit: number;
}

const base = ["base", "protocol", "rules", "config", "sandbox", "tool-calls", "agent-kit"];
const flows: Readonly<Record<"prompt" | "update", Flow>> = {
  prompt: {
    through: ["host", "agent"],
    asked: ["tinyvex", "checkpoints"],
    besides: ["host/src/server/fan-out.ts", "host/src/server/subscription.ts", "host/src/server/outbox.ts"],
    limit: 60,
  },
  update: {
    through: ["agent", "host", "tinyvex"],
    asked: [],
    besides: ["tinyvex/src/writer/idle-work.ts", "tinyvex/src/search/"],
    limit: 50,
  },
};

const rounds = 5;
const ran: Record<"prompt" | "update", (readonly string[])[]> = { prompt: [], update: [] };
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
    ran.prompt.push(ofPrompt.files);
    ran.update.push(ofUpdate.files);
  }
}, 60_000);

afterAll(async () => {
  await program[Symbol.asyncDispose]();
});

/** The files that ran in every round. */
function always(flow: "prompt" | "update"): readonly string[] {
  const [first = [], ...others] = ran[flow];
  return first.filter((file) => others.every((files) => files.includes(file)));
}

function passedThrough(flow: "prompt" | "update"): readonly string[] {
  const { through, asked, besides } = flows[flow];
  const files = always(flow);
  const isBesides = (file: string) => besides.some((path) => file.startsWith(path));
  const packagesAsked = asked.filter((name) => files.some((file) => file.startsWith(`${name}/`)));
  const own = files.filter((file) => through.some((name) => file.startsWith(`${name}/`)) && !isBesides(file));
  return [...own, ...packagesAsked.map((name) => `${name} (asked)`)];
}

/** The files of a flow in the drawing of ARCHITECTURE.md, without those that take part under a condition only, and without the page's. */
function drawn(flow: "prompt" | "update"): readonly string[] {
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
    const files = passedThrough(flow);
    if (process.env.SIGNALBOX_PRINT_FLOWS === "1") console.log(`${flow}: ${files.length}\n${files.join("\n")}`);
    expect(files.length, files.join("\n")).toBeLessThanOrEqual(flows[flow].limit);
    // Far fewer would say that the trace saw nothing.
    expect(files.length).toBeGreaterThan(20);
  });

  it("goes where ARCHITECTURE.md draws it", () => {
    const files = always(flow);
    expect(drawn(flow).length).toBeGreaterThan(8);
    expect(drawn(flow).filter((file) => !files.includes(file))).toEqual([]);
  });

  it("uses no package that is not accounted for", () => {
    const { through, asked } = flows[flow];
    const known = new Set([...through, ...asked, ...base]);
    const packages = new Set(always(flow).map((file) => file.split("/")[0] ?? ""));
    expect([...packages].filter((name) => !known.has(name))).toEqual([]);
  });
});
