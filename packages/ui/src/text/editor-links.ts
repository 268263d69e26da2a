// Makes the address that opens a file of this machine in an editor.

/** Editors that open files by an address, and what they are called. `command` is the one that the host starts; `none` shows no link. */
export const editors = {
  vscode: "VS Code",
  cursor: "Cursor",
  zed: "Zed",
  idea: "IntelliJ IDEA",
  command: "editor",
  none: "no editor",
} as const;
export type Editor = keyof typeof editors;

/** `path` is absolute. Null where no editor is chosen that is opened by an address. */
export function editorAddress(editor: Editor, path: string, line?: number): string | null {
  const inAddress = path.split("/").map(encodeURIComponent).join("/") + (line === undefined ? "" : `:${line}`);
  switch (editor) {
    case "vscode":
    case "cursor":
    case "zed":
      return `${editor}://file${inAddress}`;
    case "idea":
      return `idea://open?file=${encodeURIComponent(path)}${line === undefined ? "" : `&line=${line}`}`;
    default:
      // Also one that another version of the page stored in this browser.
      return null;
  }
}
