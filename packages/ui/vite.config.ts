import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// `npm run dev` names the host that the page's WebSocket goes to.
const host = process.env.SIGNALBOX_DEV_HOST;

/** Fonts that the first drawing needs are loaded with it, so that no text changes its font while it is read. */
const preloadFonts: Plugin = {
  name: "preload-fonts",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((fileName) => fileName.endsWith(".woff2"))
        .map((fileName) => ({
          tag: "link",
          attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${fileName}` },
          injectTo: "head",
        })),
  },
};

/** The entry opens the connection and then loads the components: the browser should load both at the same time. */
const preloadComponents: Plugin = {
  name: "preload-components",
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
  plugins: [react(), preloadComponents, preloadFonts],
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    // The largest chunk is the C++ grammar, which loads only when C++ is shown.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // The first drawing needs two chunks, each with everything it imports, instead of a dozen small ones.
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
