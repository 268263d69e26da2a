// Answers the requests of screens, one case per control. Turns errors into messages in one place.
import { join } from "node:path";
import { commitFiles, GitError, mergeWorktree, recordGitState } from "@signalbox/checkpoints";
import {
  type ClientMessage,
  type ClientMessageOf,
  type ErrorCode,
  type GitResult,
  type JsonObject,
  messageOf,
  parseQuery,
  type QueryName,
  type QueryRequest,
  type RequestId,
  type ServerMessage,
} from "@signalbox/protocol";
import { RegisterError } from "@signalbox/tinyvex";
import { prettifyError, ZodError } from "zod";
import { HostError } from "../data/host-error.ts";
import { refreshModelList } from "../data/model-list.ts";
import type { Caller } from "../devices/caller.ts";
import { restoreFiles } from "../sessions/restore-files.ts";
import { changePush, pairDevice, removeDevice } from "./device-requests.ts";
import { checkFiles } from "./found-files.ts";
import { answerQuery } from "./host-queries.ts";
import type { HostServices } from "./host-services.ts";
import { editorOf, openInEditor } from "./open-editor.ts";
import { redactData } from "./redact-data.ts";
import { changeKey, installAgent, testMcpServers } from "./settings-requests.ts";
import type { SubscriptionSource } from "./subscription.ts";

/** Requests that one message answers; Screen handles subscriptions. */
type AnswerableMessage = Exclude<ClientMessage, { control: "tvx.subscribe" | "tvx.unsubscribe" }>;

