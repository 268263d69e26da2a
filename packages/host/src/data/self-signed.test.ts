import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeCertificate, openCertificateFiles } from "./self-signed.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-tls-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("makes a certificate for names and addresses that can sign no others, and keeps it private", () => {
  const files = openCertificateFiles(folder, ["localhost", "127.0.0.1", "fd00::a:1"]);
  const certificate = new X509Certificate(readFileSync(files.cert));
  expect(certificate.checkHost("localhost")).toBe("localhost");
  expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(certificate.checkIP("fd00::a:1")).toBe("fd00::a:1");
  expect(certificate.checkHost("evil.example")).toBeUndefined();
  expect(certificate.ca).toBe(false);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(readFileSync(files.key)))).toBe(true);
  expect(Date.parse(certificate.validTo) - Date.now()).toBeLessThan(825 * 86_400_000);
  expect(statSync(files.key).mode & 0o777).toBe(0o600);
});

it("is the same at the next start, and made again when this machine has another name or it is about to expire", () => {
  const fingerprint = (names: readonly string[]) =>
    new X509Certificate(readFileSync(openCertificateFiles(folder, names).cert)).fingerprint256;
  const first = fingerprint(["localhost"]);
  expect(fingerprint(["127.0.0.1"])).toBe(first);
  expect(fingerprint(["localhost", "192.168.7.7"])).not.toBe(first);
  const key = readFileSync(join(folder, "tls/key.pem"), "utf8");
  const old = new X509Certificate(makeCertificate(key, ["localhost"], Date.now() - 790 * 86_400_000));
  expect(Date.parse(old.validTo) - Date.now()).toBeLessThan(30 * 86_400_000);
});
