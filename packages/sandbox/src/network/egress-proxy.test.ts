// A network by name, for real: commands in the sandbox, a proxy that decides, servers that must hear nothing they should not.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttp, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer as createTcp, type Socket } from "node:net";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { createServer as createTls } from "node:tls";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { ListedProxy } from "../testing/listed-proxy.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { AllowList } from "./allow-list.ts";
import { EgressProxy, type ProxyConnection, type ProxyVerdict } from "./egress-proxy.ts";

let enforcement: Enforcement;
beforeAll(async () => {
  enforcement = await provenEnforcement();
}, 60_000);

/** A web server on this machine's loopback, which notes what it is asked. */
class WebServer implements AsyncDisposable {
  readonly heard: string[] = [];
  readonly #server = createHttp((request: IncomingMessage, response) => {
    this.heard.push(`${request.method} ${request.headers.host}${request.url}`);
    if (request.method === "POST") {
      request.pipe(response);
      return;
    }
    if (request.url === "/away") response.writeHead(302, { location: "http://elsewhere.test/x" }).end();
    else response.end(`hello ${request.headers.host}\n`);
  });

  static async open(): Promise<WebServer> {
    const server = new WebServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

interface Stage {
  readonly run: (command: string) => Promise<string>;
  readonly connections: readonly ProxyConnection[];
  readonly socket: string;
}

/** A place with a proxy: names lead to this machine, as a resolver under attack would say. */
async function onStage(allow: readonly string[], play: (stage: Stage) => Promise<void>): Promise<void> {
  using place = new SandboxedPlace();
  await using proxy = await ListedProxy.open(place, allow, {
    // The first address of public.test does not answer.
    resolve: async (host) =>
      (host === "public.test" ? ["127.0.0.2", "127.0.0.1"] : ["10.1.2.3"]).map((address) => ({ address })),
  });
  const { network, connections } = proxy;
  const run = async (command: string) =>
    (await place.run({ enforcement, command, timeout: 20_000 }, { network })).output.text;
  await play({ run, connections, socket: network.socket });
}

it("answers as usual where a connection cannot be recorded", async () => {
  using place = new SandboxedPlace();
  await using web = await WebServer.open();
  const socket = place.folder.at("data/proxy");
  const proxy = await EgressProxy.open({
    socket,
    allow: new AllowList([`127.0.0.1:${web.port}`, "127.0.0.1:1"]),
    decide: async ({ port }) => (port === web.port ? { allowed: true, by: "list" } : { allowed: false, reason: "No." }),
    record: () => {
      throw new Error("the register is closed");
    },
  });
  const ask = async (request: string) => {
    const program = connect(socket).on("error", () => {});
    program.write(request);
    return Buffer.concat(await program.toArray()).toString("utf8");
  };
  const name = `127.0.0.1:${web.port}`;
  expect(await ask("CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n")).toContain("403 Forbidden: No.");
  expect(await ask("GET http://127.0.0.1:1/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).toContain(
    "403 Forbidden: No.",
  );
  expect(await ask(`GET http://${name}/ HTTP/1.1\r\nhost: ${name}\r\nconnection: close\r\n\r\n`)).toContain("hello");
  await proxy[Symbol.asyncDispose]();
});

it("keeps no connection, and records none, for a program whose session ended while a person was asked", async () => {
  using place = new SandboxedPlace();
  const web = createTcp((socket) => void socket.on("error", () => {})).listen(0, "127.0.0.1");
  const arrived = once(web, "connection") as Promise<[Socket]>;
  await once(web, "listening");
  const { port } = web.address() as AddressInfo;
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<ProxyVerdict>()];
  const recorded: ProxyConnection[] = [];
  const proxy = await EgressProxy.open({
    socket: place.folder.at("data/proxy"),
    allow: new AllowList([`127.0.0.1:${port}`]),
    decide: () => {
      asked.resolve();
      return answered.promise;
    },
    record: (connection) => recorded.push(connection),
  });
  const program = connect(place.folder.at("data/proxy")).on("error", () => {});
  program.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
  await asked.promise;
  await proxy[Symbol.asyncDispose]();
  answered.resolve({ allowed: true, by: "person" });
  const [connection] = await arrived;
  await once(connection.resume(), "close");
  expect(recorded).toEqual([]);
  web.close();
});

it("refuses an address of this machine that is not on the list without asking: a yes would not open it", async () => {
  using place = new SandboxedPlace();
  const asked: string[] = [];
  await using proxy = await EgressProxy.open({
    socket: place.folder.at("data/proxy"),
    allow: new AllowList(["127.0.0.1:1"]),
    decide: async ({ host }) => {
      asked.push(host);
      return { allowed: true, by: "person" };
    },
    record: () => {},
  });
  expect(proxy).toBeDefined();
  const program = connect(place.folder.at("data/proxy"));
  program.write("CONNECT 127.0.0.2:8080 HTTP/1.1\r\n\r\n");
  expect(await readAll(program)).toContain("127.0.0.2 is not an address of the public internet");
  expect(asked).toEqual([]);
});

const curl = "curl -s -S --max-time 8";

describe("a network by name", () => {
  it("lets through what is named, by proxy and by name, and records host and bytes", async () => {
    await using web = await WebServer.open();
    const { port } = web;
    const named = [`public.test:${port}`, `127.0.0.2:${port}`, `127.0.0.1:${port}`];
    await onStage(named, async ({ run, connections }) => {
      expect(await run(`${curl} http://public.test:${port}/a`)).toBe(`hello public.test:${port}\n`);
      // As a tunnel, and as a program that knows no proxy would.
      expect(await run(`${curl} -p http://public.test:${port}/b`)).toBe(`hello public.test:${port}\n`);
      expect(await run(`${curl} --noproxy '*' http://public.test:${port}/c`)).toBe(`hello public.test:${port}\n`);
      // A model on this machine's loopback is at the same place inside.
      expect(await run(`${curl} http://127.0.0.1:${port}/d`)).toBe(`hello 127.0.0.1:${port}\n`);
      // What is large goes both ways, whole.
      const large = `head -c 3000000 /dev/zero | ${curl} --data-binary @- -H Expect: http://127.0.0.1:${port}/e | wc -c`;
      expect((await run(large)).trim()).toBe("3000000");
      expect(web.heard.map((line) => line.slice(-2))).toEqual(["/a", "/b", "/c", "/d", "/e"]);
      await vi.waitFor(() => expect(connections).toHaveLength(5)); // the last one is recorded when it is closed
      expect(connections[0]).toMatchObject({
        host: "public.test",
        port,
        allowedBy: `public.test:${port}`,
        refused: null,
      });
      for (const { bytesSent, bytesReceived } of connections)
        expect(Math.min(bytesSent, bytesReceived)).toBeGreaterThan(50);
    });
  });

  it("refuses everything else, with a sentence, and nothing arrives", async () => {
    await using web = await WebServer.open();
    const { port } = web;
    const allow = ["named.test", `named.test:${port}`, "*.wide.test", "public.test:2", "127.0.0.1:2"];
    await onStage(allow, async ({ run, connections }) => {
      const tries = [
        `${curl} http://other.test/`,
        `${curl} https://other.test/`,
        `${curl} http://named.test:8080/`, // another port
        `${curl} http://127.0.0.1:${port}/`, // an address in place of a name
        `${curl} -x http://127.0.0.1:3128 --noproxy '' http://127.0.0.1:${port}/`,
        `${curl} -x http://127.0.0.1:3128 --noproxy '' http://localhost:${port}/`,
        `${curl} -x http://127.0.0.1:3128 --noproxy '' http://[::1]:${port}/`,
        `${curl} -x http://127.0.0.1:3128 --noproxy '' -p http://127.0.0.1:${port}/`,
        `${curl} http://named.test:${port}/`, // allowed, but it resolves to a private address
        `${curl} http://a.wide.test/`,
        `${curl} http://wide.test/`,
        `${curl} -H 'Host: named.test' http://evil.test/`,
        `(echo GET / > /dev/tcp/127.0.0.1/${port})`,
        `${curl} --noproxy '*' http://93.184.216.34/`,
        `${curl} -x socks5h://127.0.0.1:3128 http://other.test/`,
        `${curl} http://public.test:2/`, // allowed, but nothing listens there
      ];
      const output = await run(tries.map((line) => `${line}; echo "-- $?"`).join("\n"));
      expect(web.heard).toEqual([]);
      expect(output.match(/hello/g)).toBeNull();
      expect(output).toContain("other.test is not on the list.");
      expect(output).toMatch(/public\.test could not be reached: nothing listens at 127\.0\.0\.1:2\n/);
      expect(output).toMatch(/named\.test \(10\.1\.2\.3\) is not an address of the public internet/);
      expect(connections.every(({ allowedBy }) => allowedBy === null)).toBe(true);
    });
  });

  it("has no other way out: datagrams, DNS, IPv6, the proxy's own socket", async () => {
    const heard: string[] = [];
    const server = createTcp(() => heard.push("tcp6"));
    await new Promise<void>((resolve) => server.listen(0, "::1", resolve));
    const { port } = server.address() as AddressInfo;
    await onStage(["named.test"], async ({ run, socket }) => {
      const output = await run(
        [
          `(echo x > /dev/tcp/::1/${port}) 2>&1`,
          "(echo x > /dev/udp/8.8.8.8/53) 2>&1 && echo SENT",
          "getent hosts elsewhere.test && echo RESOLVED",
          `${curl} --unix-socket ${socket} http://named.test/ && echo REACHED`,
          "cat /proc/net/route /proc/net/tcp | tail -n +2 | grep -v 127 | head -3",
          "echo no > /etc/hosts",
          "cat /etc/hosts",
        ].join("\n"),
      );
      expect(heard).toEqual([]);
      for (const word of ["SENT", "RESOLVED", "REACHED"]) expect(output).not.toContain(word);
      expect(output).toContain("127.0.2.1 named.test");
    });
    server.close();
  });

  it("loses nothing of a server that talks first, such as a database", async () => {
    const server = createTcp((socket) => socket.end("welcome\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await onStage([`127.0.0.1:${port}`], async ({ run }) => {
      expect(await run(`for i in $(seq 1 40); do cat < /dev/tcp/127.0.0.1/${port}; done | sort | uniq -c`)).toMatch(
        /^ *40 welcome\n$/,
      );
    });
    server.close();
  });

  it("passes a redirect on, and the next request is decided again", async () => {
    await using web = await WebServer.open();
    const { port } = web;
    await onStage([`public.test:${port}`, `127.0.0.1:${port}`], async ({ run }) => {
      const output = await run(`${curl} -L http://public.test:${port}/away`);
      expect(output).toBe("elsewhere.test is not on the list.\n");
    });
  });

  it("does not open a tunnel for one host that is used for another", async () => {
    const folder = join(import.meta.dirname, "../../../../test/support/tls");
    const names: (string | false | undefined)[] = [];
    const server = createTls(
      {
        key: readFileSync(join(folder, "key.pem")),
        cert: readFileSync(join(folder, "cert.pem")),
        SNICallback: (name, done) => {
          names.push(name);
          done(null);
        },
      },
      // Only once it was asked: a connection that ends with unread bytes in it is broken off.
      (socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok\n")),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await onStage([`public.test:${port}`, `127.0.0.1:${port}`], async ({ run, connections }) => {
      expect(await run(`${curl} -k https://public.test:${port}/`)).toBe("ok\n");
      const fronted = await run(
        `${curl} -k --connect-to other.test:${port}:public.test:${port} https://other.test:${port}/`,
      );
      expect(fronted).not.toContain("ok");
      expect(names).toEqual(["public.test"]);
      await vi.waitFor(() => {
        expect(connections.map(({ refused }) => refused).join("\n")).toContain("but its TLS is for other.test");
      });
    });
    server.close();
  });

  it("is not stopped by slow, huge or malformed requests", async () => {
    await using web = await WebServer.open();
    const { port } = web;
    await onStage([`public.test:${port}`, `127.0.0.1:${port}`], async ({ run }) => {
      const output = await run(
        [
          "for i in $(seq 1 40); do (exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT pub' >&3; sleep 5) & done",
          "(exec 3<>/dev/tcp/127.0.0.1/3128; head -c 300000 /dev/zero | tr '\\0' a >&3; cat <&3 | head -c 200) 2>/dev/null",
          "(exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT a b c:99999 HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3 | head -c 100) 2>/dev/null",
          "(exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET / HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n' >&3; timeout 2 cat <&3 | head -c 400)",
          `${curl} http://public.test:${port}/after`,
        ].join("\n"),
      );
      expect(output).toContain("This is a proxy.");
      expect(output).toContain(`hello public.test:${port}`);
    });
  });
});
