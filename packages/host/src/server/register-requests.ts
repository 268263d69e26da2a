// Answers the queries of the register, from this machine or, where threads are shared, from all.
import { type RegisterQueryName, registerQueryNames } from "@signalbox/protocol";
import type { QueryHandlers } from "../data/handlers.ts";
import { listChangedFiles } from "../sessions/list-changed-files.ts";
import type { HostServices } from "./host-services.ts";

type Services = Pick<HostServices, "threads" | "agents" | "register" | "checkpoints">;

function askRegister<Name extends RegisterQueryName>(name: Name): QueryHandlers<Name, Services>[Name] {
  return (args, { threads }) => threads.query(name, args);
}

export const registerQueryHandlers: QueryHandlers<RegisterQueryName, Services> = {
  // Each name gets the handler of that name.
  ...(Object.fromEntries(registerQueryNames.map((name) => [name, askRegister(name)])) as QueryHandlers<
    RegisterQueryName,
    Services
  >),
  /** Checkpoints, which are not in the register, say what commands changed too. */
  "changed_files.list": (args, services) => listChangedFiles(services, args),
  /** The words of a filter also match the labels of agents, which the page shows. */
  "threads.list": (args, { threads, agents }) => {
    const agent_labels = Object.fromEntries(agents.all().map(({ id, label }) => [id, label]));
    return threads.query("threads.list", { ...args, agent_labels });
  },
};
