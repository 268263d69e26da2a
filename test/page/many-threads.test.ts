// One host with 130 threads and a thread of 3,000 items: lists and filters do not depend on what is loaded, a place in a long thread is where it
// says, and no view has anything truncated or overlapping at any width.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { askPermission, fakeAgentFile } from "../support/fake-agent/script.ts";
import { run, submit, viewOf } from "../support/fake-host.ts";
import { isLong } from "../support/rounds.ts";
import { folderOf, longSteps, longTitle, titleOf, writeLargeRegister } from "./large-register.ts";
import { layoutProblems } from "./layout-problems.ts";
import { chooseOption } from "./list-box.ts";
import { betweenLetters, pageTests } from "./open-thread.ts";

const fake = { command: process.execPath, args: ["--no-warnings", fakeAgentFile], label: "Fake" };
// A user's own command line for Gemini: it has another id, and says itself what it is.
const initialize = JSON.stringify({ agentInfo: { name: "gemini-cli", version: "1" } });
const mine = { ...fake, args: [...fake.args, "--initialize", initialize], label: "Mine" };
const tests = pageTests({ prepare: writeLargeRegister, config: { agents: { fake, mine } } });

/** Of a thread all, as of every view in `npm run test:long`; of the others the narrowest, where the least fits. */
const widthsOf = (isThread: boolean) => (isThread || isLong ? [390, 820, 1440, 2560] : [390]);

/** The step that stands at the top of the timeline; empty while nothing is drawn there. */
const reading = (page: Page) =>
  page.locator(".timeline").evaluate((box) => {
    const { top } = box.getBoundingClientRect();
    const places = [...box.querySelectorAll(".place")];
    const first = places.find((place) => {
      const rect = place.getBoundingClientRect();
      return rect.bottom > top + 1 && rect.top < top + 100;
    });
    return first?.textContent ?? "";
  });
/** How far the place that the history entry has saved is from the one that is shown. */
const savedOffset = (page: Page) =>
  page.evaluate<number>(`{
    const box = document.querySelector(".timeline");
    const top = box.getBoundingClientRect().top;
    const places = [...box.querySelectorAll(".place")].map((place) => place.getBoundingClientRect());
    const first = places.filter(({ bottom }) => bottom > top + 1).sort((a, b) => a.top - b.top)[0];
    const [saved] = Object.values(history.state?.reading ?? {});
    Math.abs((saved?.offset ?? NaN) - Math.round(first.top - top));
  }`);
/** Whether a step is on the screen. */
const isInSight = (page: Page, step: number) =>
  page.getByText(`${longTitle} Step ${step}.`, { exact: true }).evaluateAll((found) =>
    found.some((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= 860;
    }),
  );

