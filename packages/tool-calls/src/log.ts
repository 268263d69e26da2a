// Where the library says what an operator should know. Never stdout: there the agent speaks ACP.

export type Log = (message: string) => void;

export const logToStderr: Log = (message) => {
  console.warn(`[tool-calls] ${message}`);
};
