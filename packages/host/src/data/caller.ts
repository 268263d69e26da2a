// Who sent a request: the person with the first token, a paired device, or another machine that shares its threads.
export type Caller =
  | { readonly type: "owner" }
  | { readonly type: "device"; readonly deviceId: string }
  | { readonly type: "machine" };

export const owner: Caller = { type: "owner" };
