// Writes the tables of requests and queries into docs/protocol.md, whose text around them is written by hand.
import { z } from "zod";
import { agentQueries, agentRequests } from "./agents.ts";
import { connectionRequests, subscriptionRequests } from "./connection.ts";
import type { ActionDefinition, QueryDefinition } from "./define.ts";
import { hostQueries, hostRequests } from "./host.ts";
import { permissionQueries, permissionRequests } from "./permissions.ts";
import { registerQueries } from "./register.ts";
import { repositoryQueries, repositoryRequests } from "./repositories.ts";
import { sessionQueries, sessionRequests } from "./sessions.ts";

type Actions = Readonly<Record<string, ActionDefinition>>;
type Queries = Readonly<Record<string, QueryDefinition>>;

const requestTopics: Readonly<Record<string, Actions>> = {
  "The connection": { ...subscriptionRequests, ...connectionRequests },
  "Threads and turns": sessionRequests,
  "Questions and rules": permissionRequests,
  "Files and git": repositoryRequests,
  Agents: agentRequests,
  "The host": hostRequests,
};

const queryTopics: Readonly<Record<string, Queries>> = {
  "The register": registerQueries,
  "Threads and agents": { ...sessionQueries, ...agentQueries, ...permissionQueries },
  "Files and git": repositoryQueries,
  "The host": hostQueries,
};

const begin = "<!-- requests: generated from packages/protocol/src/requests by `npm run fix` -->";
const end = "<!-- /requests -->";

/** Returns the page with the tables of requests as they should be. */
export function renderProtocolDocs(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`docs/protocol.md has no place for the requests: ${begin} … ${end}`);
  const tables = [
    "## Requests",
    ...Object.entries(requestTopics).map(([title, requests]) => renderRequests(title, requests)),
    "## Queries",
    ...Object.entries(queryTopics).map(([title, queries]) => renderQueries(title, queries)),
  ];
  return `${page.slice(0, from)}${begin}\n\n${tables.join("\n\n")}\n\n${page.slice(to)}`;
}

function renderRequests(title: string, requests: Actions): string {
  const rows = Object.entries(requests).map(([name, definition]) => {
    const { about, params, result, answer = "tinyvex.ok" } = definition;
    const answered = answer === "tinyvex.ok" ? joinFields(result.fields) : `\`${answer}\` ${joinFields(result.fields)}`;
    return `| ${renderCall(name, params)} | ${about}${describeCallers(definition)} | ${answered.trim()} |\n`;
  });
  const table = `| request | what it does | answer |\n| --- | --- | --- |\n${rows.join("")}`;
  return `### ${title}\n\n${table}${renderNotes(requests)}`.trimEnd();
}

function renderQueries(title: string, queries: Queries): string {
  const rows = Object.entries(queries).map(
    ([name, { about, params, row }]) => `| ${renderCall(name, params)} | ${about} | ${joinFields(row.fields)} |\n`,
  );
  const table = `| query | rows | fields |\n| --- | --- | --- |\n${rows.join("")}`;
  return `### ${title}\n\n${table}${renderNotes(queries)}`.trimEnd();
}

function describeCallers({ remote, device }: ActionDefinition): string {
  if (device === "never") return " Not for paired devices.";
  if (device === "itself") return " A paired device can do this only to itself.";
  return remote === true ? " Works across machines." : "";
}

function joinFields(fields: readonly string[]): string {
  return fields.length === 0 ? "" : fields.map((field) => `\`${field}\``).join(", ");
}

/** `run.edit {thread_id, turn_id, prompt}`. */
function renderCall(name: string, params: z.ZodObject): string {
  const fields = Object.entries(params.shape).map(([field, schema]) => `${field}${isOptional(schema) ? "?" : ""}`);
  return fields.length === 0 ? `\`${name}\`` : `\`${name} {${fields.join(", ")}}\``;
}

function isOptional(schema: z.core.$ZodType): boolean {
  return z.safeParse(schema, undefined).success;
}

/** A list for each request whose parameters need more than their name. */
function renderNotes(definitions: Readonly<Record<string, { readonly params: z.ZodObject }>>): string {
  const lists = Object.entries(definitions).flatMap(([name, { params }]) => {
    const notes = Object.entries(params.shape).flatMap(([field, schema]) => {
      const note = describeParameter(schema);
      return note === "" ? [] : [`  - \`${field}\`: ${note}\n`];
    });
    return notes.length === 0 ? [] : [`- \`${name}\`\n${notes.join("")}`];
  });
  return lists.length === 0 ? "" : `\n${lists.join("")}`;
}

/** The description of a parameter, and the values of one that has few. */
function describeParameter(schema: z.core.$ZodType): string {
  const json = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  const values = [json, ...(json.anyOf ?? [])].flatMap((part) => (typeof part === "object" ? (part.enum ?? []) : []));
  const listed = values.map((value) => `\`${String(value)}\``).join(", ");
  return [listed, json.description ?? ""].filter((part) => part !== "").join(": ");
}
