import "@fontsource-variable/inter/index.css";
import "@fontsource-variable/jetbrains-mono/index.css";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "#ui/global.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "#app/app.tsx";
import { printInLightColors } from "#app/frame/print-colors.ts";
import { startFirstPage } from "#app/router.tsx";
import { startI18n } from "#lib/i18n.ts";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

// Zod would test whether it may compile code, which the page's CSP blocks with a console error.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

printInLightColors();
startFirstPage();
await startI18n();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
