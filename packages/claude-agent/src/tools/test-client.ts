// A client for tests of the tools: files in a map, terminals that do what they are told.
import {
  type ClientFiles,
  type ClientTerminal,
  type ClientTerminals,
  type LineRange,
  linesInRange,
  type TerminalExit,
} from "@signalbox/agent-kit";
import type { Escalation, ToolCallChange } from "@signalbox/tool-calls";
import type { CallInProgress } from "./tool.ts";

class TestTerminal implements ClientTerminal {
  readonly id: string;
  printed = "";
  truncated = false;
  kills = 0;
  releases = 0;
  readonly #exit = Promise.withResolvers<TerminalExit>();

  constructor(id: string) {
    this.id = id;
  }

  exit(exit: TerminalExit): void {
    this.#exit.resolve(exit);
  }

  async output() {
    return { output: this.printed, truncated: this.truncated };
  }

  waitForExit(): Promise<TerminalExit> {
    return this.#exit.promise;
  }

  async kill(): Promise<void> {
    this.kills++;
    this.exit({ exitCode: null, signal: "SIGKILL" });
  }

  async release(): Promise<void> {
    this.releases++;
  }
}

export class TestClient implements ClientFiles {
  readonly files = new Map<string, string>();
  readonly terminals: TestTerminal[] = [];
  readonly commands: string[] = [];
  /** Rights beyond the sandbox that commands asked for. */
  readonly escalations: Escalation[] = [];
  /** The error that the client answers instead of creating a terminal. */
  refusal: Error | null = null;

  readonly readTextFile = async (path: string, range: LineRange) => {
    const text = this.files.get(path);
    if (text === undefined) throw Object.assign(new Error("not found"), { code: -32_002 });
    return linesInRange(text, range);
  };

  readonly writeTextFile = async (path: string, content: string) => {
    this.files.set(path, content);
  };

  readonly clientTerminals: ClientTerminals = {
    create: async ({ command, escalation }) => {
      if (escalation !== undefined) this.escalations.push(escalation);
      if (this.refusal !== null) throw this.refusal;
      this.commands.push(command);
      const terminal = new TestTerminal(`terminal-${this.terminals.length + 1}`);
      this.terminals.push(terminal);
      return terminal;
    },
  };
}

/** A call that keeps what is shown. */
export class TestCall implements CallInProgress {
  readonly stop = new AbortController();
  shown: ToolCallChange = {};

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  readonly show = (change: ToolCallChange) => {
    this.shown = { ...this.shown, ...change };
  };
}
