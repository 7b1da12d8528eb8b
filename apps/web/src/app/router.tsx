/** The routes of the app. */
import { type ComponentType, lazy } from "react";
import { Navigate, type RouteObject, useLocation, useRoutes } from "react-router-dom";
import { basePath } from "#lib/http.ts";
import { loadMessagesOf } from "#lib/i18n.ts";
import { RequireSession } from "./guards.tsx";
import { PublicFrame, PublicScreen } from "./public-frame.tsx";

type Load = () => Promise<{ default: ComponentType }>;

/** A page whose code and messages are loaded on the first visit. */
function page(load: Load, messages: "site" | "screens" = "site"): RouteObject["element"] {
  const Page = lazy(async () => (await Promise.all([load(), loadMessagesOf(messages)]))[0]);
  return <Page />;
}

/** A console screen that visitors may see too. */
function screen(load: Load): RouteObject["element"] {
  return page(load, "screens");
}

/** Loads the console and its screens on the first visit. The public site never loads their list. */
async function loadConsole() {
  const [{ Console, loadScreenOf }] = await Promise.all([
    import("./console-routes.tsx"),
    loadMessagesOf("console"),
  ]);
  // The frame stays: the content area of the screen shows the error.
  await loadScreenOf(window.location.href).catch(() => {});
  return { default: Console };
}

const Console = lazy(loadConsole);
const ClosedConsole = lazy(async () => {
  const [{ ClosedConsole }] = await Promise.all([import("./console-routes.tsx"), loadMessagesOf("console")]);
  return { default: ClosedConsole };
});

function closedConsole(error: Error, retry: () => void) {
  return <ClosedConsole error={error} onRetry={retry} />;
}

const notFound = page(() => import("#features/site/not-found-page.tsx"));

const loadHome = () => import("#features/site/home-page.tsx");
const HomePage = lazy(loadHome);
// Loads in parallel with the messages.
if (window.location.pathname === basePath) void loadHome().catch(() => {});

const publicRoutes: RouteObject = {
  element: <PublicFrame />,
  children: [
    { index: true, element: <HomePage /> },
    { path: "about", element: page(() => import("#features/site/about-page.tsx")) },
    { path: "status", element: page(() => import("#features/site/status-page.tsx"), "screens") },
    { path: "login", element: page(() => import("#features/session/login-page.tsx")) },
    { path: "register", element: page(() => import("#features/session/register-page.tsx")) },
    { path: "reset", element: page(() => import("#features/session/reset-page.tsx")) },
    { path: "user/reset", element: page(() => import("#features/session/new-password-page.tsx")) },
    { path: "oauth/:provider", element: page(() => import("#features/session/callback-page.tsx")) },
    { path: "setup", element: page(() => import("#features/session/setup-page.tsx")) },
    { path: "setup/import", element: page(() => import("#features/migration/wizard-page.tsx"), "screens") },
    {
      path: "models",
      element: <PublicScreen />,
      children: [
        { index: true, element: screen(() => import("#features/model-prices/model-prices-page.tsx")) },
        { path: ":id", element: screen(() => import("#features/model-prices/model-page.tsx")) },
      ],
    },
    {
      path: "help",
      element: <PublicScreen />,
      children: ["", ":id"].map((path) => ({
        path,
        element: screen(() => import("#features/help/help-page.tsx")),
      })),
    },
    {
      path: "connect",
      element: <PublicScreen />,
      children: [{ index: true, element: screen(() => import("#features/connect/connect-page.tsx")) }],
    },
    { path: "price", element: <EarlierAddress of="/models" /> },
    {
      path: "playground",
      element: <RequireSession />,
      children: [
        {
          element: <PublicScreen />,
          children: [
            { index: true, element: screen(() => import("#features/playground/playground-page.tsx")) },
          ],
        },
      ],
    },
    { path: "jump", element: page(() => import("#features/site/jump-page.tsx")) },
    { path: "404", element: notFound },
    { path: "*", element: notFound },
  ],
};

/** Redirects an earlier address of a page and keeps its query string. */
function EarlierAddress({ of }: { of: string }) {
  return <Navigate to={{ pathname: of, search: useLocation().search }} replace />;
}

const routes: RouteObject[] = [
  publicRoutes,
  {
    path: "panel",
    element: <RequireSession ahead={loadConsole} failed={closedConsole} />,
    children: [{ path: "*", element: <Console /> }],
  },
];

export function Screens() {
  return useRoutes(routes);
}
