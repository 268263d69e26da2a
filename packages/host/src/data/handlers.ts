// Declares a handler: the function that answers one request or query of the table in packages/protocol/src/requests. Each is in the folder that
// it belongs to, takes the services that it needs, and gives the result; server/handlers.ts puts all of them together.
import type {
  ProgressMessage,
  QueryArgs,
  QueryName,
  QueryPage,
  RequestName,
  RequestParams,
  RequestResult,
} from "@signalbox/protocol";
import type { Caller } from "./caller.ts";

export type RequestHandlers<Names extends RequestName, Services> = {
  readonly [Name in Names]: (
    params: RequestParams<Name>,
    services: Services,
    caller: Caller,
  ) => RequestResult<Name> | Promise<RequestResult<Name>>;
};

export type QueryHandlers<Names extends QueryName, Services> = {
  readonly [Name in Names]: (
    args: QueryArgs<Name>,
    services: Services,
    caller: Caller,
  ) => QueryPage<Name> | Promise<QueryPage<Name>>;
};

/** The handlers of one folder: `{ … } satisfies SomeRequests<Services>`. */
export type SomeRequests<Services> = Partial<RequestHandlers<RequestName, Services>>;
export type SomeQueries<Services> = Partial<QueryHandlers<QueryName, Services>>;

/** Sends progress to every connected screen. */
export interface ProgressSender {
  sendProgress(message: ProgressMessage): void;
}