export async function answerTo(
  message: AnswerableMessage,
  services: HostServices,
  caller: Caller,
): Promise<ServerMessage> {
  const { register, sessions, broker, rules } = services;
  const request_id = message.id;
  const elsewhere = message.control === "tvx.query" ? null : await (services.machines?.sendElsewhere(message) ?? null);
  if (elsewhere !== null) return elsewhere;
  const ok = (thread_id?: string, note: string | null = null): ServerMessage => ({
    type: "tinyvex.ok",
    request_id,
    ...(thread_id === undefined ? {} : { thread_id }),
    ...(note === null ? {} : { note }),
  });
  switch (message.control) {
    case "tvx.ping":
      return { type: "tinyvex.pong", request_id };
    case "tvx.query": {
      const { name, args = {} } = message;
      const page = await answerQuery(checkedQuery(name, args), services, caller);
      return { type: "tinyvex.query_result", request_id, name, ...page };
    }
    case "tvx.update_thread": {
      const thread = await sessions.update(message.thread_id, message.updates);
      return { type: "tinyvex.ok", request_id, thread_id: thread.id, thread };
    }
    case "session.create": {
      const mcp_servers = message.mcp_servers as readonly JsonObject[] | undefined;
      const thread = await sessions.create({ ...message, mcp_servers });
      return { type: "tinyvex.ok", request_id, thread_id: thread.id, thread };
    }
    case "session.fork": {
      const thread = await sessions.fork(message.thread_id, message);
      return { type: "tinyvex.ok", request_id, thread_id: thread.id, thread };
    }
    case "session.hand_over": {
      const thread = await sessions.handOver(message.thread_id, message.agent_id);
      return { type: "tinyvex.ok", request_id, thread_id: thread.id, thread };
    }
    case "session.adopt": {
      const { agent_id, session_id, cwd, title } = message;
      const thread = await sessions.adopt(agent_id, session_id, cwd, title);
      return { type: "tinyvex.ok", request_id, thread_id: thread.id, thread };
    }
    case "session.resume": {
      const thread = await sessions.resume(message.thread_id, message);
      return { type: "tinyvex.ok", request_id, thread_id: thread.id, thread };
    }
    case "session.close":
      await sessions.close(message.thread_id);
      return ok(message.thread_id);
    case "session.wait":
      sessions.wait(message.thread_id);
      return ok(message.thread_id);
    case "session.delete":
      await sessions.delete(message.thread_id, message);
      return ok(message.thread_id);
    case "session.set_mode":
      await sessions.setMode(message.thread_id, message.mode_id);
      return ok(message.thread_id);
    case "session.set_config_option":
      await sessions.setConfigOption(message.thread_id, message.config_id, message.value);
      return ok(message.thread_id);
    case "run.submit": {
      const { thread_id, prompt_id, prompt, steer, model } = message;
      const submitted = await sessions.submit(thread_id, prompt_id, prompt, { steers: steer, model });
      return { type: "run.submitted", request_id, thread_id, prompt_id, ...submitted };
    }
    case "run.edit":
      await sessions.edit(message.thread_id, message.turn_id, message.prompt);
      return ok(message.thread_id);
    case "run.remove":
      await sessions.remove(message.thread_id, message.turn_id);
      return ok(message.thread_id);
    case "run.cancel":
      await sessions.cancel(message.thread_id);
      return ok(message.thread_id);
    case "run.continue":
      await sessions.continue(message.thread_id);
      return ok(message.thread_id);
    case "terminal.run_again":
      await (await import("../sessions/run-again.ts")).runAgain(sessions, message);
      return ok(message.thread_id);
    case "port.open":
    case "port.close":
      await (await import("./port-requests.ts")).changePort(sessions, message, caller);
      await register.settled(message.thread_id);
      return ok(message.thread_id);
    case "changes.restore": {
      const { thread_id } = message;
      return { type: "tinyvex.ok", request_id, thread_id, ...(await restoreFiles(services, thread_id, message)) };
    }
    case "git.commit":
    case "git.merge": {
      const { thread_id } = message;
      return { type: "tinyvex.ok", request_id, thread_id, ...(await changeRepository(message, services)) };
    }
    case "editor.open":
      await openFile(message, services);
      return ok(message.thread_id);
    case "permission.respond":
      broker.respond({
        threadId: message.thread_id,
        permissionId: message.permission_id,
        optionId: message.option_id,
        remember: message.remember,
        rule: message.rule,
        comment: message.comment,
        also: message.also,
        decidedBy: message.decided_by,
      });
      await register.settled(message.thread_id);
      return ok(message.thread_id);
    case "rules.save":
      rules.remember({ decision: message.decision, match: message.match, scope: message.scope ?? null });
      broker.settleByRules();
      return ok();
    case "rules.delete":
      rules.remove(message.rule_id);
      return ok();
    case "agents.install":
      await installAgent(message.agent_id, services);
      return await testAgent(message.agent_id, null, request_id, services);
    case "agents.cancel_install":
      await services.installer.cancel(message.agent_id);
      return ok();
    case "keys.save":
    case "keys.remove":
      return ok(undefined, await changeKey(message, services));
    case "config.edit":
      await services.userConfig.edit(message.changes);
      broker.settleByRules();
      return ok();
    case "registry.refresh":
      await services.acpRegistry.refresh();
      services.refreshAgents();
      return ok();
    case "models.refresh":
      await refreshModelList(services.folder.path);
      return ok();
    case "mcp.test":
      return {
        type: "tinyvex.query_result",
        request_id,
        name: "mcp.test",
        rows: await testMcpServers(services),
      };
    case "ollama.start":
      await services.ollama.start();
      return ok();
    case "devices.pair":
      return {
        type: "tinyvex.query_result",
        request_id,
        name: "devices.pair",
        rows: [pairDevice(message, caller, services)],
      };
    case "devices.remove":
      removeDevice(message, caller, services);
      return ok();
    case "push.subscribe":
    case "push.unsubscribe":
      await changePush(message, caller, services);
      return ok();
    case "data.vacuum":
      await register.vacuum();
      return ok();
    case "data.redact":
      return { type: "tinyvex.ok", request_id, ...(await redactData(message.thread_id, services)) };
    case "agents.test":
      return await testAgent(message.agent_id, null, request_id, services);
    case "agents.log_in":
      return await testAgent(message.agent_id, message.method_id, request_id, services);
    case "agents.log_out":
      return await testAgent(message.agent_id, logOut, request_id, services);
    case "import.start": {
      const { source } = message;
      const report = (progress: { message: string; done?: number; total?: number }, finished: boolean) =>
        services.fanOut.sendProgress({ type: "host.progress", task: "import", subject: source, ...progress, finished });
      const result = await services.imports
        .start(source, (progress) => report(progress, false))
        .catch((error: unknown) => {
          // A second import that was refused must not look like the end of the running one.
          if (!(error instanceof HostError && error.code === "conflict")) report({ message: messageOf(error) }, true);
          throw error;
        });
      report({ message: "Imported." }, true);
      return { type: "tinyvex.query_result", request_id, name: "import", rows: [result] };
    }
    case "elicitation.respond":
      respondToElicitation(message, services);
      await register.settled(message.thread_id);
      return ok(message.thread_id);
  }
}

/** Answers a request that another machine sent: as one of a screen, errors included. */
export async function answerRemote(message: ClientMessage, services: HostServices): Promise<ServerMessage> {
  if (message.control === "tvx.subscribe" || message.control === "tvx.unsubscribe")
    return errorMessage(new HostError("bad_request", "A subscription is not sent to another machine."), undefined);
  try {
    return await answerTo(message, services, { type: "machine" });
  } catch (error) {
    return errorMessage(error, undefined);
  }
}

