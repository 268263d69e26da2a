// Tests a host that other machines can reach: encrypted, or with a warning on the terminal, in doctor and on the page.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as requestOpenly } from "node:http";
import { type RequestOptions, request } from "node:https";
import { hostname } from "node:os";
import { join } from "node:path";
import type { SetupRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { HostProcess, runProgram, TemporaryFolder } from "../support/host-process.ts";
import { TestScreen } from "../support/screen.ts";

const certificate = join(import.meta.dirname, "../support/tls/cert.pem");
const key = join(import.meta.dirname, "../support/tls/key.pem");
const tls = ["--tls-cert", certificate, "--tls-key", key];

async function statusOf(asked: ReturnType<typeof request>): Promise<number | undefined> {
  asked.end();
  const [answer] = (await once(asked, "response")) as [{ statusCode?: number; resume(): void }];
  answer.resume();
  return answer.statusCode;
}

describe("with a certificate", () => {
  it("speaks HTTPS under the names of the certificate, and commands of this machine find it", async () => {
    using folder = new TemporaryFolder();
    await using host = await HostProcess.start(folder.in("data"), ["--port", "0", ...tls]);
    const { port, url } = host.ready;
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    expect(host.stderr).toBe("");
    const get = (more: RequestOptions) =>
      request({ host: "127.0.0.1", port, path: "/", ca: readFileSync(certificate), servername: "box.test", ...more });
    expect(await statusOf(get({ headers: { host: `box.test:${port}` } }))).toBe(200);
    expect(await statusOf(get({ headers: { host: `evil.test:${port}` } }))).toBe(403);
    await expect(statusOf(requestOpenly({ host: "127.0.0.1", port, path: "/" }))).rejects.toThrow();
    const through = await runProgram(["run", "--data-dir", host.ready.data_dir, "--agent", "demo", "Hello"]);
    expect(through).toMatchObject({ code: 0, stdout: expect.stringContaining("Hello") });
  });

  it("refuses files that are no certificate, and one without the other", async () => {
    using folder = new TemporaryFolder();
    const serve = (...flags: string[]) =>
      runProgram(["serve", "--no-open", "--port", "0", "--data-dir", folder.in("data"), ...flags]);
    expect(await serve("--tls-cert", certificate)).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("must be given together"),
    });
    const missing = await serve("--tls-cert", folder.in("none"), "--tls-key", key);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be read") });
    const swapped = await serve("--tls-cert", key, "--tls-key", certificate);
    expect(swapped).toMatchObject({ code: 1, stderr: expect.stringContaining("no certificate with its key") });
  });
});

describe("without encryption", () => {
  it("warns on the terminal, in doctor and on the page, and answers to the machine's own names only", async () => {
    using folder = new TemporaryFolder();
    await using host = await HostProcess.start(folder.in("data"), ["--port", "0", "--host", "0.0.0.0"]);
    const warning = "Signalbox listens on 0.0.0.0 without encryption";
    await expect.poll(() => host.stderr).toContain(`WARNING: ${warning}`);
    using screen = await TestScreen.connect(host.ready);
    const answer = await screen.request({ control: "tvx.query", name: "setup.get" });
    const [setup] = (answer as unknown as { rows: readonly SetupRow[] }).rows;
    expect(setup?.listening).toMatchObject({ host: "0.0.0.0", tls: false, warning: expect.stringContaining(warning) });
    const doctor = await runProgram(["doctor", "--json", "--data-dir", host.ready.data_dir]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(warning);
    const { port } = host.ready;
    const get = (name: string) =>
      requestOpenly({ host: "127.0.0.1", port, path: "/", headers: { host: `${name}:${port}` } });
    expect(await statusOf(get(hostname()))).toBe(200);
    expect(await statusOf(get("evil.test"))).toBe(403);
  });

  it("does not warn on the loopback address", async () => {
    using folder = new TemporaryFolder();
    await using host = await HostProcess.start(folder.in("data"));
    using screen = await TestScreen.connect(host.ready);
    expect(await screen.request({ control: "tvx.query", name: "setup.get" })).toMatchObject({
      rows: [{ listening: { host: "127.0.0.1", tls: false, warning: null } }],
    });
    expect(host.stderr).toBe("");
  });
});