describe("with 130 threads", () => {
  it("a question is found after a reload, and filter, counts, palette, search and tool calls know all threads", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await screen.request({ control: "tvx.update_thread", thread_id: threadId, updates: { title: "The old one" } });
    await submit(screen, threadId, askPermission("c1", { kind: "execute", rawInput: { command: "make" } }));
    const card = page.getByRole("group", { name: "Question" });
    await card.waitFor();
    // 129 threads are newer than the one that waits.
    await thread.goTo("#/");
    await page.reload();
    await expect.poll(() => page.title()).toContain("(1)");
    const waiting = page.locator(".waiting-threads");
    await waiting.getByText("The old one").waitFor();
    await expect.poll(() => page.locator(".thread-row").first().innerText()).toContain("make");
    await expect.poll(() => page.locator(".threads a.thread").count()).toBeLessThan(60);
    const folder = page.locator(".folders section", { hasText: folderOf(0) }).getByRole("heading");
    await expect.poll(() => folder.innerText()).toMatch(/26$/);
    await page.locator("main").focus();
    await page.keyboard.press("Alt+w");
    await card.getByText("$ make").waitFor();
    // The palette leads to it by what can be done there, and answers nothing.
    await thread.prompt.focus();
    await page.keyboard.press("Control+k");
    await page.getByLabel("Command or thread").fill("allow");
    await page.getByRole("option", { name: "Go to the question" }).click();
    await expect.poll(() => card.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);

    await page.getByLabel("Filter threads").fill("number 3.");
    await page.locator("a.thread", { hasText: titleOf(3) }).waitFor();
    await page.getByLabel("Filter threads").fill("goose");
    await expect.poll(() => page.locator(".folders a.thread").count()).toBe(43);
    await page.getByLabel("Filter threads").fill("");
    await page.keyboard.press("Control+k");
    await page.getByLabel("Command or thread").fill("number 3.");
    await page.getByRole("option", { name: titleOf(3) }).click();
    await page.getByRole("heading", { name: titleOf(3) }).waitFor();

    // The palette has the actions of the open thread. What is pinned is on top of the list, also after a reload, and can be unread again.
    const act = async (name: string) => {
      await page.keyboard.press("Control+k");
      await page.getByLabel("Command or thread").fill(name);
      await page.getByRole("option", { name }).first().click();
    };
    await act("Pin");
    const pins = page.locator(".pinned-threads a.thread");
    await expect.poll(() => pins.allInnerTexts()).toEqual([expect.stringContaining(titleOf(3))]);
    await page.reload();
    await expect.poll(() => pins.count()).toBe(1);
    await act("Mark as unread");
    await thread.goTo("#/");
    await expect.poll(() => pins.first().getAttribute("data-unread")).toBe("true");
    // A folder is folded, and its finished threads are archived together, loaded or not; that can be undone.
    const name = page.getByRole("button", { name: folderOf(1) });
    const ofFolder = page.locator(".folder-section", { hasText: folderOf(1) });
    await name.click();
    await expect.poll(() => ofFolder.locator("a.thread").count()).toBe(0);
    await page.reload();
    await ofFolder.waitFor();
    await expect.poll(() => ofFolder.locator("a.thread").count()).toBe(0);
    await name.focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("menuitem", { name: "Archive finished threads" }).click();
    const archived = page.getByText(/^Archived 26 threads of .*folder-1\./);
    await archived.waitFor();
    await expect.poll(() => ofFolder.count()).toBe(0);
    await archived.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => ofFolder.getByRole("heading").innerText()).toMatch(/26\b/);
    await name.click();
    await pins.first().click();
    await act("Unpin");
    await expect.poll(() => pins.count()).toBe(0);

    // Every letter after the key for search goes to its field, also before it is drawn.
    await thread.goTo();
    await card.waitFor();
    await page.locator("a.thread").first().focus();
    await page.keyboard.press("Control+Shift+f");
    await page.keyboard.type("and network");
    await expect.poll(() => page.getByLabel("Search everything").inputValue()).toBe("and network");
    await page.getByRole("combobox", { name: "Agent", exact: true }).click();
    await expect.poll(() => page.getByRole("option").allInnerTexts()).toEqual(["any", "Fake", "Goose", "OpenCode"]);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("datalist option").count()).toBe(6);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "pending" }]);

    await thread.goTo("#/statistics");
    await page.getByRole("link", { name: "All tool calls" }).click();
    const status = page.getByRole("status");
    await status.getByText("50+ tool calls").waitFor();
    await page.getByRole("button", { name: "Older tool calls" }).click();
    await status.getByText("100+ tool calls").waitFor();
    await page.getByLabel("Tool", { exact: true }).fill("bash");
    await chooseOption(page.getByRole("combobox", { name: "Agent", exact: true }), "Goose");
    await page.getByLabel("Folder", { exact: true }).fill(folderOf(1));
    await chooseOption(page.getByLabel("Kind"), "execute");
    await chooseOption(page.getByLabel("Status"), "completed");
    // Threads 1, 16, 31 … 121 of goose are in this folder, each with one call of this tool.
    const calls = page.locator(".hits a");
    await status.getByText("9 tool calls", { exact: true }).waitFor();
    await page.reload();
    await calls.first().waitFor();
    const ofGoose = expect.stringMatching(/npm test[^]*bash · done[^]*Goose/) as string;
    await expect.poll(() => calls.allInnerTexts()).toEqual(Array.from({ length: 9 }, () => ofGoose));
    await chooseOption(page.getByLabel("Status"), "failed");
    await status.getByText("No matches.").waitFor();
    await chooseOption(page.getByLabel("Status"), "completed");
    await calls.first().click();
    await page.locator("[data-marked]").getByText("npm test").waitFor();
    await page.goBack();
    await calls.first().waitFor();
    await expect.poll(() => page.getByLabel("Tool", { exact: true }).inputValue()).toBe("bash");
    expect(thread.problems).toEqual([]);
  });

  it("in a thread of 3,000 items a link and a search hit land on the item and stay, Home and End go to the ends, Back returns", async () => {
    await using thread = await tests.openThread();
    const { page, screen } = thread;
    const [hit] = (await screen.query("search", { text: '"Step 700."' })).rows;
    if (hit === undefined) throw new Error("not found");
    // A link lands on the item, also after a reload.
    for (const open of [() => thread.goTo(`#/thread/${hit.thread_id}?at=${hit.seq}`), () => page.reload()]) {
      await open();
      await page.locator("[data-marked]").getByText("Step 700.").waitFor();
      await expect.poll(() => isInSight(page, 700)).toBe(true);
    }
    // The time in which a person was asked is not the tool's.
    const asked = page.getByRole("article", { name: /Read after a question/ });
    await expect.poll(() => asked.innerText()).toMatch(/allowed\s+waited 26\.0 s\s+100 ms$/);
    // A file that was changed 700 steps ago is among the changed ones, with its edits.
    await expect.poll(() => page.locator(".files").innerText()).toMatch(/early\.ts\s+2 edits$/);
    // It stays while older items load: what is at the top is the same.
    const timeline = page.locator(".timeline");
    const height = await timeline.evaluate((box) => box.scrollHeight);
    await timeline.dispatchEvent("wheel");
    await timeline.evaluate((box) => (box.scrollTop = 300));
    await expect.poll(() => reading(page)).not.toBe("");
    const top = await reading(page);
    await expect.poll(() => timeline.evaluate((box) => box.scrollHeight)).toBeGreaterThan(height + 1000);
    await expect.poll(() => reading(page)).toBe(top);
    // A hit of the search does the same.
    await timeline.focus();
    await page.keyboard.press("Control+Shift+f");
    await page.getByLabel("Search everything").fill('"Step 222."');
    await page.locator(".hits a", { hasText: longTitle }).first().click();
    await page.locator("[data-marked]").getByText("Step 222.").waitFor();
    await expect.poll(() => isInSight(page, 222)).toBe(true);
    await expect.poll(() => page.evaluate("CSS.highlights.get('found')?.size > 0")).toBe(true);
    // To both ends, by a button or a key.
    await page.getByRole("button", { name: /Go to the end/ }).click();
    await expect.poll(() => isInSight(page, longSteps - 1)).toBe(true);
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("Home");
    await expect.poll(() => isInSight(page, 0)).toBe(true);
    await page.keyboard.press("End");
    await expect.poll(() => isInSight(page, longSteps - 1)).toBe(true);
    // The prompt before the end is the first item; the outline has it too.
    const prompt = page.locator("[data-marked]").getByText(`Please do ${longTitle}`);
    await page.keyboard.press("[");
    await prompt.waitFor();
    await page.keyboard.press("End");
    await expect.poll(() => isInSight(page, longSteps - 1)).toBe(true);
    await page.keyboard.press("Alt+o");
    const prompts = page.getByRole("dialog", { name: "Outline" }).getByRole("listitem");
    await prompts.first().waitFor();
    await expect.poll(() => prompts.allInnerTexts()).toEqual([expect.stringContaining(`Please do ${longTitle}`)]);
    await prompts.getByRole("button").click();
    await prompt.waitFor();
    await expect.poll(() => isInSight(page, 0)).toBe(true);
    // An answer is quoted in the next prompt.
    await page.getByRole("article", { name: "Agent" }).getByRole("button", { name: "Quote" }).first().click();
    await expect.poll(() => thread.prompt.inputValue()).toBe(`> ${longTitle} Step 0.\n\n`);
    await thread.prompt.fill("");
    await page.getByRole("region", { name: "Timeline" }).focus();
    await page.keyboard.press("Home");
    await expect.poll(() => isInSight(page, 0)).toBe(true);
    // Back returns to where one was reading.
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, 3000);
    await expect.poll(() => reading(page)).not.toContain("Please do");
    // The place is saved when the scroll has ended: then it is the one that the screen shows.
    await expect.poll(() => savedOffset(page)).toBe(0);
    const before = await reading(page);
    await page.getByRole("link", { name: "Statistics" }).click();
    await page.getByRole("heading", { name: "Statistics" }).waitFor();
    await page.goBack();
    await expect.poll(() => reading(page)).toBe(before);
    await thread.goTo("#/search");
    await page.getByRole("region", { name: "Recent searches" }).getByRole("button", { name: '"Step 222."' }).click();
    await page.locator(".hits a", { hasText: longTitle }).first().waitFor();
    expect(thread.problems).toEqual([]);
  });

  it("what is refused anyway is not asked, one command is one question and one card, and reasons and quirks are true", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId, folder, host } = thread;
    mkdirSync(join(folder, ".git/hooks"), { recursive: true });
    const write = (path: string) => ({ ask: "fs/write_text_file", params: { path, content: "x" } }) as const;
    await run(
      screen,
      threadId,
      write(join(folder, ".git/hooks/pre-commit")),
      write("/etc/signalbox-test"),
      { ask: "fs/read_text_file", params: { path: join(host.folder.in("data"), "config.json") } },
      { say: "That was all." },
    );
    const said = page.getByRole("article", { name: "Agent" });
    await said.getByText("That was all.").waitFor();
    for (const reason of ["git runs what", "/etc belongs to the system", "holds Signalbox's own data"])
      await expect.poll(() => said.innerText()).toContain(reason);
    expect(viewOf(screen.received, threadId).permissions).toEqual([]);
    // The agent asks, then runs the command in a shell: that is the same command, and its output stands on its card.
    const command = "echo printed; exit 3";
    const wrapped = { ask: "terminal/create", params: { command: "/bin/bash", args: ["-lc", command] } } as const;
    await submit(
      screen,
      threadId,
      askPermission("c1", { kind: "execute", title: "OK.", rawInput: { command } }),
      wrapped,
    );
    const card = page.getByRole("group", { name: "Question" });
    await card.getByText(`$ ${command}`).waitFor();
    await card.focus();
    // Keys count when the card has been there for a moment.
    await expect
      .poll(
        async () => {
          await page.keyboard.press("Alt+ArrowUp");
          await page.keyboard.press("a");
          return viewOf(screen.received, threadId).permissions.map(({ status }) => status);
        },
        { interval: betweenLetters },
      )
      .toEqual(["allowed"]);
    const call = page.locator(".entry.tool", { hasText: command });
    await call.getByText("printed", { exact: true }).waitFor();
    await call.getByText("exit 3", { exact: true }).waitFor();
    await expect.poll(() => call.count()).toBe(1);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "allowed" }]);

    // Our own agent: a private address is not asked about, and a refusal names what was refused, not the shell.
    const start = async (agent_id: string) => {
      const created = await screen.ask("session.create", { agent_id, cwd: folder });
      return created.thread_id;
    };
    const demo = await start("demo");
    await screen.request({ control: "session.set_mode", thread_id: demo, mode_id: "rx" });
    await thread.goTo(`#/thread/${demo}`);
    const send = async (text: string) => {
      await thread.prompt.fill(text);
      await thread.prompt.press("Enter");
    };
    await send("fetch http://169.254.169.254/");
    const failed = (text: string) => page.locator(".entry.tool[data-status=failed]", { hasText: text });
    await failed("169.254.169.254 is not an address of the public internet").waitFor();
    await send("run echo x > in.txt");
    await failed(`probably denied: writing ${join(folder, "in.txt")} is not allowed`).waitFor();
    await expect.poll(() => page.locator(".timeline").innerText()).not.toContain("writing /usr/bin/bash");
    await expect.poll(() => card.count()).toBe(0);
    // Gemini creates a file after it has read that there is nothing.
    const own = await start("mine");
    await thread.goTo(`#/thread/${own}`);
    await submit(screen, own, { ask: "fs/read_text_file", params: { path: join(folder, "missing.txt") } });
    await said.getByText('{"result":{"content":""}}').waitFor();
    for (const thread_id of [demo, own]) await screen.request({ control: "session.delete", thread_id });
    expect(thread.problems).toEqual([]);
  });

  it("every view fits at 390 px, and a thread also at 820, 1440 and 2560", async () => {
    await using thread = await tests.openThread({ viewport: { width: 1440, height: 860 } });
    const { page, screen, threadId, folder } = thread;
    const oldText = "const number = 1;\n".repeat(900);
    writeFileSync(`${folder}/a.ts`, oldText);
    const content = [
      { type: "diff", path: `${folder}/a.ts`, oldText, newText: `${oldText}const last = "of a rather long line";\n` },
      { type: "diff", path: "/nowhere/x.txt", oldText: null, newText: "y\n" },
    ];
    const longName = `a-rather-${"long-".repeat(12)}name.ts`;
    await run(
      screen,
      threadId,
      { say: "Some words[^1].\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[^1]: A note.\n" },
      {
        shell: `mkdir -p sub/folder; seq -f 'line %.0f of a rather long file' 200 > sub/folder/${longName}; echo x > b.txt`,
      },
    );
    await submit(screen, threadId, askPermission("c1", { kind: "edit", title: "OK.", content }));
    // Another thread waits too, and every view says so.
    const other = await thread.host.thread(screen, folder);
    await submit(screen, other, askPermission("c1", { kind: "execute", title: "OK." }));
    const views: readonly (readonly [string, () => Promise<void>])[] = [
      ["#/", () => page.locator("a.thread").first().waitFor()],
      ["#/new", () => page.getByLabel("First prompt").waitFor()],
      [
        `#/thread/${threadId}`,
        () => page.getByRole("group", { name: "Question" }).locator(".diff-row").first().waitFor(),
      ],
      ["#/search?words=step", () => page.locator(".hits a").first().waitFor()],
      ["#/tool-calls", () => page.locator(".hits a").first().waitFor()],
      ["#/statistics", () => page.getByRole("columnheader", { name: "waited for you" }).first().waitFor()],
      ["#/settings", () => page.getByRole("heading", { name: "Settings" }).waitFor()],
      [`#/thread/${threadId}/changes`, () => page.locator(".diff-row").first().waitFor()],
      [`#/thread/${threadId}/events`, () => page.locator(".event").first().waitFor()],
    ];
    for (const [hash, isDrawn] of views) {
      await page.setViewportSize({ width: 1440, height: 860 });
      await thread.goTo(hash);
      for (const width of widthsOf(hash === `#/thread/${threadId}`)) {
        await page.setViewportSize({ width, height: 860 });
        await isDrawn();
        // A very wide screen shows the changes beside the thread.
        const beside = page.getByRole("region", { name: "Changes" });
        if (hash === `#/thread/${threadId}` && width === 2560) await beside.getByText("b.txt").first().waitFor();
        else await expect.poll(() => beside.count()).toBe(0);
        await expect
          .poll(() => page.locator(".waiting-notice:visible").count())
          .toBe(hash === "#/" && width === 390 ? 0 : 1);
        const check = () => expect.poll(() => layoutProblems(page), { message: `${hash} at ${width}` }).toEqual([]);
        await check();
        // On a narrow screen the details lie over the thread.
        const close = page.locator(".details-close");
        if (!(await close.isVisible())) continue;
        await close.click();
        await check();
        await page.setViewportSize({ width: 1440, height: 860 });
        await page.getByRole("button", { name: "Details" }).click();
      }
    }
    // On a phone the list has the whole height, and what waits is on top.
    await page.setViewportSize({ width: 390, height: 800 });
    await thread.goTo("#/");
    const first = page.locator(".thread-row").first();
    await expect.poll(() => first.innerText()).toContain("waiting for you");
    await expect
      .poll(() => page.getByRole("navigation", { name: "Threads" }).boundingBox())
      .toEqual({ x: 0, y: 0, width: 390, height: 800 });
    await page.getByText("a command that it does not name").waitFor();
    await page.getByRole("link", { name: "New thread", exact: true }).click();
    await page.getByLabel("First prompt").waitFor();
    await screen.request({ control: "session.delete", thread_id: other });
  });
});
