// The row of a thread says how its agent's commands are sandboxed: for that agent, and after each change of its mode.
import { describe, expect, it } from "vitest";
import { sharedHost } from "../support/shared-host.ts";

describe("the sandbox in the row of a thread", () => {
  it("is none for an agent that runs commands itself, whatever the host could do", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const created = await screen.ask("session.create", { agent_id: "fake", cwd: host.project });
    expect(created).toMatchObject({ thread: { sandbox: { by: "none", network: "on" } } });
    expect(created.thread.sandbox?.detail).toContain("Fake runs with your rights");
  });

  it("is around the whole agent where the person chose that, and stays when the thread is forked or resumed", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const created = await screen.ask("session.create", { agent_id: "fake", cwd: host.project, sandbox: true });
    const inside = {
      sandbox_choice: true,
      sandbox: { by: "signalbox", detail: expect.stringContaining("Fake runs inside") as unknown },
    };
    expect(created.thread).toMatchObject(inside);
    const { thread_id } = created;
    await screen.request({ control: "session.close", thread_id });
    expect(await screen.request({ control: "session.resume", thread_id })).toMatchObject({ thread: inside });
    expect(await screen.request({ control: "session.fork", thread_id })).toMatchObject({ thread: inside });
    const own = await screen.ask("session.create", { agent_id: "demo", cwd: host.project, sandbox: true });
    expect(own).toMatchObject({
      thread: { sandbox: { detail: expect.stringContaining("starts sandboxes itself") as unknown } },
    });
  });

  it("is Signalbox's for our agent, and follows its mode", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const created = await screen.ask("session.create", { agent_id: "demo", cwd: host.project });
    expect(created.thread?.sandbox).toMatchObject({ by: "signalbox", network: "off" });
    const { thread_id } = created;
    await screen.request({ control: "tvx.subscribe", stream: "threads" });
    await screen.request({ control: "session.set_mode", thread_id, mode_id: "rx" });
    const changed = await screen.waitFor(
      (message) =>
        message.type === "tinyvex.update" &&
        message.stream === "threads" &&
        "row" in message &&
        message.row.id === thread_id &&
        message.row.sandbox?.detail.includes("cannot write in the thread's folder") === true,
    );
    expect(changed).toMatchObject({ row: { sandbox: { by: "signalbox" }, current_mode_id: "rx" } });
    await screen.request({ control: "session.close", thread_id });
  });
});
