// The table of requests: each request and each query by name, with its parameters, its result, and who may send it. A client's `request` and
// `query`, the host's handlers and docs/protocol.md are made from it.
import { z } from "zod";
import { agentQueries, agentRequests } from "./agents.ts";
import { connectionRequests, subscriptionRequests } from "./connection.ts";
import type { ActionDefinition, QueryDefinition, ResultType } from "./define.ts";
import { hostQueries, hostRequests } from "./host.ts";
import { permissionQueries, permissionRequests } from "./permissions.ts";
import { registerQueries } from "./register.ts";
import { repositoryQueries, repositoryRequests } from "./repositories.ts";
import { sessionQueries, sessionRequests } from "./sessions.ts";

export type { ThreadResult } from "./fields.ts";
export type { SubmittedPrompt } from "./sessions.ts";

export const requests = {
  ...subscriptionRequests,
  ...connectionRequests,
  ...sessionRequests,
  ...permissionRequests,
  ...repositoryRequests,
  ...agentRequests,
  ...hostRequests,
};

export const queries = {
  ...registerQueries,
  ...sessionQueries,
  ...permissionQueries,
  ...repositoryQueries,
  ...agentQueries,
  ...hostQueries,
};

type Requests = typeof requests;
type Queries = typeof queries;
type TypeIn<Holder> = Holder extends ResultType<infer Type> ? Type : never;

export const registerQueryNames = Object.keys(registerQueries) as RegisterQueryName[];

export type RequestName = keyof Requests;
export type QueryName = keyof Queries;
export type RegisterQueryName = keyof typeof registerQueries;
/** Requests that the connection itself answers, because it keeps the subscriptions. */
export type SubscriptionName = keyof typeof subscriptionRequests;

export type RequestParams<Name extends RequestName> = z.infer<Requests[Name]["params"]>;
export type RequestResult<Name extends RequestName> = TypeIn<Requests[Name]["result"]>;

export type QueryArgs<Name extends QueryName> = z.infer<Queries[Name]["params"]>;
export type QueryRow<Name extends QueryName> = TypeIn<Queries[Name]["row"]>;

/** Rows of one query, and where the next page begins. */
export interface QueryPage<Name extends QueryName> {
  readonly rows: readonly QueryRow<Name>[];
  readonly next_cursor?: string;
}

/** Anything that answers queries by name: the register, a host, a client of one. */
export type RunQuery<Names extends QueryName = QueryName> = <Name extends Names>(
  name: Name,
  args: QueryArgs<Name>,
) => Promise<QueryPage<Name>>;

/** Chosen by the client, and sent back with the answer. */
export type RequestId = string | number;

/** A request after it was checked: one type per name. */
export type CheckedRequest<Names extends RequestName = RequestName> = {
  [Name in Names]: {
    readonly type: "request";
    readonly id: RequestId | undefined;
    readonly name: Name;
    readonly params: RequestParams<Name>;
  };
}[Names];

/** A query after it was checked: one type per name. */
export type CheckedQuery<Names extends QueryName = QueryName> = {
  [Name in Names]: {
    readonly type: "query";
    readonly id: RequestId | undefined;
    readonly name: Name;
    readonly params: QueryArgs<Name>;
  };
}[Names];

/** A request that is not run, and why. */
export interface MalformedRequest {
  readonly type: "malformed";
  readonly id: RequestId | undefined;
  readonly problem: string;
}

/** A request as it travels. */
export type ClientMessage = { readonly id?: RequestId | undefined } & (
  | { [Name in RequestName]: { readonly control: Name } & Fields<RequestParams<Name>> }[RequestName]
  | { readonly control: "tvx.query"; readonly name: QueryName; readonly args?: object }
);
/** Zod gives an object without fields the type of one that must have none, not even `control`. */
type Fields<Params> = string extends keyof Params ? object : Params;

const requestId = z.union([z.string().max(200), z.number()]).optional();

/** Checks a request as it travels. Never throws. */
export function checkRequest(message: unknown): CheckedRequest | CheckedQuery | MalformedRequest {
  if (typeof message !== "object" || message === null)
    return { type: "malformed", id: undefined, problem: "A request is a JSON object." };
  const { id: anyId, control, name: queryName, args = {} } = message as Record<string, unknown>;
  const { data: id, success: isIdValid } = requestId.safeParse(anyId);
  const malformed = (problem: string) => ({ type: "malformed", id, problem }) as const;
  if (!isIdValid) return malformed("The id of a request is a number, or a text of at most 200 characters.");
  const isQuery = control === "tvx.query";
  const name = isQuery ? queryName : control;
  const table: Readonly<Record<string, { readonly params: z.ZodType }>> = isQuery ? queries : requests;
  const definition = typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;
  if (definition === undefined)
    return malformed(`There is no ${isQuery ? "query" : "request"} ${JSON.stringify(name)?.slice(0, 100)}.`);
  const { data: params, error } = definition.params.safeParse(isQuery ? args : message);
  if (error !== undefined) return malformed(z.prettifyError(error));
  // The schema of a name gives the parameters of that name.
  return { type: isQuery ? "query" : "request", id, name, params } as CheckedRequest | CheckedQuery;
}

export function findQuery(name: QueryName): QueryDefinition {
  return queries[name];
}

/** Who may send a request, and how its answer travels. */
export function findRequest(name: RequestName): ActionDefinition {
  return requests[name];
}
