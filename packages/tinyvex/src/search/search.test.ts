import { type JsonObject, makeSnippet, parseTerms } from "@signalbox/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import type { Register } from "../register.ts";
import {
  endTurn,
  fact,
  output,
  says,
  startTurn,
  thinks,
  threadWithTurn,
  toolCall,
  update,
} from "../testing/entries.ts";
import { indexed, integrity } from "../testing/stored-rows.ts";
import { slow, temporaryRegister } from "../testing/temporary-register.ts";

async function find(register: Register, text: string, more: JsonObject = {}): Promise<string[]> {
  const { rows } = await register.query("search", { text, ...more });
  return rows.map(({ item, item_id: id }) =>
    typeof item === "string" && typeof id === "string" ? `${item} ${id}` : "",
  );
}

/** A snippet with its marks made visible. */
function visible(snippet: unknown): string {
  return JSON.stringify(snippet).replaceAll("\ue000", "[").replaceAll("\ue001", "]").slice(1, -1);
}

describe("a search", slow, () => {
  it("finds a thread by its title, and after a new title only by that one", async () => {
    const { register, path } = await temporaryRegister();
    const { id } = await register.createThread({ agent_id: "a", cwd: "/", title: "Quokka ledger" });
    const other = await threadWithTurn(register);
    register.append(other, update({ sessionUpdate: "session_info_update", title: "Wombat ledger" }));
    await register.settled(other);
    await indexed(path);
    expect(await find(register, "quokka")).toEqual([`thread ${id}`]);
    expect(new Set(await find(register, "ledger"))).toEqual(new Set([`thread ${id}`, `thread ${other}`]));
    expect((await register.query("search", { text: "quok" })).rows[0]).toMatchObject({
      seq: 1,
      kind: "thread",
      thread_title: "Quokka ledger",
    });
    await register.updateThread(id, { title: "Numbat ledger" });
    await indexed(path);
    expect(await find(register, "quokka")).toEqual([]);
    expect(await find(register, "numbat")).toEqual([`thread ${id}`]);
    await register.rebuild();
    await indexed(path);
    expect(await find(register, "numbat")).toEqual([`thread ${id}`]);
    await register.deleteThread(id);
    expect(await find(register, "numbat")).toEqual([]);
  });

  it("has a bounded number of words, and says so", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, says("word"));
    endTurn(register, id, "turn-1");
    await register.settled(id);
    await indexed(path);
    expect(await find(register, "word ".repeat(50))).toHaveLength(1);
    await expect(find(register, "word ".repeat(51))).rejects.toMatchObject({ code: "bad_request" });
  });

  it("finds messages, thoughts, tool titles, inputs, outputs and terminals, and says where", async () => {
    const { register } = await temporaryRegister();
    const { id } = await register.createThread({ agent_id: "agent", cwd: "/work", title: "My thread" });
    startTurn(register, id, "1", "please water the plants");
    register.append(id, thinks("perhaps a watering can"));
    register.append(
      id,
      toolCall("t", {
        title: "Read `garden.md`",
        name: "read_file",
        status: "completed",
        rawInput: { path: "/work/garden.md" },
        ...output("tulips and roses"),
      }),
    );
    register.append(id, says("The tulips are thirsty."));
    register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "make rain", cwd: null }));
    register.append(id, fact({ type: "terminal_output", terminal_id: "x", text: "drip drop\n" }));
    register.append(id, fact({ type: "terminal_ended", terminal_id: "x", exit_code: 0, signal: null }));
    endTurn(register, id, "1");
    await register.settled(id);
    expect(await find(register, "plants")).toEqual(["message m3"]);
    expect(await find(register, "WATERING")).toEqual(["message m4"]);
    expect(await find(register, "garden.md")).toEqual(["tool_call t"]);
    expect(await find(register, "read_file")).toEqual(["tool_call t"]);
    expect(await find(register, "drop")).toEqual(["terminal x"]);
    expect(await find(register, "make rain")).toEqual(["terminal x"]);
    expect(await find(register, "tulips")).toEqual(["message m6", "tool_call t"]);
    expect(await find(register, "tulips thirsty")).toEqual(["message m6"]);
    expect(await find(register, "nothing of this")).toEqual([]);
    const { rows } = await register.query("search", { text: "roses" });
    expect(rows).toMatchObject([
      {
        thread_id: id,
        thread_title: "My thread",
        agent_id: "agent",
        cwd: "/work",
        seq: 5,
        kind: "other",
        ts: expect.any(Number),
      },
    ]);
    expect(visible(rows[0]?.snippet)).toContain("tulips and [roses]");
  });

  it("finds words whatever their accents and case, phrases as they stand, and beginnings", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, says("Das Café an der Straße öffnet früh. Configuration follows."));
    endTurn(register, id, "turn-1");
    await register.settled(id);
    for (const words of ["cafe", "CAFÉ", "straße", "frueh früh", '"der Straße"', "config", "conf*", "café öff"]) {
      expect([words, (await find(register, words)).length]).toEqual([words, words === "frueh früh" ? 0 : 1]);
    }
    expect(await find(register, '"Straße der"')).toEqual([]);
    expect(await find(register, "figuration")).toEqual([]);
  });

  it("takes anything that can be typed", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, says('a AND b OR NOT near {title body}: "quoted" col:val -minus ^caret'));
    endTurn(register, id, "turn-1");
    await register.settled(id);
    for (const words of [
      "AND",
      "near",
      "NOT b",
      '"',
      "title:",
      "{title}",
      "-minus",
      "^caret",
      "col:val",
      "(",
      "*",
      "'; DROP TABLE x",
      "",
    ]) {
      await register.query("search", { text: words });
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => void (await register.query("search", { text }))),
      { numRuns: rounds({ some: 12, all: 200 }) },
    );
    expect(await find(register, "minus caret")).toHaveLength(1);
  });

  it("is narrowed by agent, folder, kind, status, thread and time", async () => {
    let now = 1000;
    const { register } = await temporaryRegister({ now: () => now });
    const make = async (agent: string, cwd: string) => {
      const { id } = await register.createThread({ agent_id: agent, cwd });
      startTurn(register, id, "1", "apple prompt");
      register.append(id, toolCall(`ok-${agent}`, { kind: "read", status: "completed", ...output("apple") }));
      register.append(id, toolCall(`bad-${agent}`, { kind: "edit", status: "failed", ...output("apple") }));
      endTurn(register, id, "1");
      await register.settled(id);
      now += 1000;
      return id;
    };
    const one = await make("one", "/work/app/src");
    await make("two", "/work/apple");
    expect(await find(register, "apple")).toHaveLength(6);
    expect(await find(register, "apple", { agent_id: "two" })).toHaveLength(3);
    expect(await find(register, "apple", { cwd: "/work" })).toHaveLength(6);
    expect(await find(register, "apple", { cwd: "/work/app/" })).toHaveLength(3);
    expect(await find(register, "apple", { cwd: "/wor" })).toHaveLength(0);
    expect(await find(register, "apple", { kind: "read" })).toEqual(["tool_call ok-two", "tool_call ok-one"]);
    expect(await find(register, "apple", { kind: "tool_call" })).toHaveLength(4);
    expect(await find(register, "apple", { kind: "message" })).toHaveLength(2);
    expect(await find(register, "apple", { status: "failed", agent_id: "one" })).toEqual(["tool_call bad-one"]);
    expect(await find(register, "apple", { thread_id: one })).toHaveLength(3);
    expect(await find(register, "apple", { since: 1500 })).toHaveLength(3);
    expect(await find(register, "apple", { until: 1500 })).toHaveLength(3);
    expect(await find(register, "apple", { since: 1, until: 5000 })).toHaveLength(6);
    expect(await find(register, "apple", { since: 9000 })).toHaveLength(0);
    expect(await find(register, "apple", { until: 1 })).toHaveLength(0);
  });

  it("finds a span of time also among histories that were imported later", async () => {
    let now = Date.UTC(2026, 5, 15);
    const { register } = await temporaryRegister({ now: () => now });
    const addThread = async (when: number) => {
      now = when;
      const { id } = await register.createThread({ agent_id: "one", cwd: "/" });
      startTurn(register, id, "1", "apple");
      endTurn(register, id, "1");
      await register.settled(id);
      return JSON.stringify(id);
    };
    const june = await addThread(Date.UTC(2026, 5, 15, 12));
    const december = await addThread(Date.UTC(2025, 11, 31, 23, 59));
    const february = await addThread(Date.UTC(2026, 1, 1));
    const between = async (since: number, until: number) => {
      const { rows } = await register.query("search", { text: "apple", since, until });
      return rows.map(({ thread_id: id }) => JSON.stringify(id)).toSorted();
    };
    expect(await between(Date.UTC(2025, 0), Date.UTC(2027, 0))).toEqual([june, december, february].toSorted());
    expect(await between(Date.UTC(2025, 11, 20), Date.UTC(2026, 3, 10))).toEqual([december, february].toSorted());
    expect(await between(Date.UTC(2026, 0), Date.UTC(2026, 1, 1))).toEqual([february]);
    expect(await between(Date.UTC(2026, 0), Date.UTC(2026, 0, 31))).toEqual([]);
    expect(await between(Date.UTC(2026, 5, 15, 12, 0, 1), Date.UTC(2026, 6))).toEqual([]);
    expect(await between(Date.UTC(1990, 0), Date.UTC(2026, 0))).toEqual([december]);
  });

  it("pages through everything once, the newest first", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, toolCall("phrase", { status: "completed", ...output("a red apple here") }));
    register.append(id, toolCall("title", { title: "red and apple", status: "completed" }));
    for (let index = 0; index < 450; index++)
      register.append(id, toolCall(`t${index}`, { status: "completed", ...output(`apple, not red ${index}`) }));
    await register.settled(id);
    await indexed(path);
    expect((await find(register, "red apple", { limit: 3 })).slice(0, 1)).toEqual(["tool_call t449"]);
    const near = await find(register, '"red apple"');
    expect(near).toEqual(["tool_call phrase"]);
    const all: string[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await register.query("search", {
        text: "apple",
        limit: 70,
        ...(cursor === undefined ? {} : { cursor }),
      });
      all.push(...page.rows.map(({ item_id: item }) => JSON.stringify(item)));
      cursor = page.next_cursor;
    }
    expect(all).toHaveLength(452);
    expect(new Set(all).size).toBe(452);
    const last = await register.query("search", { text: "red apple", limit: 3, since: 0, thread_id: id });
    expect(last.rows).toHaveLength(3);
  });

  it("ranks words side by side, then titles, then whole words, then the newest", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, says("a red apple here"));
    register.append(id, toolCall("title", { title: "red, or apple", status: "completed" }));
    register.append(id, toolCall("apart", { status: "completed", ...output("red pears, green apple") }));
    register.append(id, toolCall("newer", { status: "completed", ...output("red pears, green apple") }));
    register.append(id, toolCall("longer", { status: "completed", ...output("red pears, green apples") }));
    await register.settled(id);
    expect(await find(register, "red apple")).toEqual([
      "message m4",
      "tool_call title",
      "tool_call newer",
      "tool_call apart",
      "tool_call longer",
    ]);
  });

  it("reaches every part of a big text, and shows the place", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const filler = "lorem ipsum dolor sit amet ".repeat(10_000);
    register.append(id, says(`${filler} needleone ${filler} needletwo ${filler} needlethree`));
    register.append(id, toolCall("t", { status: "completed", rawOutput: { log: `${filler} needlefour` } }));
    await register.settled(id);
    await indexed(path);
    for (const needle of ["needleone", "needletwo", "needlethree"]) {
      const { rows } = await register.query("search", { text: needle });
      expect(rows).toMatchObject([{ item: "message", seq: 4 }]);
      expect(visible(rows[0]?.snippet)).toContain(`[${needle}]`);
    }
    expect(await find(register, "needlefour")).toEqual(["tool_call t"]);
    expect(await find(register, "lorem")).toEqual(["tool_call t", "message m4"]);
    await register.rebuild();
    expect(await find(register, "needletwo")).toEqual(["message m4"]);
    await register.close();
    expect(integrity(path)).toBe("ok");
  });

  it("follows a tool call that is told more of after its end", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, toolCall("t", { status: "completed", ...output("first words") }));
    await register.settled(id);
    register.append(id, update({ sessionUpdate: "tool_call_update", toolCallId: "t", ...output("second words") }));
    await register.settled(id);
    expect(await find(register, "second")).toEqual(["tool_call t"]);
    expect(await find(register, "first")).toEqual([]);
  });
});

describe("a snippet", slow, () => {
  const snippet = (text: string, words: string) => visible(makeSnippet(text, parseTerms(words)));

  it("shows where the words stand together", () => {
    const far = "apple ".repeat(100);
    expect(snippet(`${far} some filler here and the apple pie is done ${far}`, "apple pie")).toContain(
      "[apple] [pie] is done",
    );
  });

  it("marks only what was looked for, and no text can forge a mark", () => {
    expect(snippet("one \ue000two\ue001 three", "three")).toBe("one two [three]");
    expect(snippet("Ünder the MOON", "under moon")).toBe("[Ünder] the [MOON]");
    expect(snippet("pineapple apple", "apple")).toBe("pineapple [apple]");
  });
});
