import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// `npm run dev` names the host that the page's WebSocket goes to.
const host = process.env.SIGNALBOX_DEV_HOST;

/** The entry opens the line to the host and then asks for what draws the page: the browser should fetch that part at the same time. */
const fetchDrawingAtOnce: Plugin = {
  name: "fetch-drawing-at-once",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle }) =>
      Object.values(bundle ?? {})
        .filter((chunk) => chunk.type === "chunk" && ["page", "draw-page"].includes(chunk.name))
        .map((chunk) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `/${chunk.fileName}` },
          injectTo: "head",
        })),
  },
};

export default defineConfig({
  plugins: [react(), fetchDrawingAtOnce],
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    // The biggest chunk is the grammar of C++, which is loaded only when C++ is shown.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // What is needed at once comes in two pieces, each with all that it imports, instead of in a dozen small ones.
        codeSplitting: {
          groups: [
            { name: "line", tags: ["$initial"] },
            { name: "page", test: /[\\/]src[\\/]draw-page\.tsx$/ },
          ],
        },
      },
    },
  },
  server:
    host === undefined ? {} : { proxy: { "/ws": { target: host, ws: true, changeOrigin: true }, "/health": host } },
});
