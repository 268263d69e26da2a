// ACP clients that are killed in the middle of turns and come back: each gets every update once. Two clients, so 1,000 rounds in `npm run test:long`;
// SIGNALBOX_KILL_ROUNDS sets how many each.
import type { JsonObject } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { AcpTestClient } from "../support/acp-client.ts";
import { type Step, script, toolCall } from "../support/fake-agent/script.ts";
import { type FakeHost, submit, turnEnd } from "../support/fake-host.ts";
import { rounds } from "../support/rounds.ts";
import { sharedHost } from "../support/shared-host.ts";

const roundCount = Number(process.env.SIGNALBOX_KILL_ROUNDS ?? rounds({ some: 6, all: 500 }));
const seed = Number(process.env.SIGNALBOX_KILL_SEED ?? "21");

/** Numbers below `below`, the same for the same seed (mulberry32). */
function seeded(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Update {
  readonly params?: {
    readonly update: {
      readonly sessionUpdate: string;
      readonly toolCallId?: string;
      readonly content?: { text?: string };
    };
    readonly _meta: { readonly "signalbox/seq": number; readonly "signalbox/offset"?: number };
  };
}

/** A client that follows a thread over many connections and notes everything that came. */
class Follower {
  #position: JsonObject = { "signalbox/afterSeq": 0 };
  heard = "";

  /** Connects, takes so many updates, and is killed. Without a number it takes all that are there. */
  async follow(host: FakeHost, sessionId: string, method: string, count?: number): Promise<void> {
    using client = await AcpTestClient.connect(host.process.ready);
    await client.initialize({ _meta: { "signalbox/positions": true } });
    const request = { sessionId, cwd: host.project, mcpServers: [], _meta: this.#position };
    void client.request(method, request);
    let taken = 0;
    await client.waitFor((message) => {
      if (message.error !== undefined) throw new Error(message.error.message);
      if (message.method === "session/update") {
        this.#append(message as Update);
        taken++;
      }
      return count === undefined ? message.id === 2 : taken >= count;
    });
  }

  #append({ params }: Update): void {
    if (params === undefined) return;
    const { update, _meta } = params;
    const { "signalbox/seq": seq, "signalbox/offset": offset } = _meta;
    const part = offset === undefined ? {} : { "signalbox/afterOffset": offset };
    this.#position = { "signalbox/afterSeq": seq, ...part };
    if (update.sessionUpdate === "tool_call") this.heard += `[${update.toolCallId ?? ""}]`;
    else if (update.sessionUpdate === "agent_message_chunk") this.heard += update.content?.text ?? "";
    else if (update.sessionUpdate === "user_message_chunk") this.heard += `<${(update.content?.text ?? "").length}>`;
  }
}

/** Runs turns of random text and calls until it is told to stop. Gives what a client must hear of them. */
async function runTurns(host: FakeHost, threadId: string, random: (below: number) => number, isOver: () => boolean) {
  const screen = await host.screen();
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
  let expected = "";
  for (let turn = 0; !isOver(); turn++) {
    const steps: Step[] = [];
    let said = "";
    for (let step = 0; step < 40; step++) {
      const kind = random(10);
      if (kind === 0) steps.push({ wait: random(8) });
      else if (kind === 1) {
        steps.push(toolCall(`${turn}.${step}`));
        said += `[${turn}.${step}]`;
      } else {
        steps.push({ say: `${turn}.${step};` });
        said += `${turn}.${step};`;
      }
    }
    expected += `<${script(...steps).length}>${said}`;
    await turnEnd(screen, await submit(screen, threadId, ...steps));
  }
  return expected;
}

it("[R4] clients that are killed at any place and come back lose nothing and get nothing twice", async () => {
  await using host = await sharedHost();
  const random = seeded(seed);
  using first = await AcpTestClient.connect(host.process.ready);
  await first.initialize();
  const sessionId = await first.newSession(host.project);
  let isOver = false;
  const turns = runTurns(host, sessionId, seeded(seed + 1), () => isOver);
  const followers = [new Follower(), new Follower()];
  const chased = followers.map(async (follower) => {
    for (let round = 0; round < roundCount; round++) {
      const method = random(2) === 0 ? "session/load" : "session/resume";
      await follower.follow(host, sessionId, method, 1 + random(60));
    }
  });
  await Promise.all(chased);
  isOver = true;
  const expected = await turns;
  for (const follower of followers) {
    await follower.follow(host, sessionId, "session/load");
    expect(follower.heard).toBe(expected);
  }
}, 600_000);
