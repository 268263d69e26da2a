// Serves what browsers ask for without a WebSocket: a token for a code, and Deny on a notification. Nothing here can allow anything.
import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import type { Caller } from "../data/caller.ts";
import { HostError } from "../data/host-error.ts";
import type { HostServices } from "./host-services.ts";

interface NodeBindings {
  Bindings: HttpBindings;
}

const pairRequest = z.strictObject({ code: z.string().min(1).max(100), name: z.string().max(200) });
const openRequest = z.strictObject({ code: z.string().min(1).max(100) });
const denyRequest = z.strictObject({ thread_id: z.string().min(1).max(200), question_id: z.string().min(1).max(200) });
const statuses = { unauthorized: 401, rate_limited: 429, conflict: 409, not_found: 404, bad_request: 400 } as const;

export function createDeviceRoutes(
  {
    devices,
    pairing,
    pageCodes,
    folder,
    pusher,
    broker,
    register,
  }: Pick<HostServices, "devices" | "pairing" | "pageCodes" | "folder" | "pusher" | "broker" | "register">,
  callerOf: (request: IncomingMessage) => Caller | null,
): Hono<NodeBindings> {
  const app = new Hono<NodeBindings>();
  app.use("*", bodyLimit({ maxSize: 4096 }));
  app.post("/pair", (context) =>
    answer(context, pairRequest, ({ code, name }) => {
      pairing.redeem(code);
      const { device, token } = devices.add(cleanName(name));
      return { device_id: device.id, token };
    }),
  );
  app.post("/open", (context) =>
    answer(context, openRequest, ({ code }) => {
      pageCodes.redeem(code);
      return { token: folder.token };
    }),
  );
  app.post("/push/deny", (context) =>
    answer(context, denyRequest, async ({ thread_id, question_id }) => {
      const caller = callerOf(context.env.incoming);
      if (caller?.type !== "device")
        throw new HostError("unauthorized", "Only a paired device answers from a notification.");
      if (!pusher.wasSent(caller.deviceId, question_id))
        throw new HostError("not_found", "This device was not asked this question.");
      broker.respond({ threadId: thread_id, permissionId: question_id, optionId: null });
      await register.settled(thread_id);
      return { denied: true };
    }),
  );
  return app;
}

async function answer<Body>(
  context: Context<NodeBindings>,
  schema: z.ZodType<Body>,
  work: (body: Body) => object | Promise<object>,
): Promise<Response> {
  try {
    const body = schema.safeParse(await context.req.json().catch(() => null));
    if (!body.success) throw new HostError("bad_request", z.prettifyError(body.error));
    return context.json(await work(body.data));
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const status = error.code in statuses ? statuses[error.code as keyof typeof statuses] : 400;
    return context.json({ error: error.message }, status);
  }
}

function cleanName(name: string): string {
  const plain = name
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, 60);
  return plain === "" ? "Device" : plain;
}
