// Logs what an operator should know. Never to stdout: the agent speaks ACP there.

export type Log = (message: string) => void;

export const logToStderr: Log = (message) => {
  console.warn(`[tool-calls] ${message}`);
};
