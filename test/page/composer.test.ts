// The composer (commands, options, dropped files), jumps by key, large outputs and import.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { script, toolCall } from "../support/fake-agent/script.ts";
import { run, submit, viewOf } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { chooseOption } from "./list-box.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

describe("commands of the agent", () => {
  it("are offered after a slash, with hints, and inserted by key", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, {
      update: {
        sessionUpdate: "available_commands_update",
        availableCommands: [
          { name: "review", description: "Looks at what changed", input: { hint: "which branch" } },
          { name: "plan", description: "Makes a plan" },
        ],
      },
    });
    await thread.prompt.fill("/");
    const options = page.getByRole("option");
    await expect.poll(() => options.count()).toBe(2);
    await expect.poll(() => options.first().innerText()).toMatch(/\/review\s+‹which branch›\s+Looks at what changed/);
    await thread.prompt.pressSequentially("pl");
    await expect.poll(() => options.allInnerTexts()).toEqual([expect.stringContaining("/plan")]);
    // What is typed before the next frame stands where it was typed.
    await page.evaluate(`{
      const real = window.requestAnimationFrame;
      const held = [];
      window.requestAnimationFrame = (run) => held.push(run);
      window.drawFrames = () => { window.requestAnimationFrame = real; for (const run of held) real(run); };
    }`);
    await thread.prompt.press("Tab");
    await page.keyboard.type("a");
    await page.evaluate("window.drawFrames()");
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    await page.keyboard.type("b");
    await expect.poll(() => thread.prompt.inputValue()).toBe("/plan ab");
    // In the middle of a text a slash is a slash.
    await thread.prompt.fill("either/or");
    await expect.poll(() => options.count()).toBe(0);
    // A command that is written out needs no second Enter.
    await thread.prompt.fill("/plan");
    await expect.poll(() => options.count()).toBe(1);
    await thread.prompt.press("Enter");
    await expect.poll(() => thread.prompt.inputValue()).toBe("");
    await page.getByText("/plan", { exact: true }).first().waitFor();
  });
});

describe("options of the agent", () => {
  const configOptions = [
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: "small",
      options: [
        { value: "small", name: "Small" },
        { value: "big", name: "Big" },
      ],
    },
  ];
  it("are shown, and the agent gets the chosen value", async () => {
    const agentArgs = ["--session", JSON.stringify({ configOptions })];
    await using thread = await tests.openThreadWith({ agentArgs });
    const { page, screen, threadId } = thread;
    await chooseOption(page.getByLabel("Model"), "Big");
    await expect
      .poll(async () => {
        await run(screen, threadId, { heard: "session/set_config_option" });
        return viewOf(screen.received, threadId).timeline.at(-1);
      })
      .toMatchObject({ text: expect.stringContaining('"value":"big"') as string });
    // Another one for a single prompt; the end of its turn says which one answered.
    const chip = page.getByLabel("Agent and model");
    await chooseOption(chip, "Small, once");
    await thread.prompt.fill(script({ say: "small answer" }));
    await thread.prompt.press("Enter");
    await expect.poll(() => page.locator(".end").last().innerText()).toMatch(/^small\s+done/);
    await expect.poll(() => chip.innerText()).toMatch(/Big$/);
    // The palette has those that are not in use.
    await page.keyboard.press("Control+k");
    await page.getByLabel("Command or thread").fill("model:");
    const offered = page.getByRole("option", { name: /^Model: / });
    await expect.poll(() => offered.allInnerTexts()).toEqual([expect.stringMatching(/^Model: Small/)]);
    await page.keyboard.press("Enter");
    await expect.poll(() => chip.innerText()).toMatch(/Small$/);
  });
});

describe("files", () => {
  it("dropped on the prompt are sent with it, and can be removed before", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const files = await page.evaluateHandle(`{
      const transfer = new DataTransfer();
      transfer.items.add(new File(["hello from a file"], "note.txt", { type: "text/plain" }));
      transfer.items.add(new File(["not this one"], "other.txt", { type: "text/plain" }));
      transfer;
    }`);
    await page.locator(".composer .box").dispatchEvent("dragover", { dataTransfer: files });
    await page.locator(".composer .box[data-dragged]").waitFor();
    await page.locator(".composer .box").dispatchEvent("drop", { dataTransfer: files });
    const list = page.getByRole("list", { name: "Attachments" });
    await list.getByText("note.txt").waitFor();
    await page.getByRole("button", { name: "Remove other.txt" }).click();
    await thread.prompt.fill("[]");
    await thread.prompt.press("Enter");
    await expect
      .poll(() => viewOf(screen.received, threadId).timeline[0])
      .toMatchObject({
        content: [
          { type: "text", text: "[]" },
          { type: "resource", resource: { text: "hello from a file", mimeType: "text/plain" } },
        ],
      });
    await expect.poll(() => list.count()).toBe(0);
  });
});

