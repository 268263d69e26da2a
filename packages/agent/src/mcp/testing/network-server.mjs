// For tests: an MCP server, made with the SDK, that has a web server on its loopback and gets what it is asked for from others.
import { createServer } from "node:http";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const web = createServer((_request, response) => response.end("the MCP server"));
await new Promise((resolve) => web.listen(0, "127.0.0.1", resolve));

serveStdio(() => {
  const server = new McpServer({ name: "network", version: "1.0.0" }, { capabilities: { tools: {} } });
  const nothing = fromJsonSchema({ type: "object", properties: {} });
  server.registerTool("port", { description: "Where its web server listens.", inputSchema: nothing }, () =>
    text(String(web.address().port)),
  );
  const address = fromJsonSchema({ type: "object", properties: { url: { type: "string" } }, required: ["url"] });
  server.registerTool("get", { description: "Gets an address.", inputSchema: address }, async ({ url }) => {
    const answer = await fetch(url).then(
      (response) => response.text(),
      (error) => `none: ${error.cause?.message ?? error.message}`,
    );
    return text(answer);
  });
  server.registerTool("environment", { description: "All its variables.", inputSchema: nothing }, () =>
    text(JSON.stringify(process.env)),
  );
  return server;
});
