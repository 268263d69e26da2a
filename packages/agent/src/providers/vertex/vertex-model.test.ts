// Vertex AI by the credentials of Google: the token is asked for as Google documents it, used for every request, and renewed.
import { createVerify, generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../../../../../test/support/host-process.ts";
import { ModelServer } from "../../../../../test/support/model-server/model-server.ts";
import type { Model } from "../model.ts";
import { openModel } from "../open-model.ts";

/** Google's token server: keeps the forms that it gets, and answers as it is told. */
async function serveTokens(answer: (count: number) => readonly [status: number, body: object]) {
  const forms: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      forms.push(new URLSearchParams(text));
      const [status, body] = answer(forms.length);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    forms,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function open(server: ModelServer | undefined, env: NodeJS.ProcessEnv, model = "gemini-2.5-pro"): Promise<Model> {
  return openModel({
    provider: "vertex",
    model,
    apiKey: undefined,
    keyVariable: undefined,
    keyRequired: false,
    baseUrl: server === undefined ? undefined : `${server.url}/v1/projects/p/locations/global`,
    api: undefined,
    headers: {},
    contextWindow: undefined,
    facts: () => ({}),
    stallMs: 5000,
    env: { HOME: "/nowhere", PATH: "/nowhere", ...env },
  });
}

async function ask(model: Model): Promise<void> {
  const request = {
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    tools: [],
    maxOutputTokens: 100,
    thinking: "off",
  } as const;
  for await (const event of model.stream(request, new AbortController().signal)) if (event.type === "finish") return;
}

const tokens = (server: ModelServer) => server.requests.map(({ headers }) => headers.authorization);

it("shows Google a claim that the service account signed, and uses the token until it ends", async () => {
  using folder = new TemporaryFolder();
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await using google = await serveTokens((count) => [
    200,
    { access_token: `token-${count}`, expires_in: count === 2 ? 30 : 3600, token_type: "Bearer" },
  ]);
  await using server = await ModelServer.start(() => ({ text: "ok" }), { only: "gemini" });
  const file = folder.in("account.json");
  const account = { type: "service_account", project_id: "p", client_email: "me@p.iam", private_key_id: "key-1" };
  writeFileSync(file, JSON.stringify({ ...account, private_key: privateKey, token_uri: google.url }));
  const env = { GOOGLE_APPLICATION_CREDENTIALS: file };
  const model = await open(server, env);
  await ask(model);
  await ask(model);
  // The second token ends so soon that it is used once.
  const other = await open(server, env);
  await ask(other);
  await ask(other);
  expect(tokens(server)).toEqual(["Bearer token-1", "Bearer token-1", "Bearer token-2", "Bearer token-3"]);
  const [form] = google.forms;
  expect(form?.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
  const [header = "", claim = "", signature = ""] = form?.get("assertion")?.split(".") ?? [];
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
  expect(read(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
  expect(read(claim)).toMatchObject({
    iss: "me@p.iam",
    aud: google.url,
    scope: "https://www.googleapis.com/auth/cloud-platform",
  });
  expect(Number(read(claim).exp) - Number(read(claim).iat)).toBe(3600);
  const verified = createVerify("RSA-SHA256").update(`${header}.${claim}`).verify(publicKey, signature, "base64url");
  expect(verified).toBe(true);
});

it("uses the log-in of gcloud, and says what to do when it is over", async () => {
  using folder = new TemporaryFolder();
  await using google = await serveTokens((count) =>
    count === 1
      ? [200, { access_token: "mine", expires_in: 3600 }]
      : [400, { error: "invalid_grant", error_description: "Token has been expired or revoked." }],
  );
  await using server = await ModelServer.start(() => ({ text: "ok" }), { only: "anthropic" });
  const login = { type: "authorized_user", client_id: "id", client_secret: "secret", refresh_token: "again" };
  writeFileSync(
    folder.in("application_default_credentials.json"),
    JSON.stringify({ ...login, quota_project_id: "payer", token_uri: google.url }),
  );
  const env = { CLOUDSDK_CONFIG: folder.path };
  await ask(await open(server, env, "claude-sonnet-4-5@20250929"));
  expect(Object.fromEntries(google.forms[0] ?? [])).toEqual({
    grant_type: "refresh_token",
    client_id: "id",
    client_secret: "secret",
    refresh_token: "again",
  });
  expect(server.requests[0]).toMatchObject({
    headers: { authorization: "Bearer mine", "x-goog-user-project": "payer" },
  });
  expect(server.requests[0]?.headers).not.toHaveProperty("x-api-key");
  await expect(ask(await open(server, env))).rejects.toMatchObject({
    code: "unauthorized",
    message:
      "Google gave vertex no access token: Token has been expired or revoked. Log in again with `gcloud auth application-default login`, or use another service account.",
  });
});

it("asks gcloud where there is no file, and says what is missing", async () => {
  using folder = new TemporaryFolder();
  const script = '#!/bin/sh\n[ "$*" = "auth application-default print-access-token" ] && echo from-gcloud\n';
  writeFileSync(folder.in("gcloud"), script, { mode: 0o755 });
  await using server = await ModelServer.start(() => ({ text: "ok" }), { only: "gemini" });
  await ask(await open(server, { PATH: `${folder.path}:/bin` }));
  expect(tokens(server)).toEqual(["Bearer from-gcloud"]);
  await expect(ask(await open(server, {}))).rejects.toThrow(
    "vertex needs credentials of Google Cloud: set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account, or log in with `gcloud auth application-default login` (gcloud is not installed).",
  );
  await expect(open(undefined, {})).rejects.toThrow(
    "vertex needs your project at Google Cloud: set GOOGLE_CLOUD_PROJECT.",
  );
  await expect(open(undefined, { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "a.b/c" })).rejects.toThrow(
    'GOOGLE_CLOUD_LOCATION is "a.b/c", which is no region.',
  );
  await expect(open(server, {}, "")).rejects.toThrow("vertex needs the name of a model");
  writeFileSync(folder.in("broken.json"), "{secret");
  await expect(open(server, { GOOGLE_APPLICATION_CREDENTIALS: folder.in("broken.json") })).rejects.toThrow(
    `vertex cannot use the credentials in ${folder.in("broken.json")}: it is not JSON.`,
  );
});
