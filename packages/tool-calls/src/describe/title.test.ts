import { describe, expect, it } from "vitest";
import { createToolTitle } from "./title.ts";

describe("createToolTitle", () => {
  it.each([
    ["read", { path: "src/a.ts", offset: 50, limit: 100 }, "Read `src/a.ts` (51 - 150)"],
    ["read_file", { file_path: "src/a.ts", line: 51, limit: 100 }, "Read `src/a.ts` (51 - 150)"],
    ["read", { path: "a", start_line: 3, end_line: 9 }, "Read `a` (3 - 9)"],
    ["read", { path: "a", limit: 20 }, "Read `a` (1 - 20)"],
    ["read", { path: "a", offset: 9 }, "Read `a` (from line 10)"],
    ["Read", { path: "src/a.ts" }, "Read `src/a.ts`"],
    ["edit", { path: "P", old_string: "a", new_string: "b" }, "Edit `P`"],
    ["write", { path: "P", content: "text" }, "Write `P`"],
    ["create_file", { path: "P" }, "Create `P`"],
    ["delete_file", { path: "P" }, "Delete `P`"],
    ["move_file", { source: "a/b", destination: "c/d" }, "Move `a/b` to `c/d`"],
    ["copy", { from: "./a", to: "./b" }, "Copy `./a` to `./b`"],
    ["bash", { command: "npm test" }, "`npm test`"],
    ["exec", { command: "git", args: ["log", "-1"] }, "`git log -1`"],
    ["run_shell", { cmd: ["ls", "-la"] }, "`ls -la`"],
    ["grep", { pattern: "x", path: "src" }, 'grep "x"'],
    ["find_path", { pattern: "*.ts" }, "Find `*.ts`"],
    ["search_documents", { query: "tax" }, 'Search "tax"'],
    ["list_directory", { path: "P" }, "List `P`"],
    ["fetch", { url: "https://example.org/a" }, "Fetch https://example.org/a"],
    ["web_search", { query: "rain" }, 'Search the web for "rain"'],
    ["mcp__github__create_issue", { title: "x" }, "github/create_issue"],
    ["thinking", { thought: "hm" }, "Think"],
    ["todo_write", { todos: [] }, "Update the plan"],
    ["get_trains", { city: "Oslo", days: 3, deep: { no: 1 } }, 'get_trains(city="Oslo", days=3)'],
    ["custom_tool", {}, "custom_tool"],
  ])("%s %o says %s", (name, args, title) => {
    expect(createToolTitle(name, args)).toBe(title);
  });

  it("shows a path inside the working directory relative to it, and no other", () => {
    expect(createToolTitle("read", { path: "/project/src/a.ts" }, "/project")).toBe("Read `src/a.ts`");
    expect(createToolTitle("read", { path: "/projects/a.ts" }, "/project")).toBe("Read `/projects/a.ts`");
    expect(createToolTitle("read", { path: "/etc/passwd" }, "/project")).toBe("Read `/etc/passwd`");
  });

  it("escapes backticks and truncates a command at 60 characters, not inside an escape or a character", () => {
    expect(createToolTitle("bash", { command: "echo `date`" })).toBe("`echo \\`date\\``");
    expect(createToolTitle("bash", { command: "x".repeat(60) })).toBe(`\`${"x".repeat(60)}\``);
    expect(createToolTitle("bash", { command: "x".repeat(61) })).toBe(`\`${"x".repeat(59)}…\``);
    expect(createToolTitle("bash", { command: `${"x".repeat(58)}😀😀` })).toBe(`\`${"x".repeat(58)}…\``);
  });

  it("is one line without characters that could fake another title", () => {
    const title = createToolTitle("bash", { command: "rm -rf x\n\u001b[2K# harmless \u202Etxt.exe" });
    expect(title).toBe("`rm -rf x [2K# harmless txt.exe`");
  });

  it.each([
    "api_key",
    "token",
    "password",
    "authorization",
    "apiKey",
    "X-Api-Key",
    "access_token",
    "client_secret",
    "Authorization",
  ])("never shows the argument %s, nor its value elsewhere", (name) => {
    const secret = "hunter2hunter2";
    for (const tool of ["custom_tool", "bash", "fetch", "read", "grep", "update_record"]) {
      const title = createToolTitle(tool, {
        [name]: secret,
        headers: { [name]: secret },
        command: `login ${secret}`,
        url: `https://example.org/?x=${secret}`,
        path: `/tmp/${secret}`,
        pattern: secret,
        note: `use ${secret}`,
      });
      expect(title).not.toContain("hunter2");
    }
  });

  it.each([
    ['curl -H "Authorization: Bearer abc123def" https://x.org', "abc123def"],
    ["curl -H 'Authorization: Basic dXNlcjpwYXNz' x", "dXNlcjpwYXNz"],
    ["login --password hunter2", "hunter2"],
    ["echo Bearer hunter2hunter2", "hunter2"],
    ["API_KEY=hunter2 npm start", "hunter2"],
    ["curl https://user:hunter2@example.org/", "hunter2"],
    ["curl 'https://example.org/?a=1&token=hunter2&b=2'", "hunter2"],
    ["use sk-abcdefghijklmnop", "abcdefghijklmnop"],
    ["git clone https://ghp_abcdefghijklmnop1234@github.com/a/b", "ghp_abc"],
    ['echo {"token": "hunter2"}', "hunter2"],
  ])("hides the secret in the command %s", (command, secret) => {
    const title = createToolTitle("bash", { command });
    expect(title).toContain("***");
    expect(title).not.toContain(secret);
  });

  it("hides a secret that is longer than any title", () => {
    const token = "hunter2".repeat(1000);
    expect(createToolTitle("bash", { token, command: `login ${token}` })).toBe("`login ***`");
  });

  it("leaves a secret argument out, whatever its type", () => {
    expect(createToolTitle("custom_tool", { password: 1234, token: "abc", city: "Oslo" })).toBe(
      'custom_tool(city="Oslo")',
    );
  });

  it("leaves what only sounds like a secret", () => {
    expect(createToolTitle("bash", { command: "grep -r token src" })).toBe("`grep -r token src`");
    expect(createToolTitle("custom_tool", { max_tokens: 100, keyboard: "de" })).toBe(
      'custom_tool(max_tokens=100, keyboard="de")',
    );
  });

  it.each([undefined, null, "text", 7, ["a"], true, Symbol("s"), () => 1])(
    "takes arguments that are no object: %s",
    (args) => {
      expect(createToolTitle("bash", args)).toBe("bash");
    },
  );

  it("takes arguments that cannot be read", () => {
    const hostile = {
      get path(): string {
        throw new Error("no");
      },
    };
    expect(createToolTitle("read", hostile)).toBe("read");
  });

  it("has words for a tool without a name, and bounds a long one", () => {
    expect(createToolTitle("")).toBe("Tool call");
    expect(createToolTitle("x".repeat(5000)).length).toBeLessThanOrEqual(100);
    expect(createToolTitle("read", { path: "x".repeat(4000) }).length).toBeLessThan(250);
  });
});