describe("jumps", () => {
  it("lead to the next and the previous tool call and error, and continue at the other end", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const text = { say: "A paragraph that takes its room.\n\n".repeat(40) };
    const call = (id: string, status: string) => toolCall(id, { title: id, kind: "read", status });
    await run(
      screen,
      threadId,
      text,
      call("one", "completed"),
      text,
      call("two", "failed"),
      text,
      call("three", "completed"),
      text,
    );
    // All calls are known: the end of the turn is drawn.
    await page.locator(".end").getByText("done").waitFor();
    await page.getByRole("region", { name: "Timeline" }).focus();
    const marked = () => page.locator("[data-marked]").getByRole("article").getAttribute("aria-label");
    const go = async (key: string, name: string) => {
      await page.keyboard.press(key);
      await expect.poll(marked).toContain(`Tool call: ${name}`);
      await page.locator("[data-marked]").getByText(name).first().waitFor();
      // And it is in view.
      await expect
        .poll(() =>
          page.locator("[data-marked]").evaluate((place) => {
            const { top, bottom } = place.getBoundingClientRect();
            const frame = place.closest(".timeline")?.getBoundingClientRect();
            return frame !== undefined && bottom > frame.top && top < frame.bottom;
          }),
        )
        .toBe(true);
    };
    await go("t", "one");
    await go("t", "two");
    await go("t", "three");
    await go("Shift+T", "two");
    await go("Shift+T", "one");
    await go("e", "two");
    await go("e", "two");
    await page.keyboard.press("g");
    await expect
      .poll(() => page.locator(".timeline").evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 60))
      .toBe(true);
  });
});

describe("a large output", () => {
  it("of a terminal is loaded part by part, up to its end", async () => {
    await using thread = await tests.openThreadWith({ config: { permissions: [{ allow: "all" }] } });
    const { page, screen, threadId } = thread;
    // 2.4 MB: three ranges.
    const command = "yes 'a line of this output, with its number' | head -n 60000 | nl";
    await run(screen, threadId, toolCall("c1", { title: "`big`", kind: "execute", status: "completed" }), {
      ask: "terminal/create",
      params: { command, cwd: thread.folder },
      quiet: true,
    });
    const ended = await screen.waitFor(
      (message) => message.type === "tinyvex.update" && message.stream === "terminals" && message.row.ended_at !== null,
    );
    const terminalId = "row" in ended && "terminal_id" in ended.row ? ended.row.terminal_id : "";
    await run(
      screen,
      threadId,
      toolCall("c2", {
        title: "`shown`",
        kind: "execute",
        status: "failed",
        content: [{ type: "terminal", terminalId }],
      }),
    );
    const card = page.getByRole("article", { name: /^Tool call: `shown`/ });
    const terminal = card.locator(".terminal");
    await expect.poll(() => terminal.innerText()).toContain("60000");
    // A failed command opens at its end; the file has all of it.
    await expect
      .poll(() => terminal.evaluate((pre) => pre.scrollHeight - pre.scrollTop - pre.clientHeight))
      .toBeLessThan(5);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      card.getByRole("button", { name: /^Download/ }).click(),
    ]);
    expect(readFileSync(await download.path(), "utf8")).toMatch(/^\s+1\t[^]*\s60000\t.*\n$/);
    const earlier = card.getByRole("button", { name: /^Load earlier/ });
    // Both immediately: neither click is lost.
    await card.evaluate((element) => {
      const buttons = [...element.querySelectorAll("button")];
      for (const words of ["Load earlier", "Load from the beginning"])
        buttons.find(({ textContent }) => textContent?.startsWith(words))?.click();
    });
    await card.getByRole("button", { name: /^Load more/ }).waitFor();
    await earlier.click();
    await earlier.waitFor({ state: "hidden" });
    // From the first line to the last; what is above is unfolded when asked for.
    await card.getByRole("button", { name: "Show more (60 k lines above)" }).waitFor();
    await expect.poll(() => terminal.innerText()).toContain(" 60000");
  });
});

