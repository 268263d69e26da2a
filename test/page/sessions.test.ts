// What can be done with a thread as a whole, and what is counted of all of them: in a real Chromium against a real host.
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../support/browser.ts";
import { script, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run } from "../support/fake-host.ts";
import { OpenThread } from "./open-thread.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe("a thread", () => {
  it("is saved as a file in every format that the host has, though the host wants the token for it", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: "Words to **keep**." });
    for (const [name, ending, holds] of [
      ["Markdown", "md", "Words to **keep**."],
      ["a web page", "html", '<div class="message">Words to **keep**.</div>'],
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

  it("is closed and resumed from its menu and from where it says that no agent runs", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen, threadId } = thread;
    await run(screen, threadId, { say: "Before." });
    const menu = page.locator(".head").getByRole("button", { name: /^More for/ });
    await menu.click();
    await page.getByRole("menuitem", { name: "Close session" }).click();
    await page.locator(".chip.state", { hasText: "closed" }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator(".chip.state", { hasText: "done" }).waitFor();
    expect(await page.getByText("The session is closed.").count()).toBe(0);
    await menu.click();
    await page.getByRole("menuitem", { name: "Close session" }).click();
    await page.locator(".chip.state", { hasText: "closed" }).waitFor();
    await menu.click();
    await page.getByRole("menuitem", { name: "Resume session" }).click();
    await page.locator(".chip.state", { hasText: "done" }).waitFor();
    await run(screen, threadId, { say: "After." });
    await page.getByRole("article", { name: "Agent" }).getByText("After.").waitFor();
  });

  it("holds back what waits when it is stopped, and runs it when a person says so", async () => {
    await using thread = await OpenThread.start(browser);
    const { page } = thread;
    await thread.prompt.fill(script({ say: "working" }, { wait: 60_000 }));
    await thread.prompt.press("Enter");
    await page.locator(".chip.state", { hasText: "working" }).waitFor();
    await thread.prompt.fill("after the stop");
    await thread.prompt.press("Enter");
    const queue = page.getByRole("list", { name: "Queued prompts" });
    await queue.getByText("next").waitFor();
    await page.keyboard.press("Escape");
    await queue.getByText("held").waitFor();
    await page.getByRole("button", { name: "Run them now" }).click();
    await page.getByRole("article", { name: "Agent" }).getByText("after the stop").waitFor();
    await queue.waitFor({ state: "detached" });
    expect(thread.problems).toEqual([]);
  });

  it("is forked from its menu, and another session of its agent is taken up from the settings", async () => {
    const sessionCapabilities = { fork: {}, list: {}, resume: {} };
    const sessions = [{ sessionId: "from-elsewhere", cwd: tmpdir(), title: "Begun in an editor" }];
    await using thread = await OpenThread.start(browser, {
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
    await thread.open("#/settings");
    await page.getByRole("button", { name: "Sessions of Fake" }).click();
    await page.getByText("Begun in an editor").waitFor();
    await page.getByRole("button", { name: "Take up" }).click();
    await page.getByRole("heading", { name: "Begun in an editor" }).waitFor();
    expect(thread.problems).toEqual([]);
  });

  it("is named by its agent's label, in the list, the head, the palette and a question", async () => {
    await using thread = await OpenThread.start(browser);
    const { page } = thread;
    await page.locator(".thread small", { hasText: "Fake · done" }).waitFor();
    expect(await page.locator(".chip.agent").innerText()).toBe("Fake");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Untitled Fake · done" }).waitFor();
  });
});

describe("changes", () => {
  it("are coloured as code, and counted among the busiest files", async () => {
    await using thread = await OpenThread.start(browser);
    const { page, screen, threadId } = thread;
    const path = join(thread.host.project, "src/upload.ts");
    const other = join(thread.host.project, "README.md");
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
    // A marked word keeps the ink's colour.
    expect(await page.locator(".diff mark").allInnerTexts()).toEqual(["1", "5"]);
    await thread.open("#/statistics");
    const rows = page.locator(".chart", { hasText: "Busiest files" }).locator("tbody tr");
    await rows.first().waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/upload\.ts\s+2\s+1/),
      expect.stringMatching(/README\.md\s+1\s+1/),
    ]);
  });
});
