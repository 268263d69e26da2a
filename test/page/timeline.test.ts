// The timeline (diffs, terminals, plan, following the end), lost connections, and the prompt queue.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { progressMetaKey } from "@signalbox/tool-calls";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { script, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { Gate } from "../support/gate.ts";
import { chooseOption } from "./list-box.ts";
import { pageTests, restingTop } from "./open-thread.ts";

const tests = pageTests();

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const card = (page: Page, title: string) => page.getByRole("article", { name: new RegExp(`^Tool call: ${title}`) });
const isAtEnd = (page: Page) =>
  page.locator(".timeline").evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 60);

describe("the timeline", () => {
  it("shows a change with its words directly under the bar that names the file", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const oldText = "one\nthrow new UploadError(status)\nthree\n";
    const newText = "one\nthrow new RetryableError(status)\nthree\n";
    const path = join(thread.folder, "src/upload.ts");
    await run(
      screen,
      threadId,
      toolCall("c1", { title: "Edit", kind: "edit", locations: [{ path }] }),
      toolCallUpdate("c1", { status: "completed", content: [{ type: "diff", path, oldText, newText }] }),
    );
    const edit = card(page, "Edit");
    // An edit is open.
    await edit.locator(".diff").waitFor();
    await expect.poll(() => edit.locator(".bar").innerText()).toMatch(/src\/upload\.ts\s+Edit\s+\+1 −1/);
    await expect.poll(() => edit.locator("mark").allInnerTexts()).toEqual(["UploadError", "RetryableError"]);
    await expect.poll(() => edit.locator(".diff-row").count()).toBe(4);
    expect(thread.problems).toEqual([]);
  });

  it("shows a real terminal live, with its colours, and how it ended", async () => {
    await using thread = await tests.openThreadWith({ config: { permissions: [{ allow: "all" }] } });
    const { page, screen, threadId } = thread;
    const command = "printf '\\033[31mred\\033[0m first\\n'; read line < go; echo last; exit 3";
    execFileSync("mkfifo", [join(thread.folder, "go")]);
    await run(screen, threadId, toolCall("c1", { title: "`wait`", kind: "execute", status: "completed" }), {
      ask: "terminal/create",
      params: { command, cwd: thread.folder },
      quiet: true,
    });
    const printed = await screen.waitFor(
      (message) =>
        message.type === "tinyvex.update" && message.stream === "terminals" && message.row.output.includes("first"),
    );
    const terminalId = "row" in printed && "terminal_id" in printed.row ? printed.row.terminal_id : "";
    await run(
      screen,
      threadId,
      toolCall("c2", {
        title: "`again`",
        kind: "execute",
        status: "failed",
        content: [{ type: "terminal", terminalId }],
      }),
    );
    const again = card(page, "`again`");
    await expect.poll(() => again.locator(".ansi-1").innerText()).toBe("red");
    await expect.poll(() => again.locator(".terminal").innerText()).toContain("red first");
    // The command still runs and reads from this pipe. Without a reader this does not end.
    await writeFile(join(thread.folder, "go"), "\n");
    await again.locator(".terminal").getByText("last").waitFor();
    await again.getByText("exit 3", { exact: true }).waitFor();
    // The host's item of the command is inside the call that shows its terminal, with the command that really ran.
    await again.getByText("read line < go").waitFor();
    await expect.poll(() => card(page, "printf").count()).toBe(0);
  });

  it("folds thoughts, updates the plan, shows how far calls are, and the end of a turn", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const plan = (status: string) => ({
      update: { sessionUpdate: "plan", entries: [{ content: "Mend it", priority: "high", status }] },
    });
    const far = (progress: number) => ({ [progressMetaKey]: { progress, total: 100, message: "half a step" } });
    const gate = new Gate(thread.host.folder.path);
    const turnId = await submit(
      screen,
      threadId,
      { update: { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "secret thought" } } },
      plan("in_progress"),
      toolCall("far", { title: "Count", status: "in_progress", _meta: far(25) }),
      toolCall("unknown", { title: "Wait", status: "in_progress" }),
      toolCallUpdate("far", { _meta: far(50) }),
      gate.step,
      plan("completed"),
      toolCallUpdate("far", { status: "completed" }),
      toolCallUpdate("unknown", { status: "completed" }),
      toolCall("ended", { title: "Known when it had ended", status: "completed" }),
      { say: "| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nconst x = 1;\n```\n" },
    );
    await page.locator(".plan li[data-status=in_progress]").waitFor();
    // A call that says how far it is has a bar; another one shows how long it runs.
    const bar = page.getByRole("progressbar");
    await expect.poll(() => bar.getAttribute("aria-valuetext")).toBe("50 %, half a step");
    await expect.poll(() => card(page, "Wait").innerText()).toMatch(/Wait\s+\d+ s$/);
    await expect.poll(() => bar.count()).toBe(1);
    await gate.open();
    await turnEnd(screen, turnId);
    await expect.poll(() => bar.count()).toBe(0);
    // Three finished calls are one line, which unfolds to rows.
    const steps = page.getByRole("article", { name: "Finished steps" }).getByRole("button");
    await expect.poll(() => steps.innerText()).toMatch(/^Used 3 tools/);
    await expect.poll(() => card(page, "Wait").count()).toBe(0);
    await steps.click();
    await expect.poll(() => card(page, "Wait").innerText()).toMatch(/\d m?s$/);
    // How long it took is not known, so no time is shown.
    await expect.poll(() => card(page, "Known").innerText()).toBe("other\nKnown when it had ended");
    await page.locator(".plan li[data-status=completed]").waitFor();
    const thought = page.getByRole("article", { name: "Thought" });
    expect(await thought.innerText()).not.toContain("secret");
    await thought.getByRole("button").click();
    await thought.getByText("secret thought").waitFor();
    await page.getByRole("cell", { name: "2" }).waitFor();
    // Code gets its colours and can be copied.
    await page.locator(".code-block span[style]").first().waitFor();
    await page.locator(".code-block").getByRole("button", { name: "Copy" }).waitFor();
    await expect.poll(() => page.locator(".end").last().innerText()).toContain("done");
  });

  it("shows text and pictures in the order in which they were sent, footnotes below, and folds a long prompt", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const chunk = (content: object) => ({ update: { sessionUpdate: "agent_message_chunk", content } });
    const wide = "word".repeat(40);
    await run(
      screen,
      threadId,
      chunk({ type: "image", mimeType: "image/png", data: dot }),
      chunk({ type: "text", text: "below the picture[^1]\n\nand more\n\n[^1]: Seen by *all*.\n\n" }),
      chunk({ type: "text", text: `| eight | ${wide} | ${wide} |\n|-|-|-|\n| nine | ${wide} | ${wide} |\n\nThe end.` }),
    );
    const answer = page.getByRole("article", { name: "Agent" });
    const [picture, text] = [answer.locator("img"), answer.getByText("below the picture")];
    // The text is drawn again when its Markdown has loaded; until then it may have no place.
    const isAbove = async () => {
      const [above, below] = [await picture.boundingBox(), await text.boundingBox()];
      return above !== null && below !== null && above.y < below.y;
    };
    await expect.poll(isAbove).toBe(true);
    await answer.getByRole("button", { name: "Footnote 1" }).click();
    const note = answer.getByRole("list", { name: "Footnotes" }).getByRole("listitem");
    await expect.poll(() => note.innerText()).toMatch(/^1\s+Seen by all\.$/);
    await expect.poll(() => note.evaluate((item) => item.ownerDocument.activeElement === item)).toBe(true);
    await expect.poll(() => answer.innerText()).not.toContain("[^1]");
    // A wide table scrolls; it breaks no words.
    const linesOf = (cell: string) =>
      answer.getByRole("columnheader", { name: cell }).evaluate((header) => {
        const range = header.ownerDocument.createRange();
        range.selectNodeContents(header);
        return range.getClientRects().length;
      });
    await expect.poll(() => linesOf("eight")).toBe(1);
    // A long prompt is folded.
    await thread.prompt.fill(Array.from({ length: 100 }, (_, line) => `line ${line} of the prompt`).join("\n"));
    await thread.prompt.press("Enter");
    const long = page.getByRole("article", { name: "You" }).last();
    const fold = long.getByRole("button", { name: "Show all 100 lines" });
    await fold.waitFor();
    const height = async () => (await long.boundingBox())?.height ?? 0;
    await expect.poll(height).toBeLessThan(500);
    await fold.click();
    await expect.poll(height).toBeGreaterThan(1500);
  });

  it("follows the end only while you are there, and G goes back to it", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const lines = (word: string) => ({ say: `${word}\n\n`.repeat(40) });
    await run(
      screen,
      threadId,
      lines("early"),
      toolCall("c1", { title: "Stop", kind: "read", status: "failed" }),
      lines("late"),
    );
    const answer = (word: string) => page.getByRole("article", { name: "Agent" }).getByText(word).last();
    await answer("late").waitFor();
    await expect.poll(() => isAtEnd(page)).toBe(true);
    await run(screen, threadId, lines("newer"));
    await answer("newer").waitFor();
    await expect.poll(() => isAtEnd(page)).toBe(true);
    // Go to the failed call by key; new text does not move it.
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("e");
    await expect.poll(() => isAtEnd(page)).toBe(false);
    await card(page, "Stop").waitFor();
    const before = await restingTop(card(page, "Stop"));
    expect(before).toBeGreaterThan(0);
    const height = () => page.locator(".track").evaluate((track) => track.clientHeight);
    const heightBefore = await height();
    await run(screen, threadId, lines("newest"));
    await expect.poll(height).toBeGreaterThan(heightBefore + 100);
    expect(await restingTop(card(page, "Stop"))).toBe(before);
    await page.keyboard.press("g");
    await expect.poll(() => isAtEnd(page)).toBe(true);
    await answer("newest").waitFor();
  });

  it("shows what to do when the agent crashes", async () => {
    await using thread = await tests.openThread();
    const { page } = thread;
    await thread.prompt.fill(script({ say: "half" }, { log: "out of cheese" }, { exit: 7 }));
    await thread.prompt.press("Enter");
    const error = page.getByRole("article", { name: "Error" });
    await error.waitFor();
    await expect.poll(() => error.innerText()).toMatch(/exited with code 7[\s\S]*out of cheese[\s\S]*Send a message/);
    await page.locator(".chip.state", { hasText: "failed" }).waitFor();
  });
});