async function openFile(
  { thread_id, path, line }: ClientMessageOf<"editor.open">,
  { register, userConfig }: HostServices,
): Promise<void> {
  const thread = await register.getThread(thread_id);
  if (thread === null) throw new HostError("not_found", "There is no such thread.");
  const [file] = checkFiles(thread.cwd, [path]);
  if (file === undefined) throw new HostError("not_found", `${path} is no file in ${thread.cwd}.`);
  const editor = editorOf(userConfig.config.editor, process.env);
  if (editor === null)
    throw new HostError(
      "unavailable",
      "No editor is known. Set editor in config.json, such as code --goto {path}:{line}.",
    );
  await openInEditor(editor, join(thread.cwd, file.name), line);
}

/** The row of the thread has the new state before the answer goes out. */
async function changeRepository(
  message: ClientMessageOf<"git.commit" | "git.merge">,
  services: HostServices,
): Promise<GitResult> {
  const { register } = services;
  const thread = await register.getThread(message.thread_id);
  if (thread === null) throw new HostError("not_found", `There is no thread ${message.thread_id}.`);
  try {
    if (message.control === "git.commit") return await commitFiles(services.gitStates, thread, message);
    return await mergeWorktree(services, thread);
  } catch (error) {
    throw error instanceof GitError ? new HostError("unavailable", error.message, { cause: error }) : error;
  } finally {
    await recordGitState(services, thread.id).catch(() => {});
    await register.settled(thread.id);
  }
}

function checkedQuery(name: QueryName, args: unknown): QueryRequest {
  try {
    return parseQuery(name, args);
  } catch (error) {
    throw error instanceof ZodError ? new HostError("bad_request", prettifyError(error)) : error;
  }
}

const logOut = Symbol("log out");

/** Tests an agent, after a log-in with the method that is given, or a log-out. Sends the steps to every screen. */
async function testAgent(
  agentId: string,
  first: string | typeof logOut | null,
  request_id: RequestId | undefined,
  { agents, readiness, fanOut }: HostServices,
): Promise<ServerMessage> {
  const agent = agents.find(agentId);
  if (agent === undefined) throw new HostError("not_found", `There is no agent ${agentId}.`);
  const report = (text: string, finished: boolean) =>
    fanOut.sendProgress({ type: "host.progress", task: "agents.test", subject: agent.id, message: text, finished });
  if (first !== null) {
    report(first === logOut ? "Logging out …" : "Logging in …", false);
    const work = first === logOut ? readiness.logOut(agent) : readiness.logIn(agent, first);
    await work.catch((error: unknown) => {
      report(messageOf(error), true);
      throw error;
    });
  }
  const test = await readiness.test(agent, { onStep: (step) => report(step.message, false) });
  report(test.reason ?? "It works.", true);
  return { type: "tinyvex.query_result", request_id, name: "agents.test", rows: [test] };
}

function respondToElicitation(
  { thread_id, elicitation_id, action, content, decided_by }: ClientMessageOf<"elicitation.respond">,
  { elicitations }: HostServices,
): void {
  elicitations.respond(thread_id, elicitation_id, action, content, decided_by);
}

export function subscriptionSource(
  message: Extract<ClientMessage, { control: "tvx.subscribe" }>,
  { threads, fanOut }: HostServices,
): SubscriptionSource {
  if (message.stream === "threads") {
    return {
      follow: (listener) => fanOut.followThreads(listener),
      read: async () => {
        const { rows } = await threads.query("threads.list", {});
        return { message: { type: "tinyvex.snapshot", stream: "threads", rows }, seq: null };
      },
    };
  }
  const { thread_id, limit } = message;
  if (thread_id === undefined) throw new HostError("bad_request", "The stream thread needs a thread_id.");
  return {
    follow: (listener) => fanOut.followThread(thread_id, listener),
    read: async (after_seq) => {
      const snapshot = await threads.snapshot(thread_id, { after_seq, limit });
      return { message: { type: "tinyvex.snapshot", stream: "thread", thread_id, ...snapshot }, seq: snapshot.seq };
    },
  };
}

export function errorMessage(error: unknown, request_id: RequestId | undefined): ServerMessage {
  if (error instanceof HostError) {
    const { code, message, details } = error;
    return { type: "tinyvex.error", request_id, code, message, ...(details === undefined ? {} : { details }) };
  }
  if (error instanceof RegisterError) {
    return {
      type: "tinyvex.error",
      request_id,
      code: registerCodes[error.code] ?? "unavailable",
      message: error.message,
    };
  }
  return { type: "tinyvex.error", request_id, code: "internal", message: messageOf(error) };
}

/** Every other code of the register (disk full, busy …) becomes `unavailable`. */
const registerCodes: Partial<Record<RegisterError["code"], ErrorCode>> = {
  not_found: "not_found",
  bad_request: "bad_request",
  internal: "internal",
};
