// Package managers of other languages through the proxy, for real: each fetches a package from a registry of named hosts into an empty home folder. Only in
// `npm run test:long`, and those that this machine has; the first test names them.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { isLong } from "../../../../test/support/rounds.ts";
import { cacheVariables } from "../environment/cache-variables.ts";
import { ListedProxy } from "../testing/listed-proxy.ts";
import { PackageServer, trustVariables } from "../testing/package-server.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { TemporaryFolder } from "../testing/temporary-folder.ts";

vi.setConfig({ testTimeout: 180_000 });

interface Origins {
  /** With a certificate of the test's own authority. */
  readonly https: string;
  /** For Java, whose trust no variable names. */
  readonly http: string;
}

interface Manager {
  readonly program: string;
  readonly check: readonly string[];
  /** Makes the package `left` in the server's folder. */
  readonly publish: (folder: string, origins: Origins) => void;
  readonly project: (origins: Origins) => Readonly<Record<string, string>>;
  readonly command: (origins: Origins) => string;
  readonly says: string;
}

/** Some programs only start another one, which they look for in the home folder unless this names it. */
const installed = { RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), ".rustup") };

const write = (folder: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
};

const mavenPom = (name: string, more: string) =>
  `<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>${name}</artifactId><version>1.0</version><packaging>pom</packaging>${more}</project>`;

const managers: readonly Manager[] = [
  {
    program: "pip",
    check: ["--version"],
    publish: (folder) => makeWheel(folder),
    project: () => ({}),
    command: ({ https }) =>
      // Not "and": pyenv makes an install fail afterwards, because it cannot write its own folder.
      `pip install --target lib --index-url ${https}/simple left; PYTHONPATH=lib python3 -c 'import left; print(left.word)'`,
    says: "hello from left",
  },
  {
    program: "go",
    check: ["version"],
    publish: (folder) => {
      const at = join(folder, "go/left.test/left/@v");
      const files = {
        "go.mod": "module left.test/left\n",
        "left.go": 'package left\n\nconst Word = "hello from left"\n',
      };
      write(join(folder, "go-source"), files);
      const git = (...words: readonly string[]) =>
        execFileSync("git", ["-C", join(folder, "go-source"), "-c", "user.name=a", "-c", "user.email=a@b", ...words]);
      write(at, { list: "v1.0.0\n", "v1.0.0.info": '{"Version":"v1.0.0"}', "v1.0.0.mod": files["go.mod"] });
      git("init", "--quiet");
      git("add", ".");
      git("commit", "--quiet", "-m", "one");
      git("archive", "--prefix=left.test/left@v1.0.0/", "-o", join(at, "v1.0.0.zip"), "HEAD");
    },
    project: () => ({
      "go.mod": "module day.test/day\n\ngo 1.19\n\nrequire left.test/left v1.0.0\n",
      "main.go": 'package main\n\nimport (\n\t"fmt"\n\t"left.test/left"\n)\n\nfunc main() { fmt.Println(left.Word) }\n',
    }),
    command: ({ https }) => `GOPROXY=${https}/go GONOSUMDB='*' GOFLAGS=-mod=mod go run .`,
    says: "hello from left",
  },
  {
    program: "cargo",
    check: ["--version"],
    publish: (folder, { https }) => {
      write(join(folder, "left-1.0.0"), {
        "Cargo.toml": '[package]\nname = "left"\nversion = "1.0.0"\nedition = "2021"\n',
        "src/lib.rs": 'pub fn word() -> &\'static str { "hello from left" }\n',
      });
      execFileSync("tar", ["czf", "left-1.0.0.crate", "left-1.0.0"], { cwd: folder });
      const cksum = createHash("sha256")
        .update(readFileSync(join(folder, "left-1.0.0.crate")))
        .digest("hex");
      const entry = { name: "left", vers: "1.0.0", deps: [], cksum, features: {}, yanked: false };
      write(join(folder, "cargo"), {
        "config.json": JSON.stringify({ dl: `${https}/{crate}-{version}.crate` }),
        "le/ft/left": `${JSON.stringify(entry)}\n`,
      });
    },
    project: () => ({
      "Cargo.toml": '[package]\nname = "day"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nleft = "1"\n',
      "src/main.rs": 'fn main() { println!("{}", left::word()); }\n',
    }),
    command: ({ https }) =>
      `cargo run --config 'source.crates-io.replace-with="mine"' --config 'source.mine.registry="sparse+${https}/cargo/"'`,
    says: "hello from left",
  },
  {
    program: "mvn",
    check: ["--version"],
    publish: (folder) => write(join(folder, "maven"), { "a/left/1.0/left-1.0.pom": mavenPom("left", "") }),
    project: ({ http }) => {
      const parent =
        "<parent><groupId>a</groupId><artifactId>left</artifactId><version>1.0</version><relativePath/></parent>";
      const from = `<repositories><repository><id>mine</id><url>${http}/maven</url></repository></repositories>`;
      const mirror = "<id>maven-default-http-blocker</id><mirrorOf>none</mirrorOf><url>http://0.0.0.0/</url>";
      return {
        "pom.xml": mavenPom("day", parent + from),
        "settings.xml": `<settings><mirrors><mirror>${mirror}</mirror></mirrors></settings>`,
      };
    },
    command: () => "mvn -B -s settings.xml validate",
    says: "BUILD SUCCESS",
  },
  {
    program: "gradle",
    check: ["--version"],
    publish: (folder) =>
      write(join(folder, "maven"), {
        "a/left/1.0/left-1.0.pom": mavenPom("left", "").replace("pom</packaging>", "jar</packaging>"),
        "a/left/1.0/left-1.0.jar": "left",
      }),
    project: ({ http }) => ({
      "build.gradle": [
        `repositories { maven { url "${http}/maven"; try { allowInsecureProtocol = true } catch (MissingPropertyException e) {} } }`,
        "configurations { fetched }",
        'dependencies { fetched "a:left:1.0" }',
        'task show { doLast { println "fetched " + configurations.fetched.files*.name } }',
      ].join("\n"),
      "settings.gradle": "",
    }),
    // Java's temporary folder is /tmp, whatever TMPDIR says.
    command: () => "JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=$TMPDIR gradle --no-daemon -q show",
    says: "fetched [left-1.0.jar]",
  },
];

