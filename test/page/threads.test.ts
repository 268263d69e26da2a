// Thread actions (export, close, resume, fork, queue) and the statistics.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { script, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

describe("a thread", () => {
  it("is exported in every format", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: "Words to **keep**." });
    for (const [name, ending, holds] of [
      ["Markdown", "md", "Words to **keep**."],
      ["web page", "html", '<div class="message">Words to **keep**.</div>'],
      ["JSON", "json", '"Words to **keep**."'],
    ] as const) {
      await page
        .locator(".head")
        .getByRole("button", { name: /^More for/ })
        .click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: `Export as ${name}` }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${ending}$`));
      expect(readFileSync(await download.path(), "utf8")).toContain(holds);
    }
    expect(thread.problems).toEqual([]);
  });

  it("is closed and resumed from its menu and from the notice", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: "Before." });
    const menu = page.locator(".head").getByRole("button", { name: /^More for/ });
    await menu.click();
    await page.getByRole("menuitem", { name: "Close session" }).click();
    await page.locator(".chip.state", { hasText: "closed" }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator(".chip.state", { hasText: "done" }).waitFor();
    await expect.poll(() => page.getByText("Session closed.").count()).toBe(0);
    await menu.click();
    await page.getByRole("menuitem", { name: "Close session" }).click();
    await page.locator(".chip.state", { hasText: "closed" }).waitFor();
    await menu.click();
    await page.getByRole("menuitem", { name: "Resume session" }).click();
    await page.locator(".chip.state", { hasText: "done" }).waitFor();
    await run(screen, threadId, { say: "After." });
    await page.getByRole("article", { name: "Agent" }).getByText("After.").waitFor();
  });

  it("puts queued prompts on hold when it is stopped, and continues on a click", async () => {
    await using thread = await tests.openThread();
    const { page } = thread;
    await thread.prompt.fill(script({ say: "working" }, { wait: 60_000 }));
    await thread.prompt.press("Enter");
    await page.locator(".chip.state", { hasText: "working" }).waitFor();
    await thread.prompt.fill("after the stop");
    await thread.prompt.press("Enter");
    const queue = page.getByRole("list", { name: "Queued prompts" });
    await queue.getByText("next").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Press Esc again to stop").waitFor();
    await page.keyboard.press("Escape");
    await queue.getByText("on hold").waitFor();
    // Stopped is not done, in the head and in the list.
    await page.locator(".chip.state", { hasText: "stopped" }).waitFor();
    await page.locator('a.thread .lamp[data-status="stopped"]').waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("article", { name: "Agent" }).getByText("after the stop").waitFor();
    await queue.waitFor({ state: "detached" });
    expect(thread.problems).toEqual([]);
  });

  it("is forked from its menu, and a session of its agent is resumed from the settings", async () => {
    const sessionCapabilities = { fork: {}, list: {}, resume: {} };
    using elsewhere = new TemporaryFolder();
    const sessions = [{ sessionId: "from-elsewhere", cwd: elsewhere.path, title: "Begun in an editor" }];
    await using thread = await tests.openThreadWith({
      agentArgs: [
        "--initialize",
        JSON.stringify({ agentCapabilities: { sessionCapabilities } }),
        "--sessions",
        JSON.stringify({ sessions }),
      ],
    });
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: "Before the fork." });
    const menu = page.locator(".head").getByRole("button", { name: /^More for/ });
    await menu.click();
    await page.getByRole("menuitem", { name: "Fork" }).click();
    await page.waitForURL((url) => url.hash.startsWith("#/thread/") && !url.hash.includes(threadId));
    // The fork shows what was before it.
    await page.getByRole("list", { name: "History before the fork" }).getByText("Before the fork.").last().waitFor();
    await page.getByRole("region", { name: "Before the fork" }).getByRole("link", { name: "another thread" }).waitFor();
    await thread.goTo("#/settings");
    await page.getByRole("button", { name: "Sessions of Fake" }).click();
    await page.getByText("Begun in an editor").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("heading", { name: "Begun in an editor" }).waitFor();
    expect(thread.problems).toEqual([]);
  });

  it("is named by its agent's label, in the list, the head, the palette and a question", async () => {
    await using thread = await tests.openThread();
    const { page } = thread;
    await page.locator("a.thread[aria-current] .thread-mark", { hasText: "Fake · done" }).waitFor();
    await expect.poll(() => page.locator(".chip.agent").innerText()).toBe("Fake");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Untitled Fake · done" }).waitFor();
  });
});

describe("changes", () => {
  it("are coloured as code, and counted among the busiest files", async () => {
    await using thread = await tests.openThreadOnOwnHost();
    const { page, screen, threadId } = thread;
    const path = join(thread.folder, "src/upload.ts");
    const other = join(thread.folder, "README.md");
    const diff = {
      type: "diff",
      path,
      oldText: "const tries = 1;\n",
      newText: "const tries = 5;\nexport { tries };\n",
    };
    await run(
      screen,
      threadId,
      toolCall("c1", {
        title: "Edit",
        name: "edit_file",
        kind: "edit",
        locations: [
          { path, line: 1 },
          { path, line: 2 },
        ],
      }),
      toolCallUpdate("c1", { status: "completed", content: [diff] }),
      toolCall("c2", { title: "Read", kind: "read", status: "failed", locations: [{ path }, { path: other }] }),
    );
    const keyword = page.locator(".diff-row[data-type=added] span[style*=keyword]", { hasText: "export" });
    await keyword.waitFor();
    // A changed word has no code colour.
    await expect.poll(() => page.locator(".diff mark").allInnerTexts()).toEqual(["1", "5"]);
    await thread.goTo("#/statistics");
    const tools = page.locator(".chart", { hasText: "Tool calls by tool" }).locator("tbody tr");
    await expect.poll(() => tools.allInnerTexts()).toContainEqual(expect.stringMatching(/^edit_file\s+1\s/));
    const rows = page.locator(".chart", { hasText: "Busiest files" }).locator("tbody tr");
    await rows.first().waitFor();
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([expect.stringMatching(/upload\.ts\s+2\s+1/), expect.stringMatching(/README\.md\s+1\s+1/)]);
  });
});
