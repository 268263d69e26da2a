// Opens a file in the user's editor, on this machine: the command of the config, or what $VISUAL or $EDITOR names. No shell is involved, and
// the file is only ever an argument.
import { spawn } from "node:child_process";
import { basename } from "node:path";
import { HostError } from "../data/host-error.ts";

interface Editor {
  /** The name of its program. */
  readonly name: string;
  /** The program and its arguments, with {path} and {line} in them. */
  readonly words: readonly [string, ...string[]];
}

const goto = ["--goto", "{path}:{line}"];
const place = ["{path}:{line}"];
const byLine = ["--line", "{line}", "{path}"];

/** Editors that open windows, and how they are told the line. */
const known: Readonly<Record<string, readonly string[]>> = {
  code: goto,
  "code-insiders": goto,
  codium: goto,
  cursor: goto,
  windsurf: goto,
  zed: place,
  zeditor: place,
  subl: place,
  idea: byLine,
  pycharm: byLine,
  webstorm: byLine,
  goland: byLine,
  clion: byLine,
  rustrover: byLine,
  kate: byLine,
  mate: byLine,
  gedit: ["+{line}", "{path}"],
  "gnome-text-editor": ["{path}"],
  emacsclient: ["--no-wait", "+{line}", "{path}"],
};

/** Null where no editor is set, and the environment names none that opens a window: one in a terminal would have no terminal. */
export function chooseEditor(configured: string | undefined, environment: NodeJS.ProcessEnv): Editor | null {
  const own = readWords(configured);
  if (own !== null) return completeEditor(own, ["{path}"]);
  const usual = readWords(environment.VISUAL) ?? readWords(environment.EDITOR);
  return usual === null || known[basename(usual[0])] === undefined ? null : completeEditor(usual, []);
}

function completeEditor(words: Editor["words"], otherwise: readonly string[]): Editor {
  const name = basename(words[0]);
  if (words.some((word) => word.includes("{path}"))) return { name, words };
  // The page does not wait for the window to be closed.
  const [program, ...rest] = words.filter((word) => !["-w", "--wait"].includes(word));
  return { name, words: [program ?? name, ...rest, ...(known[name] ?? otherwise)] };
}

/** Words are separated by blanks; in double quotes they may have some. */
function readWords(line: string | undefined): Editor["words"] | null {
  const [program, ...rest] = [...(line ?? "").matchAll(/"([^"]*)"|\S+/g)].map(([whole, quoted]) => quoted ?? whole);
  return program === undefined ? null : [program, ...rest];
}

/** An editor that ends immediately with an error says so; one that runs longer has opened a window. */
const settledMs = 1500;

/** Throws a HostError when the editor cannot be started. It stays open when Signalbox ends. */
export async function openInEditor({ name, words }: Editor, file: string, line = 1): Promise<void> {
  const [program, ...rest] = words.map((word) =>
    word.replaceAll(/\{(path|line)\}/g, (_, part) => (part === "path" ? file : String(line))),
  );
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith("SIGNALBOX_")));
  const child = spawn(program ?? name, rest, { stdio: "ignore", detached: true, env });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, settledMs);
  child.on("error", (error) => reject(new HostError("unavailable", `${name} cannot be started: ${error.message}`)));
  child.on("exit", (code) =>
    code === 0 ? resolve() : reject(new HostError("unavailable", `${name} ended with code ${code ?? "none"}.`)),
  );
  child.unref();
  await promise.finally(() => clearTimeout(timer));
}
