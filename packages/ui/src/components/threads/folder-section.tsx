// A folder of the list: its name, which folds it, how many threads it has, its menu, and its threads.

import { messageOf, type ThreadRow } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { formatRoute } from "../../hooks/use-route.ts";
import { showNotice } from "../../stores/notices.ts";
import { foldedFolders } from "../../stores/preferences.ts";
import { Icon } from "../shared/icon.tsx";
import { Menu, MenuItem } from "../shared/menu.tsx";
import { openMenu, ThreadLink } from "./thread-link.tsx";

interface FolderSectionProps {
  readonly folder: string;
  readonly threads: readonly ThreadRow[];
  /** How many threads it has, loaded or not; null where a filter is set. */
  readonly count: number | null;
  readonly isFolded: boolean;
  /** The threads that are open. */
  readonly open: readonly string[];
  /** The thread at which Tab stops. */
  readonly tabStop: string | null;
}

export function FolderSection({ folder, threads, count, isFolded, open, tabStop }: FolderSectionProps) {
  const folderName = useFolderName();
  const name = folderName(folder);
  return (
    <section className="folder-section">
      <h2 title={folder}>
        <button
          type="button"
          className="fold-folder"
          aria-expanded={!isFolded}
          data-stop
          tabIndex={-1}
          onKeyDown={openFolderMenu}
          onClick={() => toggleFolder(folder)}
        >
          <bdi>{name}</bdi>
        </button>
        {count !== null && <span>{count}</span>}
        <a
          className="new-here"
          href={formatRoute({ page: "new", folder })}
          // `N` and the field for the folder do the same by key; one more stop for each folder would be in the way.
          tabIndex={-1}
          aria-label={`New thread in ${name}`}
          title="New thread in this folder"
        >
          <Icon name="plus" isSmall />
        </a>
      </h2>
      <FolderMenu folder={folder} name={name} />
      {!isFolded &&
        threads.map((thread) => (
          <ThreadLink
            key={thread.id}
            thread={thread}
            isCurrent={open.includes(thread.id)}
            isTabStop={thread.id === tabStop}
          />
        ))}
    </section>
  );
}

function FolderMenu({ folder, name }: { folder: string; name: string }) {
  const { connection, threads, machine } = useSignalbox();
  const { machines } = useStore(machine);
  const archive = async () => {
    const { archiveFinished, setArchived } = await import("./archive-finished.ts");
    const archived = await archiveFinished(connection, folder, threads.get() ?? [], machines);
    const undo = () => void setArchived(connection, archived, false).catch(showError);
    if (archived.length === 0) showNotice("No thread of this folder is finished.", () => {});
    else showNotice(`Archived ${archived.length} ${archived.length === 1 ? "thread" : "threads"} of ${name}.`, undo);
  };
  return (
    <Menu label="More for these threads" icon={<Icon name="more" />} isTabStop={false}>
      <MenuItem name="Archive finished threads" onChoose={() => void archive().catch(showError)} />
    </Menu>
  );
}

function openFolderMenu(event: Parameters<typeof openMenu>[0]): void {
  openMenu(event, event.currentTarget.closest(".folder-section"));
}

function toggleFolder(folder: string): void {
  const folded = foldedFolders.get();
  foldedFolders.set(folded.includes(folder) ? folded.filter((each) => each !== folder) : [...folded, folder]);
}

function showError(error: unknown): void {
  showNotice(messageOf(error));
}
