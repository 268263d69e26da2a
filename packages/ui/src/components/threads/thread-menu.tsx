// The menu of a thread, in the list and in the thread's head.

import type { ThreadRow } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import { useSyncExternalStore } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { isUnread, seen } from "../../stores/seen-store.ts";
import { Icon } from "../shared/icon.tsx";
import { Menu, MenuItem } from "../shared/menu.tsx";
import { machineElsewhere } from "./machine-label.ts";
import { threadActions } from "./thread-actions.ts";

export function ThreadMenu({ thread, isTabStop = true }: { thread: ThreadRow; isTabStop?: boolean }) {
  const signalbox = useSignalbox();
  const { machines } = useStore(signalbox.machine);
  const elsewhere = machineElsewhere(thread, machines);
  // One of the actions depends on it.
  useSyncExternalStore(seen.subscribe, () => isUnread(seen.get(), thread));
  return (
    <Menu label={`More for ${thread.title ?? "Untitled"}`} icon={<Icon name="more" />} isTabStop={isTabStop}>
      {threadActions(signalbox, machines, thread).map(({ name, isDangerous, run }) => (
        <MenuItem key={name} name={name} isDangerous={isDangerous} onChoose={run} />
      ))}
      {elsewhere !== null && <OnlyThere machine={elsewhere} />}
    </Menu>
  );
}

/** Explains which actions are missing because the thread belongs to another machine. */
function OnlyThere({ machine }: { machine: string }) {
  return (
    <p className="only-there" role="presentation">
      Rename, pin, fork, archive and delete it on {machine}.
    </p>
  );
}
