import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { testKey } from "./test-key.ts";

const key = "sk-0123456789-abcd";

it("asks the provider that the key is for, and says plainly what it answered", async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { authorization, "x-api-key": anthropic, "x-goog-api-key": gemini } = request.headers;
    seen.push(`${request.method} ${request.url} ${String(authorization ?? anthropic ?? gemini)}`);
    const [, status = "200"] = request.url?.split("/") ?? [];
    const error = { message: `Incorrect key ${key}\nsecond line.` };
    response.writeHead(Number(status), { location: "http://127.0.0.1:1/", "content-type": "application/json" });
    response.end(JSON.stringify(status === "400" ? { error: { message: "API key not valid." } } : { error }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const test = (name: string, variable: string, status: number) =>
    testKey(variable, key, { [name]: { base_url: `${url}/${status}/` } }, {});

  expect(await test("openai", "OPENAI_API_KEY", 200)).toEqual({ result: "accepted", text: "OpenAI accepted the key." });
  expect(await test("openai", "OPENAI_API_KEY", 401)).toEqual({
    result: "refused",
    text: "OpenAI refused this key (Incorrect key … second line), so it was not saved. Copy it again from your account at OpenAI.",
  });
  expect((await test("gemini", "GOOGLE_API_KEY", 400)).result).toBe("refused");
  expect((await test("anthropic", "ANTHROPIC_API_KEY", 200)).result).toBe("accepted");
  expect((await test("openrouter", "OPENROUTER_API_KEY", 200)).result).toBe("accepted");
  // Some keys may not list models: that says nothing about the key.
  expect(await test("openai", "OPENAI_API_KEY", 403)).toMatchObject({
    result: "unknown",
    text: expect.stringMatching(/^Saved, but not tested: OpenAI answered 403/),
  });
  // The key is for this address alone.
  expect((await test("openai", "OPENAI_API_KEY", 302)).result).toBe("unknown");
  expect(seen).toEqual([
    `GET /200/models Bearer ${key}`,
    `GET /401/models Bearer ${key}`,
    `GET /400/models?pageSize=1 ${key}`,
    `GET /200/models?limit=1 ${key}`,
    `GET /200/key Bearer ${key}`,
    `GET /403/models Bearer ${key}`,
    `GET /302/models Bearer ${key}`,
  ]);
  await new Promise((resolve) => server.close(resolve));
  expect(await test("openai", "OPENAI_API_KEY", 200)).toMatchObject({
    result: "unknown",
    text: expect.stringMatching(/^Saved, but not tested: 127\.0\.0\.1:\d+ cannot be reached/),
  });
  expect(await testKey("BRAVE_KEY", key, {}, {})).toEqual({
    result: "unknown",
    text: "Saved. Signalbox cannot test a key for BRAVE_KEY.",
  });
});
