// Declares the rows of searches and statistics as columns: the register and the shared database both read theirs with them.
import { type Column, nullable, number, text } from "./columns.ts";

export const searchHitColumns = {
  thread_id: text,
  thread_title: nullable(text),
  agent_id: text,
  cwd: text,
  seq: number,
  item: text,
  item_id: text,
  kind: text,
  ts: number,
};

const dayMs = 24 * 60 * 60 * 1000;

/** Days since 1970, read as YYYY-MM-DD. */
const day: Column<string> = {
  suffix: "",
  type: "INTEGER",
  read: (stored) => new Date(number.read(stored) * dayMs).toISOString().slice(0, 10),
  write: (value) => Date.parse(value) / dayMs,
};

const rounded: Column<number> = { ...number, read: (stored) => Math.round(number.read(stored)) };

/** Counts and measures of a group. A column that was not asked for is null. */
const groupColumns = {
  day: nullable(day),
  agent_id: nullable(text),
  count: number,
  failed: number,
  median_ms: nullable(rounded),
  p95_ms: nullable(rounded),
};

export const toolCallStatsColumns = {
  ...groupColumns,
  kind: nullable(text),
  name: nullable(text),
  asked: number,
  waited_ms: number,
};

/** Of the calls that named a file. */
export const pathStatsColumns = { path: text, count: number, failed: number };

/** The rest of a row by path. */
export const uncountedByPath = {
  stat: "tool_calls",
  day: null,
  agent_id: null,
  kind: null,
  name: null,
  asked: 0,
  waited_ms: 0,
  median_ms: null,
  p95_ms: null,
} as const;

export const facetColumns = { value: text, threads: number, archived: number };

export const turnStatsColumns = {
  ...groupColumns,
  input_tokens: number,
  output_tokens: number,
  total_tokens: number,
  cost: number,
  currency: nullable(text),
};

export const threadCostColumns = {
  thread_id: text,
  title: nullable(text),
  agent_id: text,
  cwd: text,
  turns: number,
  total_tokens: number,
  cost: number,
  currency: nullable(text),
};
