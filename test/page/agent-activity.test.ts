// The head and the Details of a thread say how its agent's commands are sandboxed and why it hangs; the start page shows how long a mute agent is waited for.
import { describe, expect, it } from "vitest";
import { fakeAgentFile } from "../support/fake-agent/script.ts";
import { question, run, submit } from "../support/fake-host.ts";
import { chooseOption } from "./list-box.ts";
import { pageTests } from "./open-thread.ts";

const fake = { command: process.execPath, args: ["--no-warnings", fakeAgentFile], label: "Fake" };
const mute = { command: "sleep", args: ["1000"], label: "Mute" };
const tests = pageTests();

describe("the Details of a thread", () => {
  it("show its sandbox, what the agent prints, its tools, and what waits for whom", async () => {
    await using thread = await tests.openThread();
    const { page, screen, threadId } = thread;
    const chip = page.locator(".head .chip.sandbox");
    await chip.getByText("Your rights").waitFor();
    await expect.poll(() => chip.getAttribute("title")).toContain("Fake runs with your rights");
    const details = page.getByRole("complementary", { name: "Details" });
    if ((await details.count()) === 0) await page.getByRole("button", { name: "Details", exact: true }).click();
    await expect
      .poll(() => details.getByRole("region", { name: "Access" }).innerText())
      .toMatch(/Sandbox\s+Your rights\s+Writes[^]*Reads[^]*Reaches\s+any host/);
    // Words of the protocol and processes are for those who look for a fault.
    await expect.poll(() => details.innerText()).not.toMatch(/session\/|ACP|Processes/);
    await details.getByRole("button", { name: "Diagnostics" }).click();
    await details.getByText("Only commands that it runs through Signalbox").waitFor();
    await run(screen, threadId, { log: "a line on stderr" }, { log: 'allowedTools: ["read","bash"]' });
    await submit(screen, threadId, { ask: "terminal/create", params: { command: "make it" } });
    await question(screen, threadId);
    await details.getByText("The agent waits for a command to begin: make it").waitFor();
    // Not truncated: its end says what the agent hangs on.
    const requests = details.locator(".open-request > span");
    await expect
      .poll(() => requests.evaluateAll((found) => found.map((text) => text.scrollWidth > text.clientWidth)))
      .toEqual([false, false]);
    await details.getByText("Waiting for the agent to finish its turn").waitFor();
    await details.getByText("2 tools").click();
    await details.getByText("read, bash").waitFor();
    await details.getByText("What it printed").click();
    await details.getByText("a line on stderr").waitFor();
    expect(thread.problems).toEqual([]);
  });
});

describe("an agent that does not answer", () => {
  it("is shown as starting, with the time that is left, which can be made longer, and ends with a sentence", async () => {
    await using thread = await tests.openThreadWith({ config: { agents: { fake, mute }, agent_start_s: 10 } });
    const { page } = thread;
    await thread.goTo("#/");
    await chooseOption(page.getByRole("combobox", { name: "Agent", exact: true }), "Mute");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    const step = page.getByRole("status").filter({ hasText: "Starting Mute" });
    await step.getByText("no output yet").waitFor();
    await step.getByRole("button", { name: "Wait longer" }).click();
    // A thread whose agent starts is starting, not done, and the form stays as it is.
    await page.locator(".thread", { hasText: "Mute · starting" }).waitFor();
    await page.getByRole("heading", { name: "What do you want to do?" }).waitFor();
    await page.getByRole("alert").getByText("Mute did not answer initialize within 10 s, so it was stopped.").waitFor();
    // Said once.
    await expect.poll(() => page.getByText("Mute did not answer initialize").count()).toBe(1);
    expect(thread.problems).toEqual([]);
  });
});
