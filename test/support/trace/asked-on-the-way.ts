// Lists the files that a flow asks on its way. Such a file gets no content of the prompt or the update, at most an id or a kind: it answers a question
// about a setting or a state, or is told that something happens.

/** The functions that may run, and why the file is asked. If another one runs, decide anew whether the flow passes through the file. */
type Asked = Readonly<Record<string, { readonly functions: readonly string[]; readonly why: string }>>;

export const askedByPrompt: Asked = {
  "agent/src/loop/steering.ts": {
    functions: ["open", "removeAll"],
    why: "Accepts later words of the person from now on.",
  },
  "agent/src/loop/usage.ts": { functions: ["chooseWindow"], why: "Knows how large the model's context window is." },
  "agent/src/mcp/tool-offer.ts": {
    functions: ["#others", "fix", "get instructions", "get tools"],
    why: "Knows which tools the MCP servers have.",
  },
  "agent/src/providers/choose-provider.ts": {
    functions: ["canonical", "found", "fullName", "maxOutputTokens", "splitModel"],
    why: "Knows the names and limits of the models.",
  },
  "agent/src/providers/sdk-events.ts": {
    functions: ["<instance_members_initializer>", "SdkEvents"],
    why: "Is made ready to read the answer.",
  },
  "agent/src/serve-client.ts": { functions: [""], why: "Has the sessions of the connection." },
  "agent/src/sessions/session-models.ts": {
    functions: ["canonical", "get names", "maxOutputTokens", "open"],
    why: "Has the model that the settings name.",
  },
  "agent/src/sessions/session-options.ts": { functions: ["chooseThinking"], why: "Knows how much the model thinks." },
  "agent/src/sessions/session-permissions.ts": { functions: ["beginTurn"], why: "Is told that a turn begins." },
  "agent/src/sessions/sessions.ts": { functions: ["get"], why: "Finds the session by its id." },
  "agent/src/sessions/system-prompt.ts": {
    functions: ["", "systemPrompt", "projectHeading"],
    why: "Describes the folders and the mode to the model.",
  },
  "agent/src/sessions/toolbox.ts": {
    functions: ["fixTools", "get tools", "ready", "systemPrompt"],
    why: "Has the tools of the session.",
  },
  "agent/src/sessions/wait-for-servers.ts": {
    functions: ["isReadyWithin", "waitForServers"],
    why: "Knows whether the MCP servers are ready.",
  },
  "agent/src/tools/tool.ts": { functions: ["isForReading"], why: "Knows which tools plan mode allows." },
  "host/src/data/unanswered-requests.ts": {
    functions: ["", "during", "findSubject"],
    why: "Counts the requests that have no answer yet.",
  },
  "host/src/data/user-config.ts": { functions: ["get config"], why: "Has the settings." },
  "host/src/permissions/thread-permissions.ts": {
    functions: ["beginTurn", "clear"],
    why: "Is told that a turn begins.",
  },
  "host/src/permissions/turn-grants.ts": { functions: ["clear"], why: "Is told that a turn begins." },
  "host/src/permissions/turn-signal.ts": {
    functions: ["beginTurn", "get signal"],
    why: "Is told that a turn begins; knows whether it was cancelled.",
  },
  "host/src/sessions/budgets.ts": { functions: ["refuseOverBudget"], why: "Knows whether the day's money is spent." },
  "host/src/sessions/thread-folder.ts": { functions: ["before"], why: "Keeps the folder as it is before the turn." },
  "host/src/sessions/trace-parent.ts": { functions: ["makeTraceParent"], why: "Names the trace of the turn." },
};

export const askedByUpdate: Asked = {
  "host/src/acp/sub-agent-sessions.ts": { functions: ["has"], why: "Knows which sessions are sub-agents'." },
  "host/src/agents/agent-activity.ts": { functions: ["noteMessage"], why: "Keeps when the agent last said something." },
  "tinyvex/src/database/checkpointer.ts": {
    functions: ["committed"],
    why: "Counts commits until the database file is tidied.",
  },
  "tinyvex/src/database/row.ts": { functions: ["integer"], why: "Reads the id of a new database row." },
  "tinyvex/src/maintenance/stale-threads.ts": {
    functions: ["has"],
    why: "Knows which threads' rows are being rebuilt.",
  },
  "tinyvex/src/projection/changed-rows.ts": {
    functions: ["add", "flush"],
    why: "Has no changed row of questions and settings; the turn's checkpoint may be stored in the same commit.",
  },
  "tinyvex/src/projection/questions.ts": { functions: ["flush"], why: "Has no changed question." },
  "tinyvex/src/projection/session-state.ts": { functions: ["flush"], why: "Has no changed setting." },
  "tinyvex/src/projection/terminals.ts": { functions: ["flush"], why: "Has no changed terminal." },
  "tinyvex/src/projection/thread-states.ts": {
    functions: ["get", "save", "trim"],
    why: "Has the counts of the thread.",
  },
  "tinyvex/src/projection/tool-calls.ts": {
    functions: ["#save", "flush", "findSubAgent"],
    why: "Has no changed call; knows which sessions are sub-agents'.",
  },
  "tinyvex/src/projection/turns.ts": {
    functions: ["", "Turns.#changed.ChangedRows", "flush", "keepCheckpoint"],
    why: "Has no changed turn, except where the turn's checkpoint is stored in the same commit.",
  },
  "tinyvex/src/writer/commit-window.ts": {
    functions: ["", "#end", "#endEarly", "#isTryingAgain", "#run", "open"],
    why: "Decides when the next commit is.",
  },
};
