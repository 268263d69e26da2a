// Remembers what this machine last read of the others, so that it can still be shown while the shared database cannot be reached. It is forgotten
// when the host ends.
import type { MachineRow, QueryArgs } from "@signalbox/protocol";
import type { RemoteThread } from "./database/index.ts";

type Presence = Pick<MachineRow, "machine" | "control">;

/** Enough for any list that a person looks through; those that were read first are forgotten first. */
const maxThreads = 2000;

export class KnownThreads {
  readonly #threads = new Map<string, RemoteThread>();
  /** By name, with whether each runs what others ask of it. */
  readonly #machines = new Map<string, MachineRow["control"]>();

  remember(threads: readonly RemoteThread[]): void {
    for (const thread of threads) {
      if (!this.#machines.has(thread.machine)) this.#machines.set(thread.machine, "off");
      this.#threads.delete(thread.row.id);
      this.#threads.set(thread.row.id, thread);
    }
    for (const id of this.#threads.keys()) {
      if (this.#threads.size <= maxThreads) return;
      this.#threads.delete(id);
    }
  }

  rememberMachines(machines: readonly Presence[]): void {
    this.#machines.clear();
    for (const { machine, control } of machines) this.#machines.set(machine, control);
  }

  forget(threadId: string): void {
    this.#threads.delete(threadId);
  }

  /** Of machines that cannot be seen now, none counts as online. */
  listMachines(): readonly (Presence & { readonly online: boolean })[] {
    return [...this.#machines]
      .map(([machine, control]) => ({ machine, control, online: false }))
      .toSorted((a, b) => (a.machine < b.machine ? -1 : 1));
  }

  find(threadId: string): RemoteThread | null {
    const found = this.#threads.get(threadId);
    return found === undefined ? null : markOffline(found);
  }

  /** The same threads in the same order as `listThreads` of the shared database, as far as they were read before. */
  list(
    args: QueryArgs<"threads.list">,
    [updatedAt, id]: readonly [number, string],
    limit: number,
  ): readonly RemoteThread[] {
    const words = (args.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const isAfter = ({ row }: RemoteThread) =>
      row.updated_at < updatedAt || (row.updated_at === updatedAt && row.id < id);
    const isWanted = ({ machine, row }: RemoteThread) => {
      const text = [row.title ?? "Untitled", row.cwd, row.agent_id, machine].join("\n").toLowerCase();
      return (
        row.archived === (args.archived === true) &&
        isSame(args.agent_id, row.agent_id) &&
        isSame(args.cwd, row.cwd) &&
        isSame(args.status, row.status) &&
        words.every((word) => text.includes(word))
      );
    };
    return [...this.#threads.values()]
      .filter((thread) => isAfter(thread) && isWanted(thread))
      .toSorted((a, b) => b.row.updated_at - a.row.updated_at || (a.row.id < b.row.id ? 1 : -1))
      .slice(0, limit)
      .map(markOffline);
  }
}

function isSame(wanted: string | null | undefined, value: string): boolean {
  return (wanted ?? null) === null || wanted === value;
}

function markOffline(thread: RemoteThread): RemoteThread {
  return { ...thread, row: { ...thread.row, machine_online: false } };
}
