// Tests that the program loads nothing from folders that commands of agents can write.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../support/host-process.ts";

const bundle = join(import.meta.dirname, "../../packages/cli/dist");

it("takes no package from a node_modules above it", () => {
  using folder = new TemporaryFolder();
  cpSync(bundle, folder.in("program/dist"), { recursive: true });
  const chunks = readdirSync(folder.in("program/dist"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .map((name) => folder.in(`program/dist/${name}`));
  const asking = chunks.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/require\("(bufferutil|utf-8-validate)"\)/g)].map(([, name = ""]) => ({
      file,
      name,
    })),
  );
  expect(asking.length).toBeGreaterThan(0); // ws asks for both
  for (const { file, name } of asking) {
    mkdirSync(folder.in(`node_modules/${name}`), { recursive: true });
    const mark = folder.in(`mark-${name}`);
    const planted = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, ""); throw new Error("planted");`;
    writeFileSync(folder.in(`node_modules/${name}/index.js`), planted);
    const address = pathToFileURL(file).href;
    execFileSync(process.execPath, ["--input-type=module", "-e", `await import(${JSON.stringify(address)})`]);
    expect([name, existsSync(mark)]).toEqual([name, false]);
  }
});

it("resolves no package by name at run time, which Node would look for in every folder above", () => {
  const harmless = [
    "const __nodeRequire = __createRequire(import.meta.url);", // ours, which finds only what Node itself has
    'process.getBuiltinModule("module").createRequire(import.meta.url),new Proxy(', // of unpdf, which does not use it
    // Of the AI SDK, for files that a prompt names by their address. Our prompts have the bytes of their files.
    'createRequire(getCurrentModulePath())("undici")',
  ];
  const names = readdirSync(bundle, { recursive: true, encoding: "utf8" });
  // `npm run test:bundle` puts its tests beside the program; they do not ship.
  for (const name of names.filter((each) => each.endsWith(".js") && !each.startsWith("tests/"))) {
    const code = harmless.reduce((text, part) => text.replaceAll(part, ""), readFileSync(join(bundle, name), "utf8"));
    const calls = [...code.matchAll(/\w*(?:createRequire\d*|import\.meta\.resolve|require\.resolve)\(.{0,80}/g)];
    expect([name, calls.map(([call]) => call)]).toEqual([name, []]);
  }
});
