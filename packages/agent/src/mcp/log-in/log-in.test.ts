// Log-ins to MCP servers: against a real server for tokens on loopback, and the addresses that a server may lead to.
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { guardedServer } from "../testing/guarded-server.ts";
import { testSession, urlServer } from "../testing/mcp-session.ts";
import { oauthServer } from "../testing/oauth-server.ts";
import { LogInAddresses } from "./guarded-fetch.ts";
import { RedirectServer } from "./redirect-server.ts";

/** The browser of a person who says yes. */
const browse = async (address: string) => {
  await (await fetch(address)).text();
};
const soon = () => AbortSignal.timeout(20_000);

describe("a log-in to an MCP server", () => {
  it("is made once, kept for all sessions, renewed, and forgotten on demand", async () => {
    await using oauth = await oauthServer();
    await using server = await guardedServer(oauth);
    const config = () => [urlServer("far", server.url("/mcp"), { headers: { "x-key": "for the server alone" } })];
    await using test = await testSession(config);
    expect(test.session.servers).toMatchObject([{ state: "failed", isLoggedIn: false, wantsLogIn: true }]);
    expect(await test.session.logIn("far", browse, soon())).toBe(true);
    expect(test.session.servers).toMatchObject([{ state: "running", lastProblem: undefined }]);
    expect((await test.call("mcp__far__work")).text).toBe("done");
    expect(test.session.servers).toMatchObject([{ state: "running", isLoggedIn: true, wantsLogIn: false }]);

    const logins = join(test.folder.home, "mcp-logins");
    const kept = () => readdirSync(logins).map((name) => readFileSync(join(logins, name), "utf8"));
    expect(kept()).toEqual([expect.stringContaining("refresh-token-1")]);

    // The token has ended: it is renewed within the call, and no one is asked.
    oauth.valid.clear();
    expect((await test.call("mcp__far__work")).text).toBe("done");
    expect(oauth.grants).toEqual(["authorization_code", "refresh_token"]);
    expect(kept()).toEqual([expect.stringContaining("refresh-token-2")]);
    expect(oauth.web.requests.some(({ headers }) => "x-key" in headers)).toBe(false);

    await using other = await testSession(config, { logins: test.logins });
    expect((await other.call("mcp__far__work")).text).toBe("done");
    expect(oauth).toMatchObject({ registered: 1 });

    expect(await test.session.logOut("far")).toBe(true);
    expect(test.session.servers).toMatchObject([{ state: "failed", isLoggedIn: false }]);
    expect(kept()).toEqual([]);
    expect(test.notices.join()).not.toMatch(/token-\d/);
  });

  it("is none when the person declines, the server refuses, or another page calls", async () => {
    await using oauth = await oauthServer();
    await using server = await guardedServer(oauth);
    await using test = await testSession(() => [urlServer("far", server.url("/mcp"))]);
    const logIn = (show: (address: string) => Promise<void>) => test.session.logIn("far", show, soon());
    await expect(logIn(() => Promise.reject(new Error("You did not log in.")))).rejects.toThrow("You did not log in.");
    oauth.refuses = true;
    await expect(logIn(browse)).rejects.toThrow("the log-in was refused (access_denied)");
    oauth.refuses = false;
    const statuses: number[] = [];
    await logIn(async (address) => {
      const back = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
      back.search = "?code=stolen&state=guessed";
      statuses.push((await fetch(back)).status);
      await browse(address);
    });
    expect(statuses).toEqual([404]);
    expect(oauth.grants).toEqual(["authorization_code"]);
    const cancel = new AbortController();
    const cancelled = test.session.logIn("far", async () => cancel.abort(), cancel.signal);
    await expect(cancelled).rejects.toThrow("aborted");
  });
});

describe("the addresses of a log-in", () => {
  it("are listened to for the browser alone: odd requests, stale and doubled states change nothing", async () => {
    await using redirect = await RedirectServer.listen(0);
    const { port } = new URL(redirect.url);
    const ask = async (path: string, method = "GET") => {
      const request = httpRequest({ port, path, method, agent: false }).end();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    // No log-in is expected yet: an empty state is no state.
    expect(await ask("/callback?code=x")).toBe(404);
    expect(await ask("/callback?code=x&state=")).toBe(404);
    redirect.expect("right");
    for (const path of ["//", "http://[", "/callback?code=x&state=wrong", "/callback/?code=x&state=right"])
      expect([path, await ask(path)]).toEqual([path, 404]);
    expect(await ask("/callback?code=x&state=right", "POST")).toBe(404);
    expect(await ask("/callback?code=good&state=right")).toBe(200);
    expect(await ask("/callback?code=late&state=right")).toBe(200);
    expect((await redirect.answer).get("code")).toBe("good");
  });

  const names: Readonly<Record<string, string>> = {
    "public.example": "93.184.216.34",
    "auth.example": "93.184.216.35",
    "sneaky.example": "10.0.0.7",
    "nas.local": "192.168.1.5",
    localhost: "127.0.0.1",
  };
  const resolve = async (name: string) => [{ address: names[name] ?? "0.0.0.0", family: 4 }];

  it.each([
    ["https://public.example/mcp", "https://auth.example/token", undefined],
    ["https://public.example/mcp", "http://auth.example/token", "needs https"],
    ["https://public.example/mcp", "http://169.254.169.254/latest", "needs https"],
    ["https://public.example/mcp", "https://169.254.169.254/latest", "not on the public internet"],
    ["https://public.example/mcp", "https://sneaky.example/token", "not on the public internet"],
    ["https://public.example/mcp", "http://127.0.0.1:8080/token", "not on the public internet"],
    ["https://public.example/mcp", "https://[::1]/token", "not on the public internet"],
    ["https://public.example/mcp", "file:///etc/passwd", "needs https"],
    ["http://localhost:3000/mcp", "http://127.0.0.1:4000/token", undefined],
    ["http://localhost:3000/mcp", "https://auth.example/token", undefined],
    ["https://nas.local/mcp", "https://sneaky.example/token", undefined],
    ["https://nas.local/mcp", "http://sneaky.example/token", "needs https"],
  ])("of %s: %s", async (server, address, problem) => {
    const addresses = new LogInAddresses(new URL(server), resolve);
    const checked = addresses.check(new URL(address)).then(() => undefined);
    if (problem === undefined) expect(await checked).toBeUndefined();
    else await expect(checked).rejects.toThrow(problem);
    expect(addresses.refusal).toEqual(problem === undefined ? undefined : expect.stringContaining(problem));
  });
});
