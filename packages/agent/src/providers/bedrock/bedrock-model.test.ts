// Bedrock by the credentials of AWS: the signature of a request as AWS would check it, and where the credentials come from.
import { createHash, createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TemporaryFolder } from "../../../../../test/support/host-process.ts";
import { ModelServer } from "../../../../../test/support/model-server/model-server.ts";
import { openModel } from "../open-model.ts";
import { AwsCredentials } from "./aws-credentials.ts";
import { openProfile } from "./aws-profile.ts";

interface Signed {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signedHeaders: readonly string[];
  readonly body: string;
  readonly scope: string;
  readonly secret: string;
}

/** Signature Version 4, written from AWS's description and not from what is tested. */
function signatureOf({ method, path, headers, signedHeaders, body, scope, secret }: Signed): string {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const sign = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const listed = signedHeaders.map((name) => `${name}:${headers[name]?.trim()}\n`).join("");
  const request = [method, encoded, "", listed, signedHeaders.join(";"), hash(body)].join("\n");
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(request)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>(sign, `AWS4${secret}`);
  return createHmac("sha256", key).update(text).digest("hex");
}

it("is checked by a signature that agrees with AWS's published examples", () => {
  const headers = { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" };
  const example = {
    path: "/",
    headers,
    signedHeaders: ["host", "x-amz-date"],
    body: "",
    scope: "20150830/us-east-1/service/aws4_request",
    secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  };
  // get-vanilla and post-vanilla of AWS's test suite.
  expect(signatureOf({ ...example, method: "GET" })).toBe(
    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  );
  expect(signatureOf({ ...example, method: "POST" })).toBe(
    "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  );
});

async function ask(url: string, env: NodeJS.ProcessEnv, model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0") {
  const opened = await openModel({
    provider: "bedrock",
    model,
    apiKey: undefined,
    keyVariable: "AWS_BEARER_TOKEN_BEDROCK",
    keyRequired: false,
    baseUrl: url,
    api: undefined,
    headers: {},
    contextWindow: undefined,
    facts: () => ({}),
    stallMs: 5000,
    env: { HOME: "/nowhere", ...env },
  });
  const request = {
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text: "Grüße" }] }],
    tools: [],
    maxOutputTokens: 64_000,
    thinking: "high",
  } as const;
  for await (const event of opened.stream(request, new AbortController().signal)) if (event.type === "finish") return;
}

const keys = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "very-secret" };

it("signs every request with the credentials of the environment", async () => {
  await using server = await ModelServer.start([{ text: "Hello." }], { only: "bedrock" });
  await ask(server.url, { ...keys, AWS_SESSION_TOKEN: "session", AWS_REGION: "eu-central-1" });
  const { path = "", headers = {}, body = {} } = server.requests[0] ?? {};
  const parts = /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
    headers.authorization ?? "",
  );
  const [, scope = "", signedHeaders = "", signature] = parts ?? [];
  expect(scope).toMatch(/^\d{8}\/eu-central-1\/bedrock\/aws4_request$/);
  expect(signedHeaders.split(";")).toEqual(expect.arrayContaining(["host", "x-amz-date", "x-amz-security-token"]));
  expect(headers["x-amz-security-token"]).toBe("session");
  expect(path).toContain("%3A0/");
  const request = { method: "POST", path, headers, signedHeaders: signedHeaders.split(";"), scope };
  expect(signature).toBe(signatureOf({ ...request, body: JSON.stringify(body), secret: "very-secret" }));
  expect(JSON.stringify(headers)).not.toContain("very-secret");
});

it("asks a model that thinks within a number of tokens for no longer answer than it can give", async () => {
  await using server = await ModelServer.start([{ text: "Hello." }], { only: "bedrock" });
  await ask(server.url, { ...keys, AWS_REGION: "eu-central-1" });
  expect(server.requests[0]).toMatchObject({
    maxOutputTokens: 64_000,
    body: { additionalModelRequestFields: { thinking: { budget_tokens: 38_400 } } },
  });
});

