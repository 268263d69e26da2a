// `npm run mutations [-- WORD…]`: proves that tests fail without what they are about. Makes each change of test/mutations.json (or those whose name
// contains a WORD) in a copy of the working tree, runs the test file that must fail, and says which changes survived.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withNode } from "./setup/node-24.mjs";
import { root } from "./setup/paths.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";

const words = process.argv.slice(2);
const { node } = await orExplain(() => setUp({ build: true }));
const listed = JSON.parse(readFileSync(join(root, "test/mutations.json"), "utf8"));
const isChosen = ({ proves }) => words.length === 0 || words.some((word) => proves.includes(word));
const mutations = listed.filter(isChosen);
const copy = mkdtempSync(join(tmpdir(), "signalbox-mutations-"));

/** The files as they are now, with the same dependencies. Packages lead to the copy, or else a test would see the unchanged ones. */
function makeCopy() {
  chmodSync(copy, 0o755); // some tests run programs as another user
  const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  for (const file of files.split("\0").filter((each) => each !== "" && existsSync(join(root, each))))
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true });
  symlinkSync(join(root, ".toolchain"), join(copy, ".toolchain"));
  symlinkSync(join(root, "packages/cli/dist"), join(copy, "packages/cli/dist"));
  cpSync(join(root, "packages/sandbox/dist"), join(copy, "packages/sandbox/dist"), { recursive: true });
  mkdirSync(join(copy, "node_modules/@signalbox"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")).filter((each) => each !== "@signalbox"))
    symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  for (const name of readdirSync(join(copy, "packages"))) {
    symlinkSync(join(copy, "packages", name), join(copy, "node_modules/@signalbox", name));
    const own = join("packages", name, "node_modules");
    if (existsSync(join(root, own))) symlinkSync(join(root, own), join(copy, own));
  }
}

/** Gives the names of the tests that fail. Throws where none even run. */
function listFailures(files) {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--reporter=json", `--outputFile=${report}`, ...files];
  const { status, stderr } = spawnSync(node, args, { cwd: copy, env: withNode(node), encoding: "utf8" });
  const { numTotalTests = 0, testResults = [] } = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};
  if (numTotalTests === 0) throw new Error(`${files.join(", ")} did not run:\n${stderr}`);
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((each) => each.status === "failed");
  return failed.length === 0 && status !== 0
    ? ["an error outside of the tests"]
    : failed.map(({ fullName }) => fullName);
}

function buildHelper() {
  execFileSync(node, [join(copy, "packages/sandbox/native/build.mjs")], { cwd: copy, stdio: "pipe" });
}

/** Whether the test fails with the change, as it should. */
function isNoticed({ file, text, replacement, test }) {
  const path = join(copy, file);
  const before = readFileSync(path, "utf8");
  if (before.split(text).length !== 2) throw new Error(`${file} does not have this text exactly once:\n${text}`);
  const isNative = dirname(file).endsWith("native");
  try {
    writeFileSync(
      path,
      before.replace(text, () => replacement),
    );
    if (isNative) buildHelper();
    return listFailures([test]).length > 0;
  } finally {
    writeFileSync(path, before);
    if (isNative) buildHelper();
  }
}

let survived = 0;
try {
  makeCopy();
  const failures = listFailures([...new Set(mutations.map(({ test }) => test))]);
  if (failures.length > 0) throw new Error(`These tests fail without any change:\n${failures.join("\n")}`);
  for (const mutation of mutations) {
    const noticed = isNoticed(mutation);
    if (!noticed) survived++;
    console.log(`${noticed ? "noticed " : "SURVIVED"} ${mutation.proves} (${mutation.test})`);
  }
  console.log(`${mutations.length} changes, ${survived} survived`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = survived === 0 ? 0 : 1;
