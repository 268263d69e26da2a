// Azure OpenAI: the header of the key, both forms of the address, and the API that a deployment takes.
import { expect, it } from "vitest";
import { ModelServer } from "../../../../../test/support/model-server/model-server.ts";
import { chooseProvider } from "../choose-provider.ts";
import { openModel } from "../open-model.ts";

const config = { provider: "azure", providers: {}, limits: { stall_timeout_s: 5 } };

async function ask(env: NodeJS.ProcessEnv, model = "my-deployment", base_url?: string, times = 1): Promise<void> {
  const providers = { azure: { base_url } };
  const settings = chooseProvider({ model }, { ...config, providers }, env)?.settings(model);
  if (settings === undefined) throw new Error("no provider was chosen");
  const opened = await openModel(settings);
  const request = {
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    tools: [],
    maxOutputTokens: 100,
    thinking: "off",
  } as const;
  for (let count = 0; count < times; count++)
    for await (const event of opened.stream(request, new AbortController().signal)) if (event.type === "finish") break;
}

it("gets the key in its own header, and a token of Entra ID as the bearer", async () => {
  await using server = await ModelServer.start(() => ({ text: "ok" }), { only: "openai-responses" });
  await ask({ AZURE_OPENAI_ENDPOINT: `${server.url}/`, AZURE_OPENAI_API_KEY: "0123abcd" });
  await ask({ AZURE_OPENAI_ENDPOINT: server.url, AZURE_OPENAI_API_KEY: "eyJhbGciOi" });
  const [withKey, withToken] = server.requests;
  expect(withKey).toMatchObject({ path: "/openai/v1/responses", headers: { "api-key": "0123abcd" } });
  expect(withKey?.headers).not.toHaveProperty("authorization");
  expect(withToken?.headers).toMatchObject({ authorization: "Bearer eyJhbGciOi" });
  expect(withToken?.headers).not.toHaveProperty("api-key");
});

it("sends the version of the API with every request to an older address", async () => {
  await using server = await ModelServer.start(() => ({ text: "ok" }), { only: "openai-chat" });
  const base = `${server.url}/openai/deployments/gpt-4.1`;
  await ask({ AZURE_OPENAI_API_KEY: "key" }, "", `${base}?api-version=2024-10-21`);
  expect(server.requests[0]).toMatchObject({
    path: "/openai/deployments/gpt-4.1/chat/completions",
    query: "?api-version=2024-10-21",
    headers: { "api-key": "key" },
  });
});

it("goes on with chat completions for a deployment that does not take responses", async () => {
  const refusal = { status: 400, message: "The responses operation does not work with the specified model, phi-4." };
  await using server = await ModelServer.start(({ wire }) => (wire === "openai-responses" ? refusal : { text: "ok" }));
  await ask({ AZURE_OPENAI_ENDPOINT: server.url, AZURE_OPENAI_API_KEY: "key" }, "phi-4", undefined, 2);
  expect(server.requests.map(({ wire }) => wire)).toEqual(["openai-responses", "openai-chat", "openai-chat"]);
});

it("says what is missing", async () => {
  await expect(ask({ AZURE_OPENAI_API_KEY: "key" })).rejects.toThrow(
    "azure needs the address of your resource: set AZURE_OPENAI_ENDPOINT",
  );
  await expect(ask({ AZURE_OPENAI_ENDPOINT: "https://x.openai.azure.com" }, "")).rejects.toThrow(
    "azure needs the name of your deployment",
  );
});
