// What agents are called: their labels by id, asked for when the line is there.
import type { AgentRow } from "@signalbox/protocol";
import type { Connection } from "../connection/connection.ts";
import { queryPage } from "../connection/query.ts";
import { Store } from "./store.ts";

export type AgentLabels = ReadonlyMap<string, string>;

export function followAgents(connection: Connection): Store<AgentLabels> {
  const store = new Store<AgentLabels>(new Map());
  const look = () => {
    if (connection.status !== "open") return;
    queryPage<AgentRow>(connection, "agents.list").then(
      ({ rows }) => store.set(new Map(rows.map(({ id, label }) => [id, label]))),
      // The ids serve until the line is back.
      () => {},
    );
  };
  connection.onStatus(look);
  return store;
}
