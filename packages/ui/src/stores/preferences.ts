// What the person chose for this browser: theme, diffs side by side, notifications.
import { StoredValue } from "./stored-value.ts";

export type Theme = "system" | "light" | "dark";

export const theme = new StoredValue<Theme>("theme", "system");
export const splitDiffs = new StoredValue<boolean>("split-diffs", false);
export const notifications = new StoredValue<boolean>("notifications", false);
/** Where there is no room beside the thread it would cover it: there it comes when it is asked for. */
export const sidePanel = new StoredValue<boolean>("side-panel", innerWidth > 1080);
