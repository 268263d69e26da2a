// Tests screens that reconnect all the time while an agent streams: each ends up with the same, complete thread.
import { describe, expect, it } from "vitest";
import { askPermission, toolCall } from "../support/fake-agent/script.ts";
import { question, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const screens = 30;
/** So often each screen connects while the turn runs. */
const minConnections = 3;

describe("a reconnect storm", () => {
  it("[R4] gives every screen the whole thread, nothing missing and nothing twice", async () => {
    await using host = await sharedHost();
    const main = await host.screen();
    const threadId = await host.thread(main);
    const steps = Array.from({ length: 80 }, (_, index) => [{ say: `${index} `, times: 10 }, { wait: 10 }]).flat();
    // The turn ends only when every screen has connected often enough.
    const turnId = await submit(main, threadId, toolCall("gate"), ...steps, askPermission("gate"), { say: "end" });
    let waiting = screens;
    const allConnected = Promise.withResolvers<void>();
    let isOver = false;
    const followers = Array.from({ length: screens }, async () => {
      const all: TestScreen["received"] = [];
      let known: number | undefined;
      let connections = 0;
      // At least one connection begins after the end: what it gets closes the account.
      for (let last = false; !last; connections++) {
        last = isOver;
        using screen = await TestScreen.connect(host.process.ready);
        const from = known === undefined ? {} : { after_seq: known };
        await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId, limit: 1000, ...from });
        const enough = screen.received.length + Math.floor(Math.random() * 6);
        await Promise.race([
          screen.waitFor(() => screen.received.length > enough),
          new Promise((next) => setTimeout(next, 60)),
        ]);
        all.push(...screen.received);
        known = viewOf(all, threadId).seq;
        if (connections + 1 === minConnections && --waiting === 0) allConnected.resolve();
      }
      return viewOf(all, threadId);
    });
    await allConnected.promise;
    const { permission_id, options } = await question(main, threadId);
    const option_id = options[0]?.optionId ?? "";
    await main.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id });
    await turnEnd(main, turnId);
    isOver = true;
    const whole = viewOf(main.received, threadId);
    const followed = await Promise.all(followers);
    for (const view of followed) {
      expect(view.gap).toBe(false);
      expect(view.timeline).toEqual(whole.timeline);
      expect(view.turns).toEqual(whole.turns);
    }
    const health = await fetch(`http://127.0.0.1:${host.process.ready.port}/health`);
    expect(health.status).toBe(200);
  });
});
