// Compilers, build tools and a browser inside the sandbox, for real and without a network: the first in `npm test`, in `npm run test:long` all that
// this machine has. docs/sandbox.md lists what was seen.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, it, onTestFinished, vi } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { cacheVariables } from "../environment/cache-variables.ts";
import { createPolicy } from "../policy/create-policy.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { runCommand } from "./run-command.ts";

vi.setConfig({ testTimeout: 180_000 });

interface Tool {
  readonly program: string;
  /** With these words it ends well where all of it is installed. */
  readonly check?: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly command: string;
  /** In the output. */
  readonly says: string;
}

const java = 'public class A { public static void main(String[] a) { System.out.println("built"); } }';

const tools: readonly Tool[] = [
  {
    program: "make",
    files: {
      Makefile: "main: main.c\n\tcc -o main main.c\n",
      "main.c": '#include <stdio.h>\nint main(void) { return puts("built") < 0; }\n',
    },
    command: "make && ./main",
    says: "built",
  },
  {
    program: "cargo",
    files: {
      "Cargo.toml":
        '[package]\nname = "day"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\npart = { path = "part" }\n',
      "src/main.rs": 'fn main() { println!("{}", part::word()); }\n',
      "part/Cargo.toml": '[package]\nname = "part"\nversion = "0.1.0"\nedition = "2021"\n',
      "part/src/lib.rs": 'pub fn word() -> &\'static str { "built" }\n',
    },
    command: "cargo run && cargo test && ! cargo add nothing-like-this",
    says: "built",
  },
  {
    program: "go",
    check: ["version"],
    files: {
      "go.mod": "module day.test/day\n\ngo 1.19\n",
      "main.go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("built") }\n',
    },
    command: "go vet ./... && go run . && ! go get example.com/nothing@latest",
    says: "built",
  },
  {
    program: "gradle",
    files: { "build.gradle": "apply plugin: 'java'\n", "src/main/java/A.java": java },
    command: "gradle --offline build && java -cp build/classes/java/main A",
    says: "built",
  },
  {
    program: "mvn",
    files: {
      "pom.xml":
        "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId><version>1</version></project>",
    },
    command: "mvn -o -B validate",
    says: "BUILD SUCCESS",
  },
  {
    program: "python3",
    check: ["-c", "import ensurepip, venv"],
    files: {},
    command: "python3 -m venv own && own/bin/pip --version",
    says: "pip",
  },
  {
    program: "chromium",
    files: { "page.html": "<p>bu<b>ilt</b></p>" },
    command: "chromium --headless --no-sandbox --dump-dom file://$PWD/page.html",
    says: "<p>bu<b>ilt</b></p>",
  },
];

const emptyHome = mkdtempSync("/var/tmp/signalbox-day-home-");
afterAll(() => rmSync(emptyHome, { recursive: true, force: true }));

/** That it is there is not enough: some programs only start another one, which they look for in the home folder. */
function runsHere({ program, check = ["--version"] }: Tool): boolean {
  return spawnSync(program, check, { env: { ...process.env, HOME: emptyHome } }).status === 0;
}

it.each(tools.slice(0, rounds({ some: 1, all: tools.length })).filter(runsHere))(
  "$program builds and runs",
  async (tool) => {
    // Not in the temp folder, which is shared with commands: Java and Chromium use it, whatever a variable says.
    const base = mkdtempSync("/var/tmp/signalbox-day-");
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(base, { recursive: true, force: true });
    });
    // Commands get no temp folder that has the home folder in it, as it is in some test machines.
    vi.stubEnv("HOME", emptyHome);
    const cwd = join(base, "work");
    for (const [name, text] of Object.entries(tool.files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    mkdirSync(cwd, { recursive: true });
    const enforcement = await provenEnforcement();
    const policy = createPolicy({
      mode: "sandbox",
      network: "off",
      workspaceFolders: [cwd],
      dataFolder: join(base, "data"),
      tempFolder: "/tmp",
    });
    const env = { ...cacheVariables(join(base, "data"))({ enforcement, policy }), TMPDIR: "/tmp" };
    const result = await runCommand({ enforcement, policy, command: tool.command, cwd, env, timeout: 170_000 });
    expect("output" in result ? result.output.text : result.message).toContain(tool.says);
    expect(result).toMatchObject({ ended: "exit", exitCode: 0 });
  },
);
