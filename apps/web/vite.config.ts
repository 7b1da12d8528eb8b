import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The host stays as the browser sees it: the server refuses changes that come from another origin.
const server = { target: "http://localhost:3000", changeOrigin: false };

export default defineConfig({
  // Addresses are relative to <base href>, which the server sets to its base path.
  base: "./",
  plugins: [react()],
  build: {
    target: "es2022",
    // Logos stay files: inlined they would be part of the first page.
    assetsInlineLimit: 0,
    // What most screens share comes in one file; split by itself it would be a hundred of a kilobyte each.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "icons", test: /@tabler/, minShareCount: 2 },
            { name: "common", test: /node_modules/, minShareCount: 8, maxModuleSize: 40_000 },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 600,
  },
  server: {
    port: 5173,
    proxy: { "/api": server, "/v1": server, "/v1beta": server },
  },
});
