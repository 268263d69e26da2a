// What things are called on the host's machine: the labels of agents by id, and the person's home folder. Asked for when the line is there.
import type { Connection } from "../connection/connection.ts";
import { queryPage } from "../connection/query.ts";
import { Store } from "./store.ts";

export interface Machine {
  readonly labels: ReadonlyMap<string, string>;
  /** Null until it is known. */
  readonly home: string | null;
}

export function followMachine(connection: Connection): Store<Machine> {
  const store = new Store<Machine>({ labels: new Map(), home: null });
  connection.onStatus(() => {
    if (connection.status !== "open") return;
    queryPage(connection, "agents.list", {}).then(
      ({ rows }) => store.set({ ...store.get(), labels: new Map(rows.map(({ id, label }) => [id, label])) }),
      // Ids serve until the line is back.
      () => {},
    );
    queryPage(connection, "setup.get", {}).then(
      ({ rows }) => store.set({ ...store.get(), home: rows[0]?.home_folder ?? null }),
      // Whole paths serve as well.
      () => {},
    );
  });
  return store;
}
