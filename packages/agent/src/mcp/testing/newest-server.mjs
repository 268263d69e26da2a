// For tests: an MCP server of the newest revision (2026-07-28) that knows no older handshake, over stdio or, given a port 0, over HTTP.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

let grown = false;

const nothing = fromJsonSchema({ type: "object", properties: {} });
const text = (value) => ({ content: [{ type: "text", text: value }] });
const report = ({ mcpReq: { _meta: meta, notify } }, progress) =>
  notify({ method: "notifications/progress", params: { progressToken: meta?.progressToken, ...progress } });

function makeServer() {
  const server = new McpServer(
    { name: "newest", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } }, instructions: "Be modern." },
  );
  server.registerTool("work", { description: "Works in three steps.", inputSchema: nothing }, async (_, context) => {
    for (let progress = 1; progress <= 3; progress++) await report(context, { progress, total: 3 });
    return text("done");
  });
  server.registerTool("wait", { description: "Never ends.", inputSchema: nothing }, async (_, context) => {
    await report(context, { progress: 1 });
    return new Promise(() => {});
  });
  const addFresh = () =>
    server.registerTool("fresh", { description: "New here.", inputSchema: nothing }, () => text("fresh"));
  server.registerTool("grow", { description: "Adds a tool.", inputSchema: nothing }, () => {
    grown = true;
    addFresh();
    handler?.notify.toolsChanged();
    return text("grown");
  });
  if (grown) addFresh();
  server.registerTool("roots", { description: "Asks where it is.", inputSchema: nothing }, (_, context) => {
    const where = context.mcpReq.inputResponses?.where;
    if (where === undefined) return inputRequired({ inputRequests: { where: inputRequired.listRoots() } });
    return text(JSON.stringify(where));
  });
  return server;
}

// Over HTTP every request has a server of its own, and the handler tells what changed.
const handler = process.argv[2] === "0" ? createMcpHandler(makeServer, { legacy: "reject" }) : undefined;
if (handler === undefined) serveStdio(makeServer, { legacy: "reject" });
else {
  const web = createServer((request, response) => void answer(handler, request, response));
  web.listen(0, "127.0.0.1", () => console.log(web.address().port));
}

async function answer({ fetch }, request, response) {
  const asked = new Request(`http://127.0.0.1${request.url}`, {
    method: request.method,
    headers: request.headers,
    ...(request.method === "POST" && { body: Readable.toWeb(request), duplex: "half" }),
  });
  const { status, headers, body } = await fetch(asked);
  response.writeHead(status, Object.fromEntries(headers));
  for await (const bytes of body ?? []) response.write(bytes);
  response.end();
}
