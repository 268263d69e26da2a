// Listens on this machine for the browser that comes back from a log-in.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const path = "/callback";

export class RedirectServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #answered = Promise.withResolvers<URLSearchParams>();
  /** The value that the browser must return; no other page knows it. */
  #state: string | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** On `port`, or on a free one where that is taken or 0. */
  static async listen(port: number): Promise<RedirectServer> {
    const server = createServer();
    const listening = new RedirectServer(server);
    server.on("request", ({ method, url = "" }, response) => {
      // Every program and page of this machine can ask for anything, also for what is no address.
      const asked = URL.parse(url, "http://127.0.0.1");
      const searchParams = asked?.searchParams ?? new URLSearchParams();
      const isExpected = method === "GET" && asked?.pathname === path && searchParams.get("state") === listening.#state;
      const isKnown = isExpected && listening.#state !== undefined;
      response.writeHead(isKnown ? 200 : 404, { "content-type": "text/plain; charset=utf-8", connection: "close" });
      if (!isKnown) response.end("This is not the log-in that was started.");
      else if (searchParams.has("code")) response.end("Signalbox has got the log-in. You can close this page.");
      else response.end("The log-in was refused. You can close this page.");
      if (isKnown) listening.#answered.resolve(searchParams);
    });
    try {
      await listen(server, port);
    } catch (error) {
      if (port === 0 || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      await listen(server, 0);
    }
    return listening;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  expect(state: string): void {
    this.#state = state;
  }

  /** Resolves with the browser's answer. */
  get answer(): Promise<URLSearchParams> {
    return this.#answered.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    // The browser may still read the last words.
    setTimeout(() => this.#server.closeAllConnections(), 1000).unref();
    await closed;
  }
}

async function listen(server: Server, port: number): Promise<void> {
  const listening = once(server, "listening");
  server.listen(port, "127.0.0.1");
  await listening;
}
