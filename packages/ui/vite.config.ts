import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `npm run dev` names the host that the page's WebSocket goes to.
const host = process.env.SIGNALBOX_DEV_HOST;

export default defineConfig({
  plugins: [react()],
  // The biggest chunk is the grammar of C++, which is loaded only when C++ is shown.
  build: { target: "es2023", assetsInlineLimit: 0, chunkSizeWarningLimit: 1000 },
  server:
    host === undefined ? {} : { proxy: { "/ws": { target: host, ws: true, changeOrigin: true }, "/health": host } },
});
