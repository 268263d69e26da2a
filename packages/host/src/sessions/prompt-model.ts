// Sends a prompt that has a model of its own. An agent that takes the model with the prompt gets it so; with others the session's model is changed for
// the turn, and put back after it. Also finds out which model answered.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";
import { findOption } from "./session-settings.ts";

/** In the `_meta` of a prompt the model that is wanted, in that of its answer the one that answered. */
const modelKey = "signalbox/model";

interface PromptSession {
  readonly label: string;
  readonly takesPromptModel: boolean;
  setConfigOption(configId: string, value: Json): Promise<void>;
}

interface Place {
  readonly register: Register;
  readonly place: { readonly threadId: string };
}

/** Throws where the agent does not let a client choose the model: a prompt must not run with another one than the chosen. */
export async function checkPromptModel(register: Register, threadId: string, session: PromptSession): Promise<void> {
  if (!session.takesPromptModel) await modelOption(register, threadId, session);
}

/** `send` gets what goes with the prompt. */
export async function sendWithModel(
  { register, place: { threadId } }: Place,
  session: PromptSession,
  model: string | undefined,
  send: (meta: JsonObject) => Promise<JsonObject>,
): Promise<{ readonly answer: JsonObject; readonly model: string | undefined }> {
  if (model === undefined || session.takesPromptModel) {
    const answer = await send(model === undefined ? {} : { [modelKey]: model });
    // An agent that takes a model with the prompt also says which one answered, or that none did: a command needs no model.
    const assumed = session.takesPromptModel ? undefined : await currentModel(register, threadId);
    return { answer, model: readModel(answer) ?? assumed };
  }
  const { id, currentValue = null } = await modelOption(register, threadId, session);
  await session.setConfigOption(id, model);
  try {
    const answer = await send({});
    return { answer, model: readModel(answer) ?? model };
  } finally {
    // A person may have chosen another one meanwhile. An agent that is gone has no model to put back.
    if ((await currentModel(register, threadId)) === model)
      await session.setConfigOption(id, currentValue).catch(() => {});
  }
}

async function modelOption(register: Register, threadId: string, { label }: PromptSession) {
  const option = findOption(await readOptions(register, threadId), "model");
  if (option === undefined) {
    throw new HostError("bad_request", `${label} does not let a client choose the model. Leave it out.`);
  }
  return option;
}

async function currentModel(register: Register, threadId: string): Promise<string | undefined> {
  const current = findOption(await readOptions(register, threadId), "model")?.currentValue;
  return typeof current === "string" ? current : undefined;
}

/** With the change that was recorded last. A disk that is full must not make a turn fail that was answered. */
async function readOptions(register: Register, threadId: string): Promise<Json> {
  await register.settled(threadId).catch(() => {});
  return (await register.query("state.get", { thread_id: threadId })).rows[0]?.config_options ?? null;
}

function readModel({ _meta }: JsonObject): string | undefined {
  const named = isJsonObject(_meta) ? _meta[modelKey] : undefined;
  return typeof named === "string" && named !== "" ? named.slice(0, 200) : undefined;
}
