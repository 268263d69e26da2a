// Keys outside, for real: a command in the sandbox, a host over TLS, and a credential that the command must not find.
import { type IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, it, vi } from "vitest";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { ListedProxy } from "../testing/listed-proxy.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { SessionAuthority } from "./certificates.ts";
import { writeTrustFiles } from "./trust-files.ts";

vi.setConfig({ testTimeout: 60_000 });

let enforcement: Enforcement;
beforeAll(async () => {
  enforcement = await provenEnforcement();
}, 60_000);

const secret = "Bearer hidden-from-commands-4711";

/** A host on this machine, with a certificate of its own authority. It keeps what it was sent. */
class TlsHost implements AsyncDisposable {
  readonly authority: SessionAuthority;
  readonly heard: string[] = [];
  readonly #server: Server;

  constructor(names: readonly string[]) {
    this.authority = new SessionAuthority(names);
    const [name = ""] = names;
    const SNICallback = (
      asked: string,
      done: (error: Error | null, context: ReturnType<SessionAuthority["getContext"]>) => void,
    ) => done(null, this.authority.getContext(names.includes(asked) ? asked : name));
    this.#server = createServer({ SNICallback }, (request: IncomingMessage, response) => {
      const { authorization = "none", host } = request.headers;
      let body = "";
      request.on("data", (text) => (body += text));
      request.on("end", () => {
        this.heard.push(`${request.method} ${host} ${request.url} ${authorization}`);
        if (request.url === "/away")
          response.writeHead(302, { location: `https://other.test:${this.port}/there` }).end();
        else response.end(`answer ${request.url} ${body}\n`);
      });
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

it("a request for the host carries the credential; the command, other hosts, other ports and other names never see it", async () => {
  using place = new SandboxedPlace();
  await using host = await new TlsHost(["api.test", "other.test"]).listen();
  await using elsewhere = await new TlsHost(["api.test"]).listen();
  const { port } = host;
  const listed = [
    `api.test:${port}`,
    `api.test:${elsewhere.port}`,
    `other.test:${port}`,
    `127.0.0.1:${port}`,
    `127.0.0.1:${elsewhere.port}`,
  ];
  const credential = { name: "api", host: "api.test", port, header: "authorization", value: secret };
  const authority = new SessionAuthority([credential.host]);
  const trust = writeTrustFiles(place.folder.at("data"), "session", authority.certificate);
  await using proxy = await ListedProxy.open(place, listed, {
    keys: { credentials: [credential], authority, moreAuthorities: [host.authority.certificate] },
  });
  const { network, connections } = proxy;
  const run = async (command: string) =>
    (await place.run({ enforcement, command, env: trust.variables, timeout: 30_000 }, { network })).output.text.trim();

  // By the proxy, twice over one connection; by the name in /etc/hosts; with a credential of its own, which is replaced; from Node and Python.
  const url = `https://api.test:${port}`;
  const node = `fetch("${url}/node", { method: "POST", body: "sent" }).then((a) => a.text()).then(console.log)`;
  const python = `import urllib.request as u; print(u.urlopen("${url}/python").read().decode())`;
  const lines = [
    `curl -s ${url}/one ${url}/two`,
    `curl -s --noproxy '*' ${url}/direct`,
    `curl -s -H 'Authorization: mine' ${url}/mine`,
    `node -e '${node}'`,
    `python3 -c '${python}'`,
  ];
  expect((await run(lines.join("; "))).split(/\s*\n\s*/)).toEqual(
    ["/one", "/two", "/direct", "/mine", "/node sent", "/python"].map((path) => `answer ${path}`.trim()),
  );
  expect(host.heard).toHaveLength(6);
  for (const line of host.heard) expect(line).toContain(` ${secret}`);

  // Where it must not be: another host that this one leads to, another port, another name inside TLS, the same host over plain http.
  host.heard.length = 0;
  const other = await run(
    [
      `curl -sk -L ${url}/away`,
      `curl -sk https://api.test:${elsewhere.port}/port`,
      `curl -s -H 'Host: other.test' ${url}/name`,
      `curl -s -X TRACE ${url}/trace`,
      `curl -s --request-target http://other.test/ ${url}/whole`,
      `curl -s --connect-to other.test:${port}:api.test:${port} https://other.test:${port}/hello || echo refused`,
    ].join("; "),
  );
  expect(other).not.toContain("hidden-from-commands");
  expect(other.split(/ *\n/)).toEqual([
    "answer /there",
    "answer /port",
    "This connection is for api.test.",
    "This request cannot be sent with a credential.",
    "This request cannot be sent with a credential.",
    "refused",
  ]);
  const sent = (heard: readonly string[]) => heard.map((line) => line.replace(/ \w+\.test:\d+ /, " "));
  expect(sent(host.heard)).toEqual([`GET /away ${secret}`, "GET /there none"]);
  expect(sent(elsewhere.heard)).toEqual(["GET /port none"]);

  // The command looks for it: environment, its processes, every file that it can read in the places that are ours.
  const search = [
    "env",
    "cat /proc/*/environ /proc/*/cmdline",
    `grep -rs hidden-from ${place.folder.path} ${place.folder.at("data")}`,
    "cat $SSL_CERT_FILE $NODE_EXTRA_CA_CERTS",
  ];
  const found = await run(`{ ${search.join("; ")}; } 2>/dev/null | tr '\\0' '\\n'`);
  expect(found).toContain("BEGIN CERTIFICATE");
  expect(found).not.toContain("hidden-from-commands");
  expect(found).not.toContain("PRIVATE KEY");
  // The files that say whom to trust cannot be changed by a command, which could otherwise be believed by the next one.
  expect(await run('echo x 2>/dev/null >> "$SSL_CERT_FILE" || echo closed')).toContain("closed");

  await expect
    .poll(() => connections.filter(({ allowedBy }) => allowedBy?.includes("with the credential api")).length)
    .toBeGreaterThan(3);
  expect(JSON.stringify(connections)).not.toContain("hidden-from-commands");
  trust.remove();
});

it("the host itself is checked: a stranger with its name gets nothing", async () => {
  using place = new SandboxedPlace();
  await using stranger = await new TlsHost(["api.test"]).listen();
  const { port } = stranger;
  const authority = new SessionAuthority(["api.test"]);
  const trust = writeTrustFiles(place.folder.at("data"), "session", authority.certificate);
  await using proxy = await ListedProxy.open(place, [`api.test:${port}`, `127.0.0.1:${port}`], {
    keys: { credentials: [{ name: "api", host: "api.test", port, header: "x-api-key", value: secret }], authority },
  });
  const command = `curl -s https://api.test:${port}/`;
  const { output } = await place.run({ enforcement, command, env: trust.variables }, { network: proxy.network });
  expect(output.text).toBe("api.test did not answer, or its certificate is not valid.\n");
  expect(stranger.heard).toEqual([]);
});

it("a session's authority speaks for its own hosts only", () => {
  const authority = new SessionAuthority(["api.test"]);
  expect(() => authority.getContext("other.test")).toThrow("does not speak for other.test");
});
