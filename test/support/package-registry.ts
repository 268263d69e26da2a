// A registry of npm packages on loopback, with packages that a test makes up. Never the real one.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

interface FakePackage {
  readonly name: string;
  readonly version: string;
  /** By path; the package.json is made from the rest. */
  readonly files: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

export class PackageRegistry implements AsyncDisposable {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  /** The paths that were asked for. */
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  static async start(packages: readonly FakePackage[]): Promise<PackageRegistry> {
    const tarballs = new Map(packages.map((each) => [each.name, tarball(each)]));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const registry = new PackageRegistry(server);
    server.on("request", (request, response) => {
      const path = decodeURIComponent(new URL(request.url ?? "/", registry.url).pathname).slice(1);
      registry.asked.push(path);
      const file = packages.find(({ name }) => path === `files/${name}.tgz`);
      const named = packages.find(({ name }) => path === name);
      if (file !== undefined) response.end(tarballs.get(file.name));
      else if (named !== undefined)
        response.end(JSON.stringify(document(named, tarballs.get(named.name), registry.url)));
      else response.writeHead(404).end("{}");
    });
    return registry;
  }

  /** What npm needs to ask this registry alone. */
  environment(cache: string): Record<string, string> {
    return { npm_config_registry: this.url, npm_config_cache: cache, npm_config_userconfig: "/dev/null" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function document({ name, version, bin, scripts }: FakePackage, bytes: Buffer | undefined, url: string): object {
  const integrity = `sha512-${createHash("sha512")
    .update(bytes ?? "")
    .digest("base64")}`;
  const dist = { tarball: `${url}files/${name}.tgz`, integrity };
  const hasInstallScript = scripts !== undefined;
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { name, version, bin, scripts, hasInstallScript, dist } },
  };
}

function tarball({ name, version, files, bin, scripts }: FakePackage): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-package-"));
  try {
    const all = { ...files, "package.json": JSON.stringify({ name, version, bin, scripts }) };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, "package", path)), { recursive: true });
      writeFileSync(join(folder, "package", path), text, { mode: 0o755 });
    }
    execFileSync("tar", ["-czf", join(folder, "package.tgz"), "-C", folder, "package"]);
    return readFileSync(join(folder, "package.tgz"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program that speaks as much ACP as a first prompt needs, and answers with these words. */
export function smallAgent(answer: string): string {
  return `#!/usr/bin/env node
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") return send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === "session/new") return send({ id, result: { sessionId: "one" } });
  if (method !== "session/prompt") return id === undefined || send({ id, result: {} });
  const content = { type: "text", text: ${JSON.stringify(answer)} };
  const update = { sessionUpdate: "agent_message_chunk", content };
  send({ method: "session/update", params: { sessionId: params.sessionId, update } });
  send({ id, result: { stopReason: "end_turn" } });
});
`;
}