describe("credentials", () => {
  async function found(env: NodeJS.ProcessEnv) {
    const credentials = new AwsCredentials("bedrock", await openProfile(env), env);
    await credentials.refresh();
    return credentials.current;
  }

  it("come from variables, a profile of either file, its program, or the command line of AWS", async () => {
    using folder = new TemporaryFolder();
    writeFileSync(
      folder.in("config"),
      `[default]\nregion = eu-west-1\n[profile  work]\nregion=us-west-2\ncredential_process = cat ${folder.in("answer")}\n[profile sso]\nsso_session = mine\n`,
    );
    writeFileSync(
      folder.in("credentials"),
      "[default]\r\naws_access_key_id = A1\r\naws_secret_access_key = S1\r\n[other]\naws_access_key_id=A2\naws_secret_access_key=S2\naws_session_token=T2\n",
    );
    const answer = { Version: 1, AccessKeyId: "A3", SecretAccessKey: "S3", SessionToken: "T3" };
    writeFileSync(folder.in("answer"), JSON.stringify(answer));
    writeFileSync(
      folder.in("aws"),
      '#!/bin/sh\n[ "$*" = "configure export-credentials --format process --profile sso" ] && echo \'{"AccessKeyId":"A4","SecretAccessKey":"S4"}\'\n',
      { mode: 0o755 },
    );
    const env = {
      AWS_CONFIG_FILE: folder.in("config"),
      AWS_SHARED_CREDENTIALS_FILE: folder.in("credentials"),
      PATH: `${folder.path}:/usr/bin:/bin`,
    };
    expect((await openProfile(env)).values.region).toBe("eu-west-1");
    expect((await openProfile({ ...env, AWS_PROFILE: "work" })).values.region).toBe("us-west-2");
    expect(await found({ ...env, ...keys })).toEqual({ accessKeyId: "AKIDEXAMPLE", secretAccessKey: "very-secret" });
    expect(await found(env)).toEqual({ accessKeyId: "A1", secretAccessKey: "S1" });
    const withToken = (number: number) => ({
      accessKeyId: `A${number}`,
      secretAccessKey: `S${number}`,
      sessionToken: `T${number}`,
    });
    expect(await found({ ...env, AWS_PROFILE: "other" })).toEqual(withToken(2));
    expect(await found({ ...env, AWS_PROFILE: "work" })).toEqual(withToken(3));
    expect(await found({ ...env, AWS_PROFILE: "sso" })).toEqual({ accessKeyId: "A4", secretAccessKey: "S4" });
  });

  it("are asked for again shortly before they end", async () => {
    using folder = new TemporaryFolder();
    const write = (name: string, endsInMs: number) =>
      writeFileSync(
        folder.in("answer"),
        JSON.stringify({
          AccessKeyId: name,
          SecretAccessKey: "S",
          Expiration: new Date(Date.now() + endsInMs).toISOString(),
        }),
      );
    const env = { PATH: "/usr/bin:/bin" };
    const profile = { name: "work", values: { credential_process: `cat ${folder.in("answer")}` } };
    const credentials = new AwsCredentials("bedrock", profile, env);
    const next = async () => {
      await credentials.refresh();
      return credentials.current.accessKeyId;
    };
    write("first", 60_000);
    expect(await next()).toBe("first");
    write("second", 3_600_000);
    expect(await next()).toBe("second");
    write("third", 3_600_000);
    expect(await next()).toBe("second");
  });

  it("that are missing are told with what to set, and so are a region and a model", async () => {
    const env = { HOME: "/nowhere", PATH: "/nowhere" };
    await expect(found(env)).rejects.toThrow(
      "bedrock needs credentials of AWS: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile (AWS_PROFILE). The profile default has no keys, and `aws configure export-credentials` gave none: it is not installed",
    );
    await expect(ask("http://127.0.0.1:1", keys)).rejects.toThrow("bedrock needs a region: set AWS_REGION");
    await expect(ask("http://127.0.0.1:1", keys, "")).rejects.toThrow("bedrock needs the id of a model");
  });
});
