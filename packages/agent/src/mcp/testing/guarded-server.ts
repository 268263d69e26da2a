// For tests: an MCP server over HTTP that wants a log-in.
import type { WebServer } from "../../tools/testing/web-server.ts";
import { jsonServer } from "./json-server.ts";
import type { OAuthServer } from "./oauth-server.ts";

/** An MCP server that takes the tokens of `oauth`. */
export async function guardedServer({ valid, web }: OAuthServer): Promise<WebServer> {
  const server: WebServer = await jsonServer((_message, { headers, url }, response) => {
    if (url?.startsWith("/.well-known/oauth-protected-resource") === true) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ resource: server.url("/mcp"), authorization_servers: [web.url("")] }));
      return true;
    }
    if (valid.has(headers.authorization?.replace("Bearer ", "") ?? "")) return false;
    const metadata = server.url("/.well-known/oauth-protected-resource/mcp");
    response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end();
    return true;
  });
  return server;
}
