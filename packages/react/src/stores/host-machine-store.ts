// Names on the host's machine: the labels of agents, the home folder, and the machines that share their threads with it.

import { askWhenOpen, type HostConnection } from "@signalbox/client";
import { type AgentRow, type MachineRow, recordedAgentName, type ServerMessage } from "@signalbox/protocol";
import { Store } from "./store.ts";

export interface HostMachine {
  readonly labels: ReadonlyMap<string, string>;
  /** Null until it is known. */
  readonly home: string | null;
  /** Signalbox's own folder; null until it is known. */
  readonly dataFolder: string | null;
  /** This machine first; empty where nothing is shared. */
  readonly machines: readonly MachineRow[];
}

export function followHostMachine(connection: HostConnection): Store<HostMachine> {
  const store = new Store<HostMachine>({ labels: new Map(), home: null, dataFolder: null, machines: [] });
  const readMachines = askWhenOpen(
    connection,
    () => connection.query("machines.list", {}),
    ({ rows }) => store.set({ ...store.get(), machines: rows }),
  );
  connection.onMessage((message) => {
    if (message.type === "host.progress" && message.task === "shared") readMachines();
  });
  followLabels(connection, store);
  // Full paths are shown until the home folder is known.
  askWhenOpen(
    connection,
    () => connection.query("setup.get", {}),
    ({ rows: [setup] }) =>
      store.set({ ...store.get(), home: setup?.home_folder ?? null, dataFolder: setup?.data_dir ?? null }),
  );
  return store;
}

/** Ids are shown until the labels are known. An agent that is added later is asked for when a thread of it appears. */
function followLabels(connection: HostConnection, store: Store<HostMachine>): void {
  let isKnown = false;
  const readLabels = askWhenOpen(
    connection,
    () => connection.query("agents.list", {}),
    () => {},
  );
  /** A thread may be of an agent that is not in the list any more: each is asked for once. */
  const asked = new Set<string>();
  connection.onMessage((message) => {
    // Also the answers that other parts of the page get.
    if (message.type === "tinyvex.query_result" && message.name === "agents.list") {
      isKnown = true;
      const { labels, ...rest } = store.get();
      const rows = message.rows as readonly AgentRow[];
      store.set({ ...rest, labels: new Map([...labels, ...rows.map(({ id, label }) => [id, label] as const)]) });
    }
    const agent = readAgent(message);
    if (agent === null || !isKnown || store.get().labels.has(agent) || asked.has(agent)) return;
    if (recordedAgentName(agent) !== null) return;
    asked.add(agent);
    readLabels();
  });
}

function readAgent(message: ServerMessage): string | null {
  if (message.type === "tinyvex.update" && message.stream === "threads" && "row" in message)
    return message.row.agent_id;
  return message.type === "tinyvex.snapshot" && message.stream === "thread" ? message.thread.agent_id : null;
}
