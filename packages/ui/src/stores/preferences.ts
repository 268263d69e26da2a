// Preferences of this browser: theme, diffs side by side, editor, notifications, Details panel.
import type { Editor } from "../text/editor-links.ts";
import { StoredValue } from "./stored-value.ts";

export type Theme = "system" | "light" | "dark";

export const theme = new StoredValue<Theme>("theme", "system");
export const splitDiffs = new StoredValue<boolean>("split-diffs", false);
/** Whether the Changes view leaves out what differs only in white space. */
export const ignoresSpace = new StoredValue<boolean>("ignore-space", false);
/** In which files are opened from the page. */
export const editor = new StoredValue<Editor>("editor", "vscode");
/** Folders of the list whose threads are not shown. */
export const foldedFolders = new StoredValue<readonly string[]>("folded-folders", []);
/** The most recent searches, newest first. */
export const recentSearches = new StoredValue<readonly string[]>("recent-searches", []);
/** Whether notifications may sound. */
export const sound = new StoredValue<boolean>("sound", true);
/** The paired device that this browser is for its notifications, where the page itself has the first token. */
export const pushDevice = new StoredValue<string | null>("push-device", null);
export const notifications = new StoredValue<boolean>("notifications", false);
/** On a very wide screen the changes of a thread stand beside it. */
export const changesBeside = new StoredValue<boolean>("changes-beside", true);
/** Closed at first on a narrow screen, where it would cover the thread. */
export const sidePanel = new StoredValue<boolean>("side-panel", innerWidth > 1080);
