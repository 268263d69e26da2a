// Malicious content from agents, models and files: it is shown as text and has no effect.
import { describe, expect, it } from "vitest";
import { toolCall } from "../support/fake-agent/script.ts";
import { run, said, submit, turnEnd } from "../support/fake-host.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();

const escape = "\u001b";
const text = (words: string) => ({ type: "content", content: { type: "text", text: words } });

describe("malicious content", () => {
  it("in Markdown runs no script, follows no javascript: link, and loads nothing from elsewhere", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const asked: string[] = [];
    page.on("request", (request) => {
      if (!request.url().includes("127.0.0.1")) asked.push(request.url());
    });
    await run(screen, threadId, {
      say: [
        '<script>document.title = "stolen"</script><img src=x onerror="document.title=\'stolen\'">',
        "[click me](javascript:document.title='stolen') [data](data:text/html,hi) [fine](https://example.org)",
        "![pixel](https://evil.example/pixel.png)",
        '<a href="javascript:alert(1)">raw</a><iframe src="https://evil.example"></iframe>',
        "[def]: javascript:alert(1)\n\nand [def][def]",
      ].join("\n\n"),
    });
    const answer = page.getByRole("article", { name: "Agent" });
    await answer.getByRole("link", { name: "fine" }).waitFor();
    // Markup is shown as text.
    await expect.poll(() => answer.innerText()).toContain('<script>document.title = "stolen"</script>');
    const links = await answer.locator("a").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    expect(links.filter((href) => href !== null && !href.startsWith("https://"))).toEqual([]);
    expect(links).toContain("https://example.org");
    expect(await answer.locator("script, iframe, img").count()).toBe(0);
    await answer.getByText("click me").click();
    expect(await page.title()).not.toBe("stolen");
    expect(asked).toEqual([]);
    expect(thread.problems).toEqual([]);
  });

  it("in the text of a link shows marks that would draw another address", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(screen, threadId, {
      say: [
        "See https://evil.example/\u202Egpj.exe and [read *\u202Egpj*.exe](https://evil.example/a).",
        "![a\u2067b](https://evil.example/b.png) and \u202Ebefore [gpj.exe](https://evil.example/c)",
      ].join("\n\n"),
    });
    const answer = page.getByRole("article", { name: "Agent" });
    await answer.getByRole("link", { name: "https://evil.example/⟨U+202E⟩gpj.exe" }).waitFor();
    await answer.getByRole("link", { name: "read ⟨U+202E⟩gpj.exe" }).waitFor();
    await answer.getByRole("link", { name: "a⟨U+2067⟩b" }).waitFor();
    // An override before a link ends at the link.
    const link = answer.getByRole("link", { name: "gpj.exe", exact: true });
    const isolation = () =>
      link.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).unicodeBidi);
    await expect.poll(isolation).toBe("isolate");
  });

  it("in a terminal sets no title, makes no link and hides no text", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const output = `${escape}]0;stolen\u0007${escape}]8;;https://evil.example\u0007here${escape}]8;;\u0007 ${escape}[8mhidden${escape}[0m ${escape}[2J${escape}[Hseen <b>bold</b>`;
    await run(
      screen,
      threadId,
      toolCall("c1", { title: "Trick", kind: "execute", status: "failed", content: [text(output)] }),
    );
    const terminal = page.getByRole("region", { name: /^Output of/ });
    await expect.poll(() => terminal.innerText()).toContain("here hidden seen <b>bold</b>");
    expect(await terminal.locator("a, b").count()).toBe(0);
    expect(await page.title()).not.toContain("stolen");
  });

  it("of a megabyte in one line stays fast and readable", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(
      screen,
      threadId,
      { say: "x".repeat(1_000_000) },
      toolCall("c1", { title: "Long", kind: "execute", status: "failed", content: [text("y".repeat(1_000_000))] }),
      { say: "after it" },
    );
    await page.getByText("after it").last().waitFor();
    // The page still reacts. That it does so soon follows from how little of it is drawn.
    await page.keyboard.press("Alt+/");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    const length = () => page.locator(".track").evaluate((track) => (track.textContent ?? "").length);
    await expect.poll(length).toBeLessThan(400_000);
    expect(thread.problems).toEqual([]);
  });

  it("in any script has its own direction, and wide characters do not widen the page", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await run(
      screen,
      threadId,
      { say: "مرحبا بالعالم\n\n漢字仮名交じり文👩‍👩‍👧‍👦".repeat(3) },
      toolCall("c1", { title: `نص \u202Egnp.exe ${"漢".repeat(400)}`, kind: "read", status: "completed" }),
      { say: `${"𝒳".repeat(4000)} end` },
    );
    await page.getByText("end").last().waitFor();
    const isWide = () => page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
    await expect.poll(isWide).toBe(false);
    expect(thread.problems).toEqual([]);
  });

  it("in names of threads, modes, options and plans is shown as text", async () => {
    const evil = "<img src=x onerror=document.title='stolen'>";
    const session = {
      modes: { currentModeId: evil, availableModes: [{ id: evil, name: evil }, "nonsense", { name: 3 }] },
    };
    await using thread = await tests.openThreadWith({ agentArgs: ["--session", JSON.stringify(session)] });
    const { page, screen, threadId } = thread;
    await screen.request({ control: "tvx.update_thread", thread_id: threadId, updates: { title: evil } });
    await run(
      screen,
      threadId,
      { update: { sessionUpdate: "plan", entries: [{ content: evil, priority: evil, status: evil }] } },
      {
        update: {
          sessionUpdate: "available_commands_update",
          availableCommands: [{ name: evil, description: evil }, 7],
        },
      },
      { update: { sessionUpdate: "something_new", content: evil } },
      toolCall("c1", {
        title: evil,
        kind: "brand_new",
        status: "brand_new",
        content: [{ type: "brand_new", x: evil }],
      }),
    );
    await page.getByRole("heading", { name: evil }).waitFor();
    await page.locator(".plan").getByText(evil).waitFor();
    // The agent did not finish the call, so it failed, and a failed call is open.
    await page
      .getByRole("article", { name: /^Tool call: <img/ })
      .getByText('"type": "brand_new"')
      .waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.title()).not.toBe("stolen");
    expect(thread.problems).toEqual([]);
  });

  it("in forms and addresses of an agent is shown as text and has no effect", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const markup = "<img src=x onerror=\"document.body.dataset.owned='yes'\">";
    const properties = {
      // A name that would change what every object inherits, were it assigned.
      ...(JSON.parse('{"__proto__": {"type": "string", "title": "Prototype"}}') as object),
      constructor: { type: "string", title: markup, description: `[click](javascript:alert(1)) ${markup}` },
      choice: { type: "string", title: "Choice", enum: [markup, "x".repeat(5000)] },
    };
    const turnId = await submit(
      screen,
      threadId,
      {
        ask: "elicitation/create",
        params: { mode: "url", message: markup, url: "javascript:alert(1)", elicitationId: "e" },
      },
      {
        ask: "elicitation/create",
        params: {
          mode: "form",
          message: `${markup} [x](javascript:1)`,
          requestedSchema: { type: "object", properties },
        },
      },
    );
    const card = page.getByRole("group", { name: "Question" });
    await card.getByText(markup).first().waitFor();
    // The host refused the address: it is on the timeline and cannot be opened.
    await page
      .getByRole("article", { name: "Question: declined" })
      .getByText("http and https addresses only")
      .waitFor();
    expect(await page.locator("a[href^=javascript]").count()).toBe(0);
    expect(await card.locator("a, img").count()).toBe(0);
    await card.getByLabel("Prototype").fill("polluted");
    await card.getByLabel(markup).fill("kept");
    await card.getByRole("button", { name: /^Send/ }).click();
    await turnEnd(screen, turnId);
    expect(said(screen, threadId)).toContain('"constructor":"kept"');
    expect(
      await page.evaluate(
        "[{}.polluted, ({}).type, document.body.dataset.owned].every((value) => value === undefined)",
      ),
    ).toBe(true);
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(thread.problems).toEqual([]);
  });
});