function runsHere({ program, check }: Manager): boolean {
  using home = new TemporaryFolder({});
  return spawnSync(program, check, { env: { ...process.env, ...installed, HOME: home.path } }).status === 0;
}

const found = isLong ? managers.filter(runsHere) : [];
const named = (list: readonly Manager[]) => list.map(({ program }) => program).join(", ") || "none";

it(`knows ${named(managers)}${isLong ? `; this machine has ${named(found)}` : ""}`, () => {
  expect(new Set(managers.map(({ program }) => program)).size).toBe(managers.length);
});

it.each(found)("$program fetches a package from a named host", async ({ publish, project, command, says }) => {
  const enforcement = await provenEnforcement();
  using place = new SandboxedPlace({ served: null });
  const served = place.folder.at("served");
  await using server = await PackageServer.open(served);
  const plain = createServer((request, response) => {
    const file = join(served, decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    if (existsSync(file)) response.end(request.method === "HEAD" ? "" : readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  const { port } = plain.address() as AddressInfo;
  const origins = { https: `https://index.test:${server.port}`, http: `http://index.test:${port}` };
  publish(served, origins);
  write(place.folder.at("work"), project(origins));
  await using proxy = await ListedProxy.open(place, [
    `index.test:${server.port}`,
    `index.test:${port}`,
    `127.0.0.1:${server.port}`,
    `127.0.0.1:${port}`,
  ]);
  const { network, connections } = proxy;
  const env = {
    ...cacheVariables(place.folder.at("data"))({ enforcement, policy: { network } }),
    ...trustVariables,
    ...installed,
    HOME: place.folder.at("home"),
    TMPDIR: place.folder.at("temp"),
  };
  const result = await place.run({ enforcement, command: command(origins), env, timeout: 170_000 }, { network });
  expect(result.output.text).toContain(says);
  await proxy[Symbol.asyncDispose]();
  plain.close();
  expect(connections.map(({ host, refused }) => `${host} ${refused ?? "reached"}`)).toContain("index.test reached");
});

function makeWheel(folder: string): void {
  const script = `import zipfile
with zipfile.ZipFile("left-1.0.0-py3-none-any.whl", "w") as wheel:
    info = "left-1.0.0.dist-info/"
    wheel.writestr("left.py", "word = 'hello from left'")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: left\\nVersion: 1.0.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "")`;
  execFileSync("python3", ["-c", script], { cwd: folder });
}
