// What a test of `signalbox claude` plays on: a scripted model, a home with the SDK, a folder to work in, and clients.
import { beforeAll } from "vitest";
import { TemporaryFolder } from "../support/host-process.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import type { SeenRequest } from "../support/model-server/seen-request.ts";
import { ClaudeClient, type ClaudeClientOptions } from "./claude-client.ts";
import { ClaudeHome, installClaudeSdk } from "./claude-home.ts";
import { type Steps, scriptedTurns } from "./scripted-turn.ts";

let installed = "";

/** Installs the SDK before the tests of a file. */
export function withClaudeSdk(): void {
  beforeAll(async () => {
    installed = await installClaudeSdk();
  });
}

function modules(): string {
  if (installed === "") throw new Error("withClaudeSdk() must come first");
  return installed;
}

interface Stage extends AsyncDisposable {
  readonly model: ModelServer;
  readonly home: ClaudeHome;
  readonly work: TemporaryFolder;
  /** Another process on the same home. */
  client(options?: Partial<ClaudeClientOptions>): Promise<ClaudeClient>;
}

/** `turns` may need to know the folder that is worked in. */
export async function stage(
  turns: Readonly<Record<string, Steps>> | ((folder: string) => Readonly<Record<string, Steps>>),
  env: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const work = new TemporaryFolder();
  const model = await ModelServer.start(scriptedTurns(typeof turns === "function" ? turns(work.path) : turns));
  return madeOf(model, work, env);
}

export function madeOf(model: ModelServer, work: TemporaryFolder, env: Readonly<Record<string, string>> = {}): Stage {
  const home = new ClaudeHome(modules(), model.url, env);
  return {
    model,
    home,
    work,
    client: async (options = {}) => await ClaudeClient.start({ env: home.env, ...options }),
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]();
      home[Symbol.dispose]();
      work[Symbol.dispose]();
    },
  };
}

/** What the model was told that the tools returned, in order, as it stands in the last request. */
export function resultsIn(model: ModelServer): readonly string[] {
  const last = model.requests.findLast(({ tools }) => tools.length > 0);
  return last?.messages.flatMap(({ toolResults = [] }) => toolResults.map(({ text }) => text)) ?? [];
}

export function modelRequests(model: ModelServer): readonly SeenRequest[] {
  return model.requests.filter(({ tools }) => tools.length > 0);
}

export const acp = (name: string, input: object) => ({ name: `mcp__acp__${name}`, input });