describe("a lost connection", () => {
  it("to a host that is updated: the page says what is missing and shows the rest", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: "words as they were written" });
    await page.route("**/assets/markdown-block*", (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await page.getByRole("article", { name: "Agent" }).getByText("words as they were written").waitFor();
    await page.route("**/assets/page-*", (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await page.getByText("Signalbox was probably updated: reload the page.").waitFor();
  });

  it("loses and repeats nothing of a turn, a prompt that was sent meanwhile runs once, and a view loads when the host is back", async () => {
    await using thread = await tests.openThreadOnOwnHost();
    const { page, screen, threadId, host } = thread;
    await run(screen, threadId, { say: "before the restart" });
    await submit(screen, threadId, { say: "in the middle" }, { wait: 60_000 });
    const agent = page.getByRole("article", { name: "Agent" });
    await agent.getByText("in the middle").waitFor();
    await host.process.stop("SIGKILL");
    await page.getByText("Disconnected.").waitFor();
    await thread.prompt.fill("are you back");
    await thread.prompt.press("Enter");
    await page.getByText("Will be sent when reconnected").waitFor();
    await host.restart();
    await page.getByRole("article", { name: "Error" }).getByText("Interrupted").waitFor();
    await page.getByText("Disconnected.").waitFor({ state: "hidden" });
    await agent.getByText("are you back").waitFor();
    await page.locator(".chip.state", { hasText: "done" }).waitFor();
    const said = async () => (await agent.allInnerTexts()).map((text) => text.trim());
    // The agent has no session any more: it is told what was said before.
    const again = expect.stringMatching(/are you back$/) as string;
    await expect.poll(said).toEqual(["before the restart", "in the middle", again]);
    await expect.poll(() => page.getByRole("article", { name: "You" }).count()).toBe(3);

    await host.process.stop();
    await page.getByText("Disconnected.").waitFor();
    await page.getByRole("link", { name: "Statistics" }).click();
    await page.getByText("Loading").waitFor();
    await host.restart();
    await page.getByRole("heading", { name: "Statistics" }).waitFor();
  });
});

describe("prompts", () => {
  it("are queued, and can be edited and removed before they run", async () => {
    await using thread = await tests.openThread();
    const { page } = thread;
    const gate = new Gate(thread.host.folder.path);
    await thread.prompt.fill(script({ say: "working" }, gate.step));
    await thread.prompt.press("Enter");
    await page.locator(".chip.state", { hasText: "working" }).waitFor();
    for (const text of ["first in line", "second in line"]) {
      await thread.prompt.fill(text);
      await thread.prompt.press("Enter");
    }
    const queue = page.getByRole("list", { name: "Queued prompts" });
    await expect.poll(() => queue.getByRole("listitem").count()).toBe(2);
    await queue.getByRole("button", { name: "Remove" }).last().click();
    await expect.poll(() => queue.getByRole("listitem").count()).toBe(1);
    await queue.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Queued prompt", { exact: true }).fill("edited in line");
    await page.getByLabel("Queued prompt", { exact: true }).press("Enter");
    // Saved, not only typed: the text of a field is a text too.
    await queue.locator(".queued", { hasText: "edited in line" }).waitFor();
    // An edit that is not saved when the prompt starts is not lost.
    await queue.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Queued prompt", { exact: true }).fill("edited too late");
    await gate.open();
    await page.getByRole("article", { name: "Agent" }).getByText("edited in line").waitFor();
    await page.getByText("Your text was not sent: it is in the prompt field.").waitFor();
    await expect.poll(() => thread.prompt.inputValue()).toBe("edited too late");
    await expect.poll(() => page.getByRole("article", { name: "You" }).allInnerTexts()).toHaveLength(2);
  });

  it("mention files as links, keep the draft, come back with ↑, and the mode can be changed", async () => {
    const modes = {
      currentModeId: "ask",
      availableModes: [
        { id: "ask", name: "Ask" },
        { id: "code", name: "Code" },
      ],
    };
    await using thread = await tests.openThreadWith({ agentArgs: ["--session", JSON.stringify({ modes })] });
    const { page, screen, threadId } = thread;
    mkdirSync(join(thread.folder, "src"));
    writeFileSync(join(thread.folder, "src/upload.ts"), "");
    await thread.prompt.pressSequentially("Look at @uplo");
    await page.getByRole("option", { name: "src/upload.ts" }).waitFor();
    await thread.prompt.press("Enter");
    await expect.poll(() => thread.prompt.inputValue()).toBe("Look at @src/upload.ts ");
    await page.reload();
    await expect.poll(() => thread.prompt.inputValue()).toBe("Look at @src/upload.ts ");
    await thread.prompt.fill("");
    await thread.prompt.pressSequentially("See @uplo");
    await page.getByRole("option", { name: "src/upload.ts" }).click();
    await expect.poll(() => thread.prompt.inputValue()).toBe("See @src/upload.ts ");
    await thread.prompt.press("Enter");
    const you = page.getByRole("article", { name: "You" });
    await expect.poll(() => you.locator(".mention").innerText()).toBe("@upload.ts");
    const uri = `file://${join(thread.folder, "src/upload.ts")}`;
    await expect
      .poll(() => viewOf(screen.received, threadId).timeline[0])
      .toMatchObject({ content: [{ type: "text" }, { type: "resource_link", uri }, {}] });
    await thread.prompt.press("ArrowUp");
    await expect.poll(() => thread.prompt.inputValue()).toContain("See ");
    await chooseOption(page.getByLabel("Mode"), "Code");
    await expect.poll(() => viewOf(screen.received, threadId).state?.current_mode_id).toBe("code");
  });

  it("can contain a pasted picture", async () => {
    await using thread = await tests.openThread();
    const { page } = thread;
    await thread.prompt.focus();
    // As a string, because this file is checked without browser types.
    await page.evaluate(`{
      const data = new DataTransfer();
      const dot = Uint8Array.from(atob("${dot}"), (letter) => letter.charCodeAt(0));
      data.items.add(new File([dot], "dot.png", { type: "image/png" }));
      const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      document.activeElement.dispatchEvent(paste);
    }`);
    await page.getByText("dot.png").waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("article", { name: "You" }).locator("img").waitFor();
    expect(thread.problems).toEqual([]);
  });
});
