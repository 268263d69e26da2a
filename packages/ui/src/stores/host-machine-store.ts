// Names on the host's machine: the labels of agents, and the home folder.
import type { Connection } from "../connection/connection.ts";
import { queryPage } from "../connection/query.ts";
import { Store } from "./store.ts";

export interface HostMachine {
  readonly labels: ReadonlyMap<string, string>;
  /** Null until it is known. */
  readonly home: string | null;
  /** Signalbox's own folder; null until it is known. */
  readonly dataFolder: string | null;
}

export function followHostMachine(connection: Connection): Store<HostMachine> {
  const store = new Store<HostMachine>({ labels: new Map(), home: null, dataFolder: null });
  connection.onStatus(() => {
    if (connection.status !== "open") return;
    queryPage(connection, "agents.list", {}).then(
      ({ rows }) => store.set({ ...store.get(), labels: new Map(rows.map(({ id, label }) => [id, label])) }),
      // Ids are shown until the connection is back.
      () => {},
    );
    queryPage(connection, "setup.get", {}).then(
      ({ rows: [setup] }) =>
        store.set({ ...store.get(), home: setup?.home_folder ?? null, dataFolder: setup?.data_dir ?? null }),
      // Full paths are shown until then.
      () => {},
    );
  });
  return store;
}
