// Answers requests about the host itself: its settings, its data, files on its machine, and other machines.
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { messageOf, type ThreadRow } from "@signalbox/protocol";
import type { SomeQueries, SomeRequests } from "../data/handlers.ts";
import { HostError } from "../data/host-error.ts";
import { checkFolder } from "../sessions/check-folder.ts";
import { describeConfig } from "./describe-config.ts";
import { checkFiles, completeFolder, findFiles } from "./found-files.ts";
import type { HostServices } from "./host-services.ts";
import { chooseEditor, openInEditor } from "./open-editor.ts";
import { redactData } from "./redact-data.ts";
import { describeSetup } from "./setup.ts";

export const dataHandlers = {
  "data.vacuum": (_params, { register }) => register.vacuum(),
  "data.redact": ({ thread_id }, services) => redactData(thread_id, services),
} satisfies SomeRequests<Pick<HostServices, "register" | "fanOut" | "machines" | "replaceLog">>;

export const importHandlers = {
  "import.start": async ({ source }, { imports, fanOut }) => {
    const report = (progress: { message: string; done?: number; total?: number }, finished: boolean) =>
      fanOut.sendProgress({ type: "host.progress", task: "import", subject: source, ...progress, finished });
    const result = await imports
      .start(source, (progress) => report(progress, false))
      .catch((error: unknown) => {
        // A second import that was refused must not look like the end of the running one.
        if (!(error instanceof HostError && error.code === "conflict")) report({ message: messageOf(error) }, true);
        throw error;
      });
    report({ message: "Imported." }, true);
    return result;
  },
} satisfies SomeRequests<Pick<HostServices, "imports" | "fanOut">>;

export const configHandlers = {
  "config.edit": async ({ changes }, { userConfig, broker }) => {
    await userConfig.edit(changes);
    broker.settleByRules();
  },
  "editor.open": async ({ thread_id, path, line }, { register, userConfig }) => {
    const thread = await findThread(thread_id, { register });
    const [file] = checkFiles(thread.cwd, [path]);
    if (file === undefined) throw new HostError("not_found", `${path} is not a file in ${thread.cwd}.`);
    const editor = chooseEditor(userConfig.config.editor, process.env);
    if (editor === null)
      throw new HostError(
        "unavailable",
        "No editor is known. Set editor in config.json, such as code --goto {path}:{line}.",
      );
    await openInEditor(editor, join(thread.cwd, file.name), line);
  },
} satisfies SomeRequests<Pick<HostServices, "userConfig" | "broker" | "register">>;

export const hostQueryHandlers = {
  "config.get": (_args, { userConfig }) => {
    userConfig.refresh();
    return { rows: [describeConfig(userConfig)] };
  },
  "setup.get": async (_args, { userConfig, folder, version, keys, acpRegistry, enforcement, listening }) => {
    userConfig.refresh();
    const setup = await describeSetup({
      version,
      dataFolder: folder.path,
      config: userConfig.config,
      keys,
      acpRegistry,
      enforcement: await enforcement,
      listening,
    });
    return { rows: [setup] };
  },
} satisfies SomeQueries<
  Pick<HostServices, "userConfig" | "folder" | "version" | "keys" | "acpRegistry" | "enforcement" | "listening">
>;

export const machineQueryHandlers = {
  "machines.list": async (_args, { machines }) => ({ rows: (await machines?.list()) ?? [] }),
  "projects.list": async (_args, { threads }) => {
    const { rows } = await threads.query("facets.list", {});
    return {
      rows: rows.flatMap(({ facet, value, threads: count, archived }) =>
        facet === "cwd"
          ? [{ id: value, name: basename(value), path: value, threads: count ?? 0, archived: archived ?? 0 }]
          : [],
      ),
    };
  },
} satisfies SomeQueries<Pick<HostServices, "machines" | "threads">>;

export const fileQueryHandlers = {
  "files.find": async ({ thread_id = null, cwd, query }, services) => {
    if (thread_id === null) checkFolder(cwd ?? "");
    const thread = thread_id === null ? undefined : await findThread(thread_id, services);
    const folder = thread?.cwd ?? cwd ?? "";
    const place = { agentId: thread?.agent_id ?? "", threadId: thread?.id ?? "", cwd: folder, home: homedir() };
    const hidden = services.rules.listClosures(place).filter((closure) => closure.access === "hidden");
    return { rows: findFiles(folder, query, (path) => hidden.some(({ matches }) => matches(path))) };
  },
  "files.check": async ({ thread_id, paths }, services) => ({
    rows: checkFiles((await findThread(thread_id, services)).cwd, paths),
  }),
  "folders.complete": ({ prefix }) => ({ rows: completeFolder(prefix) }),
  "sizes.list": async (_args, { register }) => ({ rows: [await register.sizes()] }),
} satisfies SomeQueries<Pick<HostServices, "register" | "rules">>;

async function findThread(threadId: string, { register }: Pick<HostServices, "register">): Promise<ThreadRow> {
  const thread = await register.getThread(threadId);
  if (thread === null) throw new HostError("not_found", `There is no thread ${threadId}.`);
  return thread;
}
