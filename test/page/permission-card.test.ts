// The permission card: what it shows, answers by key, remembered rules, several questions, two devices.
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { askPermission, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { betweenLetters, pageTests } from "./open-thread.ts";

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
    await expect
      .poll(() => page.locator("link[rel=icon]").getAttribute("href"))
      .toContain(encodeURIComponent("#e2a03f"));
    const allow = card.getByRole("button", { name: /^Allow once/ });
    await thread.prompt.fill("");
    // The button shows the key that works now.
    await expect.poll(() => allow.innerText()).toMatch(/Alt\+A$/);
    await thread.prompt.press("a");
    await expect.poll(() => thread.prompt.inputValue()).toBe("a");
    await expect.poll(() => card.count()).toBe(1);
    await card.focus();
    await expect.poll(() => allow.innerText()).toMatch(/once\s*A$/);
    // Letters are ignored shortly after a question appears and after other letters: press until it is gone.
    await expect
      .poll(
        async () => {
          await page.keyboard.press("Alt+ArrowUp");
          await page.keyboard.press("a");
          return await card.count();
        },
        { interval: betweenLetters },
      )
      .toBe(0);
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "allowed", option_id: "yes" }]);
    await expect.poll(() => page.title()).not.toContain("(1)");
    expect(thread.problems).toEqual([]);
  });

  it("is denied by Alt+D while a prompt is being typed, which stays", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const failed = { status: "failed" };
    const turnId = await submit(
      screen,
      threadId,
      make("c1", "make"),
      askPermission("c1"),
      toolCallUpdate("c1", failed),
    );
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
    // It was denied: it did not run, so it did not fail.
    const state = page.getByRole("article", { name: /^Tool call: `make`/ }).locator(".right > .state");
    await expect.poll(() => state.allInnerTexts()).toEqual(["denied"]);
  });

  it("says the rule that remembering writes, writes it, and does not come again", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const turnId = await submit(screen, threadId, make("c1", "make test"), askPermission("c1"));
    const card = page.getByRole("group", { name: "Question" });
    await card.getByRole("button", { name: "Allow for longer" }).click();
    await expect.poll(() => card.innerText()).toContain("allow agent:fake,command:make test");
    await expect.poll(() => card.innerText()).toMatch(/Kept in .*permissions\.json/);
    // A press on a scope acts at once.
    await card.getByRole("button", { name: /Always in this folder/ }).click();
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
    await expect.poll(() => page.getByRole("button", { name: "Add rule" }).isDisabled()).toBe(true);
    await page.getByLabel("New rule", { exact: true }).fill("command:make");
    await expect.poll(() => page.getByText("A rule names what it is about").count()).toBe(0);
  });

  it("answered on one device is answered on the other; the next one takes its place", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    await using device = await thread.onPhone();
    const phone = device.page;
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
    await page.getByRole("button", { name: /^Deny/ }).click();
    await phone.getByRole("group", { name: "Question" }).waitFor({ state: "hidden" });
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).permissions.map(({ status }) => status)).toEqual(["allowed", "denied"]);
  });

  it("about files of 5 MB, 100 KB and 35 KB shows the changed lines, with true counts, once on the screen", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => `line ${index} of a file that is rather long\n`).join("");
    const [big, middle, small] = ["big.txt", "middle.ts", "small.txt"].map((name) => `${thread.folder}/${name}`);
    if (big === undefined || middle === undefined || small === undefined) throw new Error("three names");
    writeFileSync(big, lines(120_000));
    const oldText = lines(2500);
    writeFileSync(middle, oldText);
    const whole = lines(800);
    writeFileSync(small, whole);
    const content = [
      { type: "diff", path: big, oldText: "line 90000 of", newText: "backdoor in" },
      { type: "diff", path: middle, oldText, newText: oldText.replace("line 2400 of", "second door in") },
      { type: "diff", path: small, oldText: whole, newText: `${whole}third door\n` },
    ];
    // The request names only the call, as Codex does: the diffs came before it.
    await submit(screen, threadId, toolCall("c1", { title: "Edit files", kind: "edit", content }), askPermission("c1"));
    const card = page.getByRole("group", { name: "Question" });
    await card.locator(".diff-row[data-type=added]", { hasText: "backdoor in a file that is rather long" }).waitFor();
    await card.locator(".diff-row[data-type=added]", { hasText: "second door in a file" }).waitFor();
    await card.locator(".diff-row[data-type=added]", { hasText: "third door" }).waitFor();
    await card.getByText("90001").first().waitFor();
    await card.getByText("+3", { exact: true }).waitFor();
    await expect.poll(() => page.locator(".diff-row[data-type=added]").count()).toBe(3);
    await expect.poll(() => card.locator(".diff-row").count()).toBe(20);
    // Only the lines of the change are read for the colours of code.
    await card.getByRole("region", { name: "Change of middle.ts" }).locator("span[style*=color]").first().waitFor();
    await expect.poll(() => card.innerText()).toContain("Fake calls it “Edit files”");
    // The list and the line say which files too, and the line has no sum of the parts that happen to be loaded.
    await page.getByText(/^\w+\.(txt|ts) and 2 more$/).waitFor();
    const head = page.getByRole("article", { name: /Tool call: Edit files/ }).locator(".bar");
    await expect.poll(() => head.innerText()).toMatch(/^edit\s+big\.txt \+2\s+Edit files\s+waiting for you$/);
    expect(thread.problems).toEqual([]);
  });

  it("shows a new, a deleted, a binary and an outside file, each as what it is, all lines of a long change, and is allowed by two keys", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const { folder } = thread;
    const lines = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join("");
    writeFileSync(`${folder}/old.txt`, "gone\n");
    writeFileSync(`${folder}/a.png`, Buffer.from([0x89, 0x50, 0, 0xff]));
    const content = [
      { type: "diff", path: `${folder}/new.txt`, oldText: null, newText: lines(5000, "a rather long new line") },
      { type: "diff", path: `${folder}/old.txt`, oldText: "gone\n", newText: "", _meta: { kind: "delete" } },
      { type: "diff", path: `${folder}/a.png`, oldText: "?", newText: "??" },
      { type: "diff", path: "/nowhere/x.txt", oldText: null, newText: "y\u202Ez\r\n" },
    ];
    const turnId = await submit(screen, threadId, askPermission("c1", { title: "OK.", kind: "edit", content }));
    const card = page.getByRole("group", { name: "Question" });
    await card.getByText(/wants to change 4 files in .*, 1 of them outside/).waitFor();
    await expect
      .poll(() => card.locator(".file-name").allInnerTexts())
      .toEqual(["/nowhere/x.txt", "new.txt", "old.txt", "a.png"]);
    await card.getByText("binary, 4 B → 2 B").waitFor();
    // Letters that change only how a line looks are shown as such.
    await card.getByText("y⟨U+202E⟩z", { exact: true }).waitFor();
    await card.getByText("outside the folder").first().waitFor();
    await card.getByText("deleted", { exact: true }).waitFor();
    const added = card.getByRole("region", { name: "new.txt" });
    const answers = () => card.locator(".acts button").allInnerTexts();
    await card.focus();
    await expect
      .poll(answers)
      .toEqual([expect.stringMatching(/^Deny\s+D$/), expect.stringMatching(/^Allow without looking\s+A ↵$/), ""]);
    await added.getByRole("button", { name: "Show all 5,000 lines" }).click();
    await added.getByText("a rather long new line 4999").waitFor();
    await card.focus();
    // One file is outside the folder: the key only goes to the button, and Escape leads back to the card without stopping the agent.
    const allow = card.getByRole("button", { name: /^Allow once/ });
    const isFocused = () => allow.evaluate((button) => button.ownerDocument.activeElement === button);
    const pressA = async () => {
      await page.keyboard.press("Alt+ArrowUp");
      await page.keyboard.press("a");
      return await isFocused();
    };
    await expect.poll(pressA, { interval: betweenLetters }).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(isFocused).toBe(false);
    await expect.poll(pressA, { interval: betweenLetters }).toBe(true);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "pending" }]);
    await page.keyboard.press("Enter");
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "allowed", option_id: "yes" }]);
    expect(thread.problems).toEqual([]);
  });

  it("gives a long command with its end, one control, options in words, and wider rules of the host", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const command = `${"echo harmless\n".repeat(120)}rm -rf ../elsewhere`;
    const options = ["allow_always", "allow_once", "reject_always", "reject_once"].map((kind) => ({
      optionId: kind,
      name: kind,
      kind,
    }));
    const ask = (id: string, rawInput: object) => ({
      ask: "session/request_permission",
      params: { toolCall: { toolCallId: id, kind: "other", title: "OK.", rawInput }, options },
    });
    const noNo = {
      ask: "session/request_permission",
      params: {
        toolCall: { toolCallId: "c0", kind: "read", title: "x".repeat(5000), locations: [{ path: "notes.txt" }] },
        options: [{ optionId: "go", name: "Go", kind: "allow_once" }],
      },
    };
    const build = ask("c2", { command: "npm run build" });
    const turnId = await submit(screen, threadId, ask("c1", { command }), noNo, build);
    const card = page.getByRole("group", { name: "Question" });
    await card.getByText("wants to run a script in").waitFor();
    await card.getByText("Fake calls it “OK.”").waitFor();
    for (const text of ["121 lines", "Show 113 lines between", "rm -rf ../elsewhere", "Fake calls it “OK.”"])
      await expect.poll(() => card.innerText()).toContain(text);
    expect(await card.innerText()).not.toContain("allow_always");
    await card.getByRole("button", { name: /^Deny/ }).click();
    // An agent that offers no way to say no gets one all the same, and its words have little room.
    await card.getByText("notes.txt").waitFor();
    await expect.poll(() => card.locator(".agent-words").innerText()).toBe(`Fake calls it “${"x".repeat(300)}…”`);
    await card.getByRole("button", { name: /^Allow once/ }).waitFor();
    await card.getByRole("button", { name: /^Deny/ }).click();
    await card.getByText("$ npm run build").waitFor();
    await card.getByRole("button", { name: "Allow for longer" }).click();
    await card.getByRole("radio", { name: "allow agent:fake,command:npm run *" }).click();
    await card.getByRole("button", { name: /Always, in every folder/ }).click();
    await turnEnd(screen, turnId);
    await run(screen, threadId, make("c3", "npm run test"), askPermission("c3"));
    expect(viewOf(screen.received, threadId).permissions.map(({ option_id, rule }) => [option_id, rule])).toEqual([
      ["reject_once", null],
      [null, null],
      ["allow_once", "agent:fake,command:npm run *"],
      ["yes", "agent:fake,command:npm run *"],
    ]);
  });

  it("names every file that an answer opens, whatever the agent shows beside them", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const edit = { kind: "edit", title: "Edit", rawInput: { command: "make" } };
    const ask = askPermission("c1", { ...edit, locations: [{ path: "Makefile" }, { path: "package.json" }] });
    const turnId = await submit(screen, threadId, ask);
    const card = page.getByRole("group", { name: "Question" });
    for (const name of ["$ make", "Makefile", "package.json"]) await card.getByText(name, { exact: true }).waitFor();
    await card.getByRole("button", { name: /^Deny/ }).click();
    await turnEnd(screen, turnId);
  });

  it("without its command says so, and the command is asked about at an item of its own", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const create = (command: string, more: object = {}) => ({
      ask: "terminal/create",
      params: { command, ...more },
      quiet: true,
    });
    const ok = toolCall("c1", { kind: "execute", title: "OK." });
    const turnId = await submit(screen, threadId, ok, askPermission("c1"), create("touch made"));
    const card = page.getByRole("group", { name: "Question" });
    await card.getByText("wants to run a command that it does not name").waitFor();
    for (const text of ["If Signalbox runs it, you are asked again, with the command.", "Fake calls it “OK.”"])
      await expect.poll(() => card.innerText()).toContain(text);
    expect(await card.innerText()).not.toContain("$");
    await card.getByRole("button", { name: /^Allow once/ }).click();
    await card.getByText("$ touch made").waitFor();
    await card.getByRole("button", { name: /^Allow once/ }).click();
    await turnEnd(screen, turnId);
    const answers = viewOf(screen.received, threadId).permissions.map(({ tool_call_id, status }) => [
      tool_call_id,
      status,
    ]);
    expect(answers).toEqual([
      ["c1", "allowed"],
      [expect.stringMatching(/^signalbox-/), "allowed"],
    ]);

    // Two questions about one command say how they differ.
    const touch = { rawInput: { command: "touch /var/tmp/made" } };
    const outside = askPermission("c4", { ...touch, kind: "other", locations: [{ path: "/var/tmp" }] });
    const third = await submit(screen, threadId, outside, askPermission("c5", { ...touch, kind: "execute" }));
    await card.getByText("outside the folder").first().waitFor();
    await expect.poll(() => card.innerText()).not.toContain("Another question");
    await card.getByRole("button", { name: /^Deny/ }).click();
    const again = card.getByText("Another question about the same command.");
    await expect.poll(() => again.innerText()).toContain("The one before was about access to /var/tmp. You denied it.");
    await card.getByRole("button", { name: /^Deny/ }).click();
    await turnEnd(screen, third);

    // A shell around the command is the same command: after a yes there is no second question, and after a no the second question says so.
    const wrapped = create("bash", { args: ["-lc", "make all"] });
    const asksMake = (id: string) => askPermission(id, { kind: "execute", rawInput: { command: "make all" } });
    const allowed = await submit(screen, threadId, asksMake("c6"), wrapped);
    await card.getByText("$ make all").waitFor();
    // The agent gave no title: there is nothing that it calls it.
    await expect.poll(() => card.innerText()).not.toContain("calls it");
    await card.getByRole("button", { name: /^Allow once/ }).click();
    await turnEnd(screen, allowed);
    const denied = await submit(screen, threadId, asksMake("c7"), wrapped);
    await card.getByText("any host: it can use the network").waitFor();
    await card.getByRole("button", { name: /^Deny/ }).click();
    await card.getByText("nothing: it runs without network").waitFor();
    await expect.poll(() => again.innerText()).toBe("Another question about the same command. You denied it.");
    await card.getByRole("button", { name: /^Deny/ }).click();
    await turnEnd(screen, denied);

    // Of several calls that name no command none can be told to be the one: the command has a card of its own, which is never empty.
    const shell = { kind: "execute", title: "shell" };
    const env = [
      { name: "BASH_ENV", value: "./x\u202Ey" },
      { name: "API_TOKEN", value: "hunter22" },
      { name: "CI", value: "1" },
    ];
    const special = { env, cwd: "/tmp" };
    const second = await submit(
      screen,
      threadId,
      toolCall("c2", shell),
      toolCall("c3", shell),
      create("echo OUT", special),
    );
    await card.getByText("$ echo OUT").waitFor();
    await expect.poll(() => card.innerText()).toContain("Environment BASH_ENV=./x⟨U+202E⟩y API_TOKEN=***");
    await expect.poll(() => card.innerText()).toContain("Runs in /tmp");
    await card.getByRole("button", { name: /^Allow once/ }).click();
    await turnEnd(screen, second);
    const own = page.getByRole("article", { name: /^Tool call: `echo OUT` .*, completed$/ });
    const head = own.locator(".bar-main");
    if ((await head.getAttribute("aria-expanded")) === "false") await head.click();
    await expect.poll(() => own.locator(".terminal").innerText()).toContain("OUT");
  });

  it("is denied with a comment, which the agent gets; and several that are alike are allowed together", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const turnId = await submit(screen, threadId, make("c1", "npm i p-retry"), askPermission("c1"));
    const card = page.getByRole("group", { name: "Question" });
    await card.getByLabel("Deny and say what to do instead").fill("write it in src/retry.ts");
    await card.getByRole("button", { name: /^Deny and send/ }).waitFor();
    await card.getByLabel("Deny and say what to do instead").press("Enter");
    await turnEnd(screen, turnId);
    await page.getByText("I denied npm i p-retry: write it in src/retry.ts").first().waitFor();
    const asks = ["one", "two", "three"].map((name) => {
      const { params } = askPermission(name, { kind: "execute", rawInput: { command: `make ${name}` } }) as {
        params: object;
      };
      return {
        send: { id: `like-${name}`, method: "session/request_permission", params: { sessionId: "s", ...params } },
      };
    });
    await submit(screen, threadId, ...asks, { wait: 60_000 });
    await card.getByRole("checkbox", { name: /make two/ }).uncheck();
    await card.getByRole("button", { name: /^Allow these 2/ }).click();
    await card.getByText("$ make two").waitFor();
    await expect
      .poll(() =>
        viewOf(screen.received, threadId)
          .permissions.slice(-3)
          .map(({ status }) => status),
      )
      .toEqual(["allowed", "pending", "allowed"]);
  });
});
