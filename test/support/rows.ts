// Gives rows and snapshots with all their fields, for tests that name only the fields they are about.
import { type MessageRow, makeLists, type ThreadRow, type ThreadSnapshot } from "@signalbox/protocol";

export function threadRow(fields: Partial<ThreadRow> = {}): ThreadRow {
  return {
    id: "t",
    agent_id: "demo",
    session_id: null,
    cwd: "/w",
    title: null,
    status: "idle",
    starting: false,
    stopped: false,
    current_mode_id: null,
    archived: false,
    pinned: false,
    parent_thread_id: null,
    fork: null,
    additional_directories: [],
    waiting: 0,
    files_changed: 0,
    cost: null,
    sandbox: null,
    sandbox_choice: null,
    checkpoints: null,
    git: null,
    created_at: 0,
    updated_at: 0,
    last_seq: 0,
    ...fields,
  };
}

export function threadSnapshot(fields: Partial<ThreadSnapshot> = {}): ThreadSnapshot {
  return {
    thread: threadRow(),
    timeline: [],
    plan: null,
    state: null,
    ...makeLists(() => []),
    has_more: false,
    newer_only: false,
    seq: 0,
    ...fields,
  };
}

/** A message of the agent that is still being written. */
export function messageRow(fields: Partial<MessageRow> = {}): MessageRow {
  const text = fields.text ?? "";
  return {
    thread_id: "t",
    item_id: "m1",
    seq: 1,
    last_seq: 1,
    role: "assistant",
    kind: "message",
    text,
    text_offset: 0,
    text_len: text.length,
    text_ref: null,
    content: null,
    partial: true,
    parent_tool_call_id: null,
    created_at: 0,
    updated_at: 0,
    ...fields,
  };
}
