// The client as the tools see it: its files and its terminals, of which there are those that it advertised.

export interface ClientSide {
  readonly readTextFile?: ReadTextFile;
  readonly writeTextFile?: (path: string, content: string, signal: AbortSignal) => Promise<void>;
  readonly createTerminal?: (request: TerminalRequest) => Promise<ClientTerminal>;
}

export type ReadTextFile = (path: string, lines: LineRange, signal: AbortSignal) => Promise<string>;

export interface LineRange {
  /** Counts from 1. */
  readonly line?: number;
  readonly limit?: number;
}

export interface TerminalRequest {
  /** A whole line for a shell. */
  readonly command: string;
  readonly cwd: string;
  readonly outputByteLimit: number;
}

export interface ClientTerminal {
  readonly id: string;
  output(): Promise<{ readonly output: string; readonly truncated: boolean }>;
  waitForExit(): Promise<TerminalExit>;
  kill(): Promise<unknown>;
  release(): Promise<unknown>;
}

export interface TerminalExit {
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}
