import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = "http://localhost:3000";

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
