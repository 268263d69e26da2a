// What lies between us and a provider, over real connections: they are kept, they break, they lead elsewhere, and nothing hangs on them.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { providerFetch } from "./provider-fetch.ts";

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly key: unknown;
  readonly body: string;
}

/** A provider on loopback. It remembers what it was asked, and over how many connections. */
class Provider implements AsyncDisposable {
  readonly asked: Asked[] = [];
  connections = 0;
  readonly #server = createServer();

  static async start(answer: RequestListener): Promise<Provider> {
    const provider = new Provider();
    const server = provider.#server;
    server.on("connection", () => provider.connections++);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      void text(request).then((body) => {
        const { method, url, headers } = request;
        provider.asked.push({ method, url, key: headers["x-api-key"], body });
        answer(request, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const fetch = providerFetch("anthropic", 60_000);
const question = { method: "POST", headers: { "x-api-key": "secret" }, body: '{"say":"grüß"}' } as const;
const ask = async (url: string) => await (await fetch(url, question)).text();

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

describe("a connection", () => {
  it("serves one request after the other", async () => {
    await using provider = await Provider.start((_, response) => response.end("yes"));
    for (let round = 0; round < 3; round++) expect(await ask(provider.url)).toBe("yes");
    expect(provider.connections).toBe(1);
    expect(provider.asked[0]).toEqual({ method: "POST", url: "/", key: "secret", body: '{"say":"grüß"}' });
  });

  it("is replaced when the provider closes it at the moment of its reuse", async () => {
    await using provider = await Provider.start((request, response) => {
      if (provider.asked.length === 2) request.socket.resetAndDestroy();
      else response.end("yes");
    });
    expect([await ask(provider.url), await ask(provider.url)]).toEqual(["yes", "yes"]);
    expect([provider.connections, provider.asked.length]).toEqual([2, 3]);
  });

  it("that breaks when it is new is an error with the reason", async () => {
    await using provider = await Provider.start((request) => request.socket.destroy());
    await expect(ask(provider.url)).rejects.toMatchObject({
      code: "unreachable",
      message: "anthropic cannot be reached: the connection was interrupted. Check the network and the base URL.",
    });
    expect(provider.asked).toHaveLength(1);
  });

  it("that is refused is an error with the reason", async () => {
    const provider = await Provider.start(() => {});
    const { url } = provider;
    await provider[Symbol.asyncDispose]();
    await expect(ask(url)).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("anthropic cannot be reached: nothing listens at 127.0.0.1:"),
    });
  });

  it("uses the proxy of the environment where Node is told to", async () => {
    await using proxy = await Provider.start((_, response) => response.end("by proxy"));
    vi.stubEnv("NODE_USE_ENV_PROXY", "1").stubEnv("HTTP_PROXY", proxy.url).stubEnv("NO_PROXY", "");
    vi.resetModules();
    try {
      const again = (await import("./provider-fetch.ts")).providerFetch("anthropic", 60_000);
      expect(await (await again("http://model.example/v1", question)).text()).toBe("by proxy");
      expect(proxy.asked[0]?.url).toBe("http://model.example/v1");
    } finally {
      // The next file in this process must not get a module that knows the proxy.
      vi.resetModules();
    }
  });
});

describe("a request that cannot be sent", () => {
  it.each([
    ["over another protocol", "ftp://example.com/v1", "secret"],
    ["with a control character in the key", "http://127.0.0.1:1/", "sec\u0001ret"],
  ])("is an error before anything is sent: %s", async (_, url, key) => {
    const error = await fetch(url, { ...question, headers: { "x-api-key": key } }).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      code: "misconfigured",
      message: expect.stringContaining("The request to anthropic cannot be sent: "),
    });
    expect((error as Error).message).not.toContain(key);
  });
});

describe("a redirect", () => {
  const to = (response: ServerResponse, status: number, location: string) =>
    response.writeHead(status, { location }).end("gone");

  it.each([307, 308])("within the same host (%i) sends the whole request again", async (status) => {
    await using provider = await Provider.start(({ url }, response) => {
      if (url === "/v1") to(response, status, "/v1/");
      else response.end("here");
    });
    expect(await ask(`${provider.url}/v1`)).toBe("here");
    expect(provider.asked[1]).toEqual({ ...provider.asked[0], url: "/v1/" });
  });

  it("to another host gets no key, and is an error with the address", async () => {
    await using other = await Provider.start((_, response) => response.end("mine now"));
    await using provider = await Provider.start((_, response) => to(response, 307, `${other.url}/v2?token=t`));
    await expect(ask(`${provider.url}/v1`)).rejects.toMatchObject({
      code: "not_found",
      message: `anthropic is not at ${provider.url}/v1, it says, but at ${other.url}/v2. If you trust that, set the base URL to match.`,
    });
    expect(other.asked).toEqual([]);
  });

  it("that would change the request is not followed", async () => {
    await using provider = await Provider.start((_, response) => to(response, 302, "/login"));
    await expect(ask(`${provider.url}/v1`)).rejects.toMatchObject({ code: "not_found" });
    expect(provider.asked).toHaveLength(1);
  });

  it("in a circle ends", async () => {
    await using provider = await Provider.start((_, response) => to(response, 307, "/v1"));
    await expect(ask(`${provider.url}/v1`)).rejects.toMatchObject({ code: "not_found" });
    expect(provider.asked).toHaveLength(6);
  });

  it("to what is no address is an error", async () => {
    await using provider = await Provider.start((_, response) => to(response, 307, "http://["));
    await expect(ask(`${provider.url}/v1`)).rejects.toMatchObject({
      code: "not_found",
      message: `anthropic sends us from ${provider.url}/v1 to nowhere. Check the base URL.`,
    });
  });
});

describe("an answer", () => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("that is packed all the same (%s) is unpacked", async (encoding, pack) => {
    await using provider = await Provider.start((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(pack("grüß dich")),
    );
    expect(await ask(provider.url)).toBe("grüß dich");
  });

  it("that is not compressed as it says is an error", async () => {
    await using provider = await Provider.start((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip"),
    );
    await expect(ask(provider.url)).rejects.toMatchObject({
      code: "broken_stream",
      message: "The answer of anthropic broke off: incorrect header check",
    });
  });

  it("keeps status, status text and headers, also repeated ones", async () => {
    await using provider = await Provider.start((_, response) =>
      response.writeHead(429, "Slow down", { "retry-after": "7", "set-cookie": ["a=1", "b=2"] }).end("busy"),
    );
    const response = await fetch(provider.url, question);
    expect([response.status, response.statusText, await response.text()]).toEqual([429, "Slow down", "busy"]);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(response.headers.get("set-cookie")).toBe("a=1, b=2");
  });

  it("may have no body", async () => {
    await using provider = await Provider.start((_, response) => response.writeHead(204).end());
    expect((await fetch(provider.url, question)).body).toBeNull();
    expect(await ask(provider.url)).toBe("");
    expect(provider.connections).toBe(1);
  });

  it("with a status that HTTP does not have is an error", async () => {
    await using provider = await Provider.start((_, response) => response.writeHead(777).end());
    await expect(ask(provider.url)).rejects.toMatchObject({
      code: "broken_stream",
      message: "anthropic answered 777, which is not an HTTP status.",
    });
  });

  it("that breaks off ends with an error", async () => {
    await using provider = await Provider.start((_, response) => {
      response.write("half");
      response.write(" of", () => response.destroy());
    });
    await expect(ask(provider.url)).rejects.toMatchObject({
      code: "broken_stream",
      message: "The answer of anthropic broke off: aborted",
    });
  });

  it("that is not read any more is ended", async () => {
    const closed = Promise.withResolvers<void>();
    await using provider = await Provider.start((_, response) => {
      response.on("close", closed.resolve).write("first");
    });
    const response = await fetch(provider.url, question);
    await response.body?.cancel();
    await closed.promise;
  });
});

describe("a stall", () => {
  it.each(["before", "in the middle of"])("%s an answer is an error", async (when) => {
    await using provider = await Provider.start((_, response) => {
      if (when !== "before") response.write("first");
    });
    const impatient = providerFetch("anthropic", 40);
    const answer = impatient(provider.url, question).then((response) => response.text());
    await expect(answer).rejects.toMatchObject({ code: "stalled", message: "anthropic sent nothing for 0 seconds." });
  });

  it("of our own reader is not an error", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const stuck = Promise.withResolvers<void>();
    const whole = 64 << 20;
    await using provider = await Provider.start((_, response) => {
      for (let sent = 0; sent < whole; sent += 1 << 20) response.write("x".repeat(1 << 20));
      whenStill(() => response.writableLength, stuck.resolve);
    });
    const response = await providerFetch("anthropic", 1000)(provider.url, question);
    await stuck.promise;
    await vi.advanceTimersByTimeAsync(10_000);
    let read = 0;
    for await (const bytes of response.body ?? []) {
      read += bytes.length;
      if (read === whole) break;
    }
  });
});

/** Calls when a number has not changed for so many rounds of the event loop that it will not. */
function whenStill(count: () => number, done: () => void, before = Number.NaN, rounds = 0): void {
  const now = count();
  if (rounds > 200) done();
  else setImmediate(() => whenStill(count, done, now, now === before ? rounds + 1 : 0));
}

describe("a cancelled request", () => {
  it("is not sent when it was cancelled before", async () => {
    await using provider = await Provider.start((_, response) => response.end("yes"));
    const reason = new Error("changed my mind");
    await expect(fetch(provider.url, { ...question, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(provider.asked).toEqual([]);
  });

  it.each(["before", "in the middle of"])("%s its answer ends with the reason", async (when) => {
    const controller = new AbortController();
    const reason = new Error("changed my mind");
    const closed = Promise.withResolvers<void>();
    await using provider = await Provider.start((_, response) => {
      response.on("close", closed.resolve);
      if (when === "before") controller.abort(reason);
      else response.write("first");
    });
    const asking = fetch(provider.url, { ...question, signal: controller.signal });
    if (when === "before") await expect(asking).rejects.toBe(reason);
    else {
      const reader = (await asking).body?.getReader();
      await reader?.read();
      controller.abort(reason);
      await expect(reader?.read()).rejects.toThrow("changed my mind");
    }
    await closed.promise;
  });
});
