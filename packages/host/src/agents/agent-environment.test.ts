import { expect, it } from "vitest";
import { agentEnvironment } from "./agent-environment.ts";

it("has the kept keys of the agent where the user's environment has none, and none of Signalbox's secrets", () => {
  const agent = {
    keptKeys: () => ({ OPENAI_API_KEY: "kept", GEMINI_API_KEY: "kept", XAI_API_KEY: "kept" }),
    defaultEnv: { MODE: "ask", LANG: "C" },
    env: { XAI_API_KEY: "configured" },
    withoutEnv: ["SECRET"],
  };
  const users = { OPENAI_API_KEY: "users", GEMINI_API_KEY: "", LANG: "de", SIGNALBOX_TOKEN: "t", SECRET: "s" };
  expect(agentEnvironment(agent, users)).toEqual({
    OPENAI_API_KEY: "users",
    GEMINI_API_KEY: "kept",
    XAI_API_KEY: "configured",
    MODE: "ask",
    LANG: "de",
  });
});
