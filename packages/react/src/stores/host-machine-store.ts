// Names on the host's machine: the labels of agents, the home folder, and the machines that share their threads with it.
import type { MachineRow } from "@signalbox/protocol";
import { askWhenOpen } from "../connection/ask-again.ts";
import type { Connection } from "../connection/connection.ts";
import { queryPage } from "../connection/query.ts";
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

export function followHostMachine(connection: Connection): Store<HostMachine> {
  const store = new Store<HostMachine>({ labels: new Map(), home: null, dataFolder: null, machines: [] });
  const readMachines = askWhenOpen(
    connection,
    () => queryPage(connection, "machines.list", {}),
    ({ rows }) => store.set({ ...store.get(), machines: rows }),
  );
  connection.onMessage((message) => {
    if (message.type === "host.progress" && message.task === "shared") readMachines();
  });
  // Ids are shown until the labels are known, and full paths until the home folder is.
  askWhenOpen(
    connection,
    () => queryPage(connection, "agents.list", {}),
    ({ rows }) => store.set({ ...store.get(), labels: new Map(rows.map(({ id, label }) => [id, label])) }),
  );
  askWhenOpen(
    connection,
    () => queryPage(connection, "setup.get", {}),
    ({ rows: [setup] }) =>
      store.set({ ...store.get(), home: setup?.home_folder ?? null, dataFolder: setup?.data_dir ?? null }),
  );
  return store;
}
