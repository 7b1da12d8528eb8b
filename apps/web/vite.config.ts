import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The host stays as the browser sees it: the server refuses changes that come from another origin.
const server = { target: "http://localhost:3000", changeOrigin: false };

export default defineConfig({
  // Addresses are relative to <base href>, which the server sets to its base path.
  base: "./",
  plugins: [react()],
  // Logos stay files: inlined they would be part of the first page.
  build: { target: "es2022", assetsInlineLimit: 0 },
  server: {
    port: 5173,
    proxy: { "/api": server, "/v1": server, "/v1beta": server },
  },
});