describe("import", () => {
  it("shows its progress, and imported threads can be opened", async () => {
    using home = new TemporaryFolder();
    writeHistories(home.path);
    vi.stubEnv("HOME", home.path);
    await using thread = await tests.openThreadOnOwnHost().finally(() => vi.unstubAllEnvs());
    const { page } = thread;
    await thread.goTo("#/settings");
    const bar = page.getByRole("progressbar", { name: "Import of Claude Code" });
    // It can be there for some milliseconds only: every change of the page is looked at.
    await page.evaluate(`
      window.wasSeen = false;
      new MutationObserver(() => {
        window.wasSeen ||= document.querySelector("[aria-label='Import of Claude Code']") !== null;
      }).observe(document.body, { childList: true, subtree: true });
    `);
    await page.getByRole("button", { name: "Import Claude Code" }).click();
    await expect.poll(() => page.evaluate("window.wasSeen")).toBe(true);
    await bar.waitFor({ state: "hidden" });
    await page.locator(".thread", { hasText: "Question 0 of session 7" }).click();
    await page.getByText("Answer 99").first().waitFor();
    // What Claude did through Signalbox looks as it did live: its kind, its title, the change, the command.
    await page.locator(".thread", { hasText: "Mend the shop" }).click();
    const edit = page.getByRole("article", { name: /Edit.*shop\.ts/ });
    await edit.locator(".diff-row", { hasText: "open = true" }).first().waitFor();
    await expect.poll(() => edit.innerText()).toMatch(/^edit\n/);
    await page.getByRole("article", { name: /npm test/ }).waitFor();
    const issue = page.getByRole("article", { name: /create_issue/ });
    await expect.poll(() => issue.innerText()).toMatch(/^edit\n/);
  });
});

/** Enough to see progress, and a session with tools that Signalbox and another MCP server offered. */
function writeHistories(home: string): void {
  const folder = join(home, ".claude/projects/-work");
  mkdirSync(folder, { recursive: true });
  writeToolSession(folder);
  for (let session = 0; session < 30; session++) {
    const lines = Array.from({ length: 100 }, (_, index) => {
      const timestamp = new Date(Date.UTC(2026, 0, 2, session, 0, index)).toISOString();
      const common = { cwd: "/work", timestamp, sessionId: `s${session}` };
      return index % 2 === 0
        ? { ...common, type: "user", message: { content: `Question ${index} of session ${session}` } }
        : {
            ...common,
            type: "assistant",
            message: { id: `m${index}`, content: [{ type: "text", text: `Answer ${index}` }] },
          };
    });
    writeFileSync(join(folder, `s${session}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}

describe("while the agent works", () => {
  it("typing a title is not disturbed, and the prompt keeps the focus beside an empty find bar", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    // The page is drawn again with every word.
    const words = Array.from({ length: 400 }, (_, index) => [{ say: `word ${index} ` }, { wait: 30 }]).flat();
    // However slow the page is, the agent is not done before it.
    await submit(screen, threadId, ...words, { wait: 60_000 });
    await page.getByText("word 3").first().waitFor();
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("F2");
    await page.keyboard.type("Named while it works", { delay: 40 });
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Named while it works", exact: true }).waitFor();
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find in this thread").waitFor();
    await thread.prompt.click();
    await page.keyboard.type("what comes next", { delay: 40 });
    await expect.poll(() => thread.prompt.inputValue()).toBe("what comes next");
    await expect.poll(() => page.locator(".chip.state").innerText()).toBe("working");
  });
});

function writeToolSession(folder: string): void {
  const common = { cwd: "/work", timestamp: new Date(Date.UTC(2026, 0, 5)).toISOString(), sessionId: "tools" };
  const tools = [
    {
      name: "mcp__acp__Edit",
      input: { file_path: "/work/shop.ts", old_string: "open = false", new_string: "open = true" },
    },
    { name: "mcp__acp__Bash", input: { command: "npm test" } },
    { name: "mcp__github__create_issue", input: { title: "Shop" } },
  ].map((tool, index) => ({ type: "tool_use", id: `call-${index}`, ...tool }));
  const results = tools.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
  const session = [
    { ...common, type: "user", message: { content: "Mend the shop" } },
    { ...common, type: "assistant", message: { id: "m1", content: tools } },
    { ...common, type: "user", message: { content: results } },
  ];
  writeFileSync(join(folder, "tools.jsonl"), session.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
