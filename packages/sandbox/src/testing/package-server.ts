// For tests: one server on this machine's loopback that is a registry for npm, an index for pip and a host for git, over TLS with a certificate of its own authority.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const tls = join(import.meta.dirname, "../../test-data/tls");

/** The names in its certificate that tests use, each for one purpose. */
export const packageHosts = ["registry.test", "code.test", "index.test"] as const;

/** What a person whose company has an authority of its own sets. */
export const trustVariables: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "NODE_EXTRA_CA_CERTS",
    "npm_config_cafile",
    "GIT_SSL_CAINFO",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
    "CARGO_HTTP_CAINFO",
  ].map((name) => [name, join(tls, "ca.pem")]),
);

export class PackageServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #server = createServer(
    { key: readFileSync(join(tls, "key.pem")), cert: readFileSync(join(tls, "cert.pem")) },
    (request, response) => this.#answer(request, response),
  );

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes a package `left` and a repository `code.git` with one commit in the folder, and serves them. */
  static async open(folder: string): Promise<PackageServer> {
    mkdirSync(join(folder, "package"), { recursive: true });
    writeFileSync(join(folder, "package/package.json"), '{ "name": "left", "version": "1.0.0" }');
    execFileSync("tar", ["czf", "left.tgz", "package"], { cwd: folder });
    const git = (...words: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: folder, stdio: "ignore" });
    git("init", "--initial-branch=main", "source");
    git("-C", "source", "commit", "--allow-empty", "-m", "one");
    git("clone", "--bare", "source", "code.git");
    const server = new PackageServer(folder);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? "/", "https://x");
    const file = join(this.#folder, decodeURIComponent(pathname));
    if (pathname.startsWith("/code.git/")) this.#askGit(request, response, pathname, search.slice(1));
    else if (pathname === "/left") response.end(JSON.stringify(this.#packageOf(request.headers.host ?? "")));
    else if (pathname === "/simple/left/")
      response
        .setHeader("content-type", "text/html")
        .end('<a href="/left-1.0.0-py3-none-any.whl">left-1.0.0-py3-none-any.whl</a>');
    else if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  }

  #packageOf(host: string): object {
    const shasum = createHash("sha1")
      .update(readFileSync(join(this.#folder, "left.tgz")))
      .digest("hex");
    const version = { name: "left", version: "1.0.0", dist: { tarball: `https://${host}/left.tgz`, shasum } };
    return { name: "left", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } };
  }

  /** Git's own server, which speaks CGI. */
  #askGit(request: IncomingMessage, response: ServerResponse, path: string, query: string): void {
    const git = spawn("git", ["http-backend"], {
      stdio: ["pipe", "pipe", "ignore"],
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: this.#folder,
        GIT_HTTP_EXPORT_ALL: "1",
        REMOTE_USER: "person", // who may push
        REQUEST_METHOD: request.method,
        PATH_INFO: path,
        QUERY_STRING: query,
        CONTENT_TYPE: request.headers["content-type"],
        CONTENT_LENGTH: request.headers["content-length"],
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
      },
    });
    request.pipe(git.stdin);
    const chunks: Buffer[] = [];
    git.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    git.on("close", () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf("\r\n\r\n");
      for (const line of answer.subarray(0, end).toString().split("\r\n")) {
        const [name = "", value = ""] = line.split(": ");
        if (name === "Status") response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.end(answer.subarray(end + 4));
    });
  }
}
