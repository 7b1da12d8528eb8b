/** The routes of the app. */
import { type ComponentType, lazy, memo } from "react";
import { Navigate, type RouteObject, useLocation, useRoutes } from "react-router-dom";
import { basePath } from "#lib/http.ts";
import { loadNamespaces } from "#lib/i18n.ts";
import { selfQuery } from "#lib/session.ts";
import { statusQuery } from "#lib/site.ts";
import { RequireSession } from "./guards.tsx";
import { loadable } from "./loadable.tsx";
import { queryClient } from "./providers.tsx";
import { PublicFrame, PublicScreen } from "./public-frame.tsx";

type Load = () => Promise<{ default: ComponentType }>;

/** A page whose code and messages are loaded on the first visit. */
function page(load: Load, ...namespaces: string[]): RouteObject["element"] {
  const Page = lazy(async () => (await Promise.all([load(), loadNamespaces(...namespaces)]))[0]);
  return <Page />;
}

const sitePage = (load: Load) => page(load, "site");
const sessionPage = (load: Load) => page(load, "session");

/** Loads the console and its screens on the first visit. The public site never loads their list. */
async function loadConsole() {
  const { Console, loadScreenOf } = await import("./console-routes.tsx");
  // The frame stays: the content area of the screen shows the error.
  await loadScreenOf(window.location, queryClient).catch(() => {});
  return { default: Console };
}

const Console = loadable(loadConsole);
const ClosedConsole = lazy(() =>
  import("./console-routes.tsx").then((module) => ({ default: module.ClosedConsole })),
);

function closedConsole(error: Error, retry: () => void) {
  return <ClosedConsole error={error} onRetry={retry} />;
}

const notFound = sitePage(() => import("#features/site/not-found-page.tsx"));

const loadHome = () => import("#features/site/home-page.tsx");

/** Starts what the page at the current address needs, in parallel with the messages. */
export function startFirstPage(): void {
  const { pathname } = window.location;
  void queryClient.prefetchQuery(statusQuery);
  if (pathname === basePath) void loadHome().catch(() => {});
  if (!/^panel(\/|$)/.test(pathname.slice(basePath.length))) return;
  void queryClient.prefetchQuery(selfQuery);
  void Console.load().catch(() => {});
}

const publicRoutes: RouteObject = {
  element: <PublicFrame />,
  children: [
    { index: true, element: sitePage(loadHome) },
    { path: "about", element: sitePage(() => import("#features/site/about-page.tsx")) },
    { path: "status", element: sitePage(() => import("#features/site/status-page.tsx")) },
    { path: "login", element: sessionPage(() => import("#features/session/login-page.tsx")) },
    { path: "register", element: sessionPage(() => import("#features/session/register-page.tsx")) },
    { path: "reset", element: sessionPage(() => import("#features/session/reset-page.tsx")) },
    { path: "user/reset", element: sessionPage(() => import("#features/session/new-password-page.tsx")) },
    { path: "oauth/:provider", element: sessionPage(() => import("#features/session/callback-page.tsx")) },
    { path: "oauth/oidc/:slug", element: sessionPage(() => import("#features/session/callback-page.tsx")) },
    { path: "setup", element: sessionPage(() => import("#features/session/setup-page.tsx")) },
    {
      path: "setup/import",
      element: page(() => import("#features/migration/wizard-page.tsx"), "migration"),
    },
    {
      element: <PublicScreen />,
      children: [
        {
          path: "price",
          element: page(() => import("#features/model-prices/model-prices-page.tsx"), "model-prices"),
        },
        { path: "models", element: <OtherAddress of="/price" /> },
        {
          path: "models/:id",
          element: page(() => import("#features/model-prices/model-page.tsx"), "model-prices"),
        },
        ...["help", "help/:id"].map((path) => ({
          path,
          element: page(() => import("#features/help/help-page.tsx"), "help"),
        })),
        { path: "connect", element: page(() => import("#features/connect/connect-page.tsx"), "connect") },
        {
          path: "share/:secret",
          element: page(() => import("#features/logs/share/shared-call-page.tsx"), "logs"),
        },
      ],
    },
    {
      element: <RequireSession />,
      children: [
        {
          element: <PublicScreen />,
          children: [
            {
              path: "playground",
              element: page(() => import("#features/playground/playground-page.tsx"), "playground"),
            },
            {
              path: "device",
              element: page(() => import("#features/tokens/device/device-page.tsx"), "tokens"),
            },
          ],
        },
      ],
    },
    { path: "jump", element: sitePage(() => import("#features/site/jump-page.tsx")) },
    { path: "404", element: notFound },
    { path: "*", element: notFound },
  ],
};

/** Redirects another address of a page and keeps its query string. */
function OtherAddress({ of }: { of: string }) {
  return <Navigate to={{ pathname: of, search: useLocation().search }} replace />;
}

const routes: RouteObject[] = [
  publicRoutes,
  {
    path: "panel",
    element: <RequireSession ahead={Console.load} failed={closedConsole} />,
    children: [
      { index: true, element: <OtherAddress of="/panel/dashboard" /> },
      { path: "*", element: <Console /> },
    ],
  },
];

/** Not rendered again when the root only shows that a navigation is in progress. */
export const Screens = memo(() => useRoutes(routes));
