// The permission card: what it shows, answers by key, remembered rules, several questions, two devices.
import { describe, expect, it } from "vitest";
import { openPage } from "../support/browser.ts";
import { askPermission, toolCall } from "../support/fake-agent/script.ts";
import { run, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

const make = (id: string, command: string) =>
  toolCall(id, { title: `\`${command}\``, kind: "execute", rawInput: { command } });

describe("a question", () => {
  it("shows the whole command, is seen in title and list, and is allowed by key, though not while something is typed", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const turnId = await submit(screen, threadId, make("c1", "rm -rf build && make"), askPermission("c1"));
    const card = page.getByRole("group", { name: "Question" });
    await card.waitFor();
    await expect.poll(() => card.innerText()).toContain("$ rm -rf build && make");
    await expect.poll(() => page.title()).toContain("(1)");
    await page.locator(".thread", { hasText: "waiting for you" }).waitFor();
    // The tab icon is amber.
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toContain(encodeURIComponent("#e2a03f"));
    const allow = card.getByRole("button", { name: /^Allow once/ });
    await thread.prompt.fill("");
    // The button shows the key that works now.
    await expect.poll(() => allow.innerText()).toMatch(/Alt\+A$/);
    await thread.prompt.press("a");
    await expect.poll(() => thread.prompt.inputValue()).toBe("a");
    await expect.poll(() => card.count()).toBe(1);
    await page.getByRole("region", { name: "Timeline" }).focus();
    await expect.poll(() => allow.innerText()).toMatch(/once\s*A$/);
    // Keys are ignored shortly after a question appears: press until it is gone.
    await expect
      .poll(async () => {
        await page.keyboard.press("a");
        return await card.count();
      })
      .toBe(0);
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "allowed", option_id: "yes" }]);
    await expect.poll(() => page.title()).not.toContain("(1)");
    expect(thread.problems).toEqual([]);
  });

  it("is denied by Alt+D while a prompt is being typed, which stays", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const turnId = await submit(screen, threadId, make("c1", "make"), askPermission("c1"));
    await page.getByRole("group", { name: "Question" }).waitFor();
    await thread.prompt.fill("what I was about to say");
    await expect
      .poll(async () => {
        await thread.prompt.press("Alt+d");
        return await page.getByRole("group", { name: "Question" }).count();
      })
      .toBe(0);
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "denied", option_id: "no" }]);
    await expect.poll(() => thread.prompt.inputValue()).toBe("what I was about to say");
  });

  it("says the rule that remembering writes, writes it, and does not come again", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const turnId = await submit(screen, threadId, make("c1", "make test"), askPermission("c1"));
    const card = page.getByRole("group", { name: "Question" });
    await card.getByRole("combobox").selectOption("folder");
    await expect.poll(() => card.innerText()).toContain("agent:fake,command:make test");
    await card.getByRole("button", { name: "Allow once" }).click();
    await turnEnd(screen, turnId);
    await run(screen, threadId, make("c2", "make test"), askPermission("c2"));
    expect(viewOf(screen.received, threadId).permissions.map(({ status }) => status)).toEqual(["allowed", "allowed"]);
    await thread.goTo("#/settings");
    const rule = page.getByRole("row", { name: /command:make test/ });
    await rule.waitFor();
    await expect.poll(() => rule.innerText()).toContain("your answer");
    await rule.getByRole("button", { name: /Edit/ }).click();
    await rule.getByRole("textbox").fill("agent:fake,command:make *");
    await rule.getByRole("textbox").press("Enter");
    const wider = page.getByRole("row", { name: /command:make \*/ });
    await wider.waitFor();
    await rule.waitFor({ state: "hidden" });
    await run(screen, threadId, make("c3", "make all"), askPermission("c3"));
    expect(viewOf(screen.received, threadId).permissions.at(-1)).toMatchObject({ status: "allowed" });
    await wider.getByRole("button", { name: /Delete/ }).click();
    await wider.waitFor({ state: "hidden" });
    // An invalid rule shows how rules are written.
    await page.getByLabel("New rule", { exact: true }).fill("make");
    await page.getByText("A rule names what it is about").waitFor();
    expect(await page.getByRole("button", { name: "Add rule" }).isDisabled()).toBe(true);
    await page.getByLabel("New rule", { exact: true }).fill("command:make");
    expect(await page.getByText("A rule names what it is about").count()).toBe(0);
  });

  it("answered on one device is answered on the other; the next one takes its place", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId, host } = thread;
    const { page: phone } = await openPage(tests.browser, host.process.ready.url, {
      viewport: { width: 400, height: 800 },
    });
    await phone.goto(page.url());
    const turnId = await submit(
      screen,
      threadId,
      make("c1", "make one"),
      askPermission("c1"),
      make("c2", "make two"),
      askPermission("c2"),
    );
    await phone.getByRole("group", { name: "Question" }).getByText("$ make one").waitFor();
    await page.getByRole("group", { name: "Question" }).getByText("$ make one").waitFor();
    await phone.getByRole("button", { name: "Allow once" }).click();
    await page.getByRole("group", { name: "Question" }).getByText("$ make two").waitFor();
    await page.getByRole("button", { name: "Reject" }).click();
    await phone.getByRole("group", { name: "Question" }).waitFor({ state: "hidden" });
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).permissions.map(({ status }) => status)).toEqual(["allowed", "denied"]);
    await phone.context().close();
  });

  it.each([
    ["35 KB", 1100],
    ["100 KB", 3000],
  ])("shows the one changed line of a file of %s, not a comparison of its beginnings", async (_size, count) => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const lines = Array.from({ length: count }, (_, index) => `line ${index} of a file that is long`);
    const oldText = `${lines.join("\n")}\n`;
    const newText = oldText.replace(`line ${count - 20} of`, "backdoor in");
    const content = [{ type: "diff", path: `${thread.folder}/big.txt`, oldText, newText }];
    const edit = toolCall("c1", { title: "Edit `big.txt`", kind: "edit", content });
    await submit(screen, threadId, edit, askPermission("c1"));
    const card = page.getByRole("group", { name: "Question" });
    await card.locator(".diff-row[data-type=added]", { hasText: "backdoor in a file that is long" }).waitFor();
    await expect.poll(() => card.locator(".diff-row[data-type=added]").count()).toBe(1);
    await expect.poll(() => card.locator(".diff-row[data-type=removed]").count()).toBe(1);
    expect(thread.problems).toEqual([]);
  });
});
