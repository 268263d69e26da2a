// Reads kinds of updates that not every client knows: notices, compactions, and plans with ids (not in the stable part of ACP yet).
import { isPlanEntry, type PlanEntry } from "./acp.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { ToolCallFields } from "./tool-call-fields.ts";

export interface PlanWithId {
  readonly planId: string;
  readonly entries: readonly PlanEntry[];
}

/** A plan of text or in a file is one entry, and one that is removed has none. Null for what is no plan. */
export function readPlan({ sessionUpdate, planId: removed, plan }: JsonObject): PlanWithId | null {
  if (sessionUpdate === "plan_removed") return typeof removed === "string" ? { planId: removed, entries: [] } : null;
  if (!isJsonObject(plan) || typeof plan.planId !== "string") return null;
  const { planId, type, entries, content, uri } = plan;
  if (type === "items") return Array.isArray(entries) ? { planId, entries: entries.filter(isPlanEntry) } : null;
  const text = type === "markdown" ? content : type === "file" ? uri : undefined;
  if (typeof text !== "string") return null;
  return { planId, entries: [{ content: text, priority: "medium", status: "in_progress" }] };
}

/** Replaces one plan of several; without entries it is gone. They stay in the order in which they came. */
export function withPlan(plans: readonly PlanWithId[], { planId, entries }: PlanWithId): readonly PlanWithId[] {
  const isKnown = plans.some((plan) => plan.planId === planId);
  const next = isKnown
    ? plans.map((plan) => (plan.planId === planId ? { planId, entries } : plan))
    : [...plans, { planId, entries }];
  return next.filter((plan) => plan.entries.length > 0).slice(-maxPlans);
}

/** An agent with more plans than this has forgotten some. */
const maxPlans = 20;

/** A compaction has an id, a state and a summary, as a tool call has: the timeline shows it as one. */
export function compactionCall({ compactionId, status, summary, error }: JsonObject): ToolCallFields {
  const blocks = Array.isArray(summary) ? summary : [];
  const failed = typeof error === "string" ? [{ type: "text", text: error }] : [];
  const content = [...blocks, ...failed].map((block) => ({ type: "content", content: block }));
  return {
    toolCallId: `compaction-${typeof compactionId === "string" ? compactionId : ""}`,
    title: "Compact the conversation",
    kind: "think",
    // A tool call has no other word for it.
    status: status === "cancelled" ? "failed" : typeof status === "string" ? status : undefined,
    ...(content.length === 0 ? {} : { content }),
  };
}

export function noticeText({ title, description }: JsonObject): string {
  const parts = [title, description].filter((part: Json | undefined) => typeof part === "string");
  return parts.filter((part) => part !== "").join("\n\n");
}
