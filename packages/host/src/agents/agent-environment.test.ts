import { expect, it } from "vitest";
import { makeAgentEnvironment } from "./agent-environment.ts";

it("has the kept keys of the agent where the user's environment has none, and none of Signalbox's secrets", () => {
  const agent = {
    keys: { variables: [], kept: () => ({ OPENAI_API_KEY: "kept", GEMINI_API_KEY: "kept", XAI_API_KEY: "kept" }) },
    userEnv: { defaults: { MODE: "ask", LANG: "C" }, without: ["SECRET"] },
    env: { XAI_API_KEY: "configured" },
  };
  const users = { OPENAI_API_KEY: "users", GEMINI_API_KEY: "", LANG: "de", SIGNALBOX_TOKEN: "t", SECRET: "s" };
  expect(makeAgentEnvironment(agent, users)).toEqual({
    OPENAI_API_KEY: "users",
    GEMINI_API_KEY: "kept",
    XAI_API_KEY: "configured",
    MODE: "ask",
    LANG: "de",
  });
});
