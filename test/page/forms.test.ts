// Forms and addresses of an agent: filled in by keyboard, opened only by a click, answered on one of two devices.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { askForm, askPermission, askUrl, toolCall } from "../support/fake-agent/script.ts";
import { said, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { Gate } from "../support/gate.ts";
import { chooseOption } from "./list-box.ts";
import { betweenLetters, pageTests } from "./open-thread.ts";

const tests = pageTests();

const card = (page: Page) => page.getByRole("group", { name: "Question" });

/** Keys are ignored shortly after a question appears: press until it works. */
async function press(page: Page, key: string, until: () => Promise<boolean>): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.keyboard.press("Alt+ArrowUp");
        await page.keyboard.press(key);
        return await until();
      },
      { interval: betweenLetters },
    )
    .toBe(true);
}

const form = {
  port: { type: "integer", title: "Port", description: "Between 1024 and 9999", minimum: 1024, maximum: 9999 },
  name: { type: "string", title: "Name", minLength: 2, pattern: "^[a-z]+$" },
  size: {
    type: "string",
    title: "Size",
    oneOf: [
      { const: "s", title: "Small" },
      { const: "l", title: "Large" },
    ],
  },
  parts: { type: "array", title: "Parts", items: { type: "string", enum: ["api", "page", "docs"] }, minItems: 1 },
  isPublic: { type: "boolean", title: "Public", default: true },
  note: { type: "string", title: "Note" },
};

describe("a form of the agent", () => {
  it("is filled in and sent by keyboard, shows errors, and the other device sees the answer", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await using device = await thread.onPhone();
    const phone = device.page;
    const turnId = await submit(screen, threadId, askForm(form, { required: ["port", "name", "parts"] }));
    await card(page).getByText("Which port?").waitFor();
    await card(phone).getByText("Which port?").waitFor();
    await expect.poll(() => page.title()).toContain("(1)");
    await expect
      .poll(() => page.locator("link[rel=icon]").getAttribute("href"))
      .toContain(encodeURIComponent("#e2a03f"));
    // Only with the keyboard.
    await press(page, "q", () =>
      card(page)
        .getByLabel("Port")
        .evaluate((field) => field.matches(":focus")),
    );
    await page.keyboard.type("80");
    await page.keyboard.press("Enter");
    await card(page).getByText("This must be at least 1024.").waitFor();
    await expect.poll(() => card(page).getByText("This is required.").count()).toBe(1);
    await card(page).getByText("Choose at least 1.").waitFor();
    await card(page).getByLabel("Port").fill("8080");
    await card(page).getByLabel("Name").fill("Ada");
    await chooseOption(card(page).getByLabel("Size"), "Large");
    await card(page).getByLabel("docs").check();
    await card(page).getByLabel("api").check();
    // Only the host checks the agent's pattern.
    await card(page).getByLabel("Name").press("Enter");
    await card(page).getByText("This must match ^[a-z]+$.").waitFor();
    await card(page).getByLabel("Name").fill("ada");
    await card(page).getByLabel("Name").press("Enter");
    await card(page).waitFor({ state: "hidden" });
    await card(phone).waitFor({ state: "hidden" });
    await turnEnd(screen, turnId);
    expect(said(screen, threadId)).toContain(
      '"content":{"port":8080,"name":"ada","size":"l","parts":["docs","api"],"isPublic":true}',
    );
    // Question and answer stay on the timeline, on both devices.
    for (const each of [page, phone]) {
      const asked = each.getByRole("article", { name: "Question: answered" });
      await asked.waitFor();
      await expect.poll(() => asked.innerText()).toContain("8080");
    }
    expect(thread.problems).toEqual([]);
  });

  it("waits behind a permission, and is declined or cancelled by key", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    // One key of several must not answer the next question too: that one comes later.
    const gates = [new Gate(thread.host.folder.path), new Gate(thread.host.folder.path)] as const;
    const turnId = await submit(
      screen,
      threadId,
      toolCall("c1", { title: "`make`", kind: "execute", rawInput: { command: "make" } }),
      askPermission("c1"),
      gates[0].step,
      askForm({ port: { type: "integer" } }),
      gates[1].step,
      askForm({ port: { type: "integer" } }),
    );
    const isAnswered = async () => (await card(page).count()) === 0;
    await card(page).getByText("$ make").waitFor();
    await press(page, "a", isAnswered);
    await gates[0].open();
    await card(page).getByText("Which port?").waitFor();
    await press(page, "d", isAnswered);
    await page.getByRole("article", { name: "Question: declined" }).waitFor();
    await gates[1].open();
    await card(page).getByText("Which port?").waitFor();
    await press(page, "c", isAnswered);
    await turnEnd(screen, turnId);
    const { elicitations } = viewOf(screen.received, threadId);
    expect(elicitations.map(({ status, decided_by }) => [status, decided_by])).toEqual([
      ["declined", "person"],
      ["cancelled", "person"],
    ]);
  });
});

describe("an address of the agent", () => {
  it("is shown in full, opened only by a click, which also answers", async () => {
    const visits: (string | undefined)[] = [];
    const site = createServer((request, response) => {
      visits.push(request.headers.referer);
      response.end("Logged in.");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/login?code=${"1".repeat(300)}`;
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const turnId = await submit(screen, threadId, askUrl(address));
    await card(page).getByText("Log in, please.").waitFor();
    await expect.poll(() => card(page).locator("code").innerText()).toBe(address);
    await press(page, "q", () =>
      card(page)
        .getByRole("link")
        .evaluate((link) => link.matches(":focus")),
    );
    await page.keyboard.press("Alt+a");
    expect(visits).toEqual([]);
    const opened = page.context().waitForEvent("page");
    await page.keyboard.press("Enter");
    await (await opened).getByText("Logged in.").waitFor();
    await turnEnd(screen, turnId);
    // The other site gets no referrer.
    expect(visits[0]).toBeUndefined();
    expect(said(screen, threadId)).toContain('"action":"accept"');
    await page.getByRole("article", { name: "Question: answered" }).waitFor();
    const closed = new Promise((resolve) => site.close(resolve));
    // A browser also opens connections that it may need later.
    site.closeAllConnections();
    await closed;
  });
});
