/** The routes of the app. */
import { type ComponentType, lazy, memo } from "react";
import { Navigate, type RouteObject, useLocation, useRoutes } from "react-router-dom";
import { basePath } from "#lib/http.ts";
import { consoleMessages, loadMessagesOf, type MessageFiles, type Messages } from "#lib/i18n.ts";
import { selfQuery } from "#lib/session.ts";
import { statusQuery } from "#lib/site.ts";
import { RequireSession } from "./guards.tsx";
import { loadable } from "./loadable.tsx";
import { queryClient } from "./providers.tsx";
import { PublicFrame, PublicScreen } from "./public-frame.tsx";

type Load = () => Promise<{ default: ComponentType }>;

/** Messages of the public pages. Those of the console's other screens are listed with them. */
const messages = {
  site: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=site", import: "default" }),
  login: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=login", import: "default" }),
  session: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=session", import: "default" }),
  models: import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=model-prices",
    import: "default",
  }),
  connect: import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=connect",
    import: "default",
  }),
  migration: import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=migration",
    import: "default",
  }),
  help: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=help", import: "default" }),
  playground: import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=playground",
    import: "default",
  }),
  tokens: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=tokens", import: "default" }),
};

/** A page whose code and messages are loaded on the first visit. */
function page(load: Load, ...parts: MessageFiles[]): RouteObject["element"] {
  const Page = lazy(async () => (await Promise.all([load(), loadMessagesOf(...parts)]))[0]);
  return <Page />;
}

const sitePage = (load: Load) => page(load, messages.site);
const sessionPage = (load: Load) => page(load, messages.session);

/** A console screen that visitors may see too. */
const screen = (load: Load, part: MessageFiles) => page(load, consoleMessages, part);

/** Loads the console and its screens on the first visit. The public site never loads their list. */
async function loadConsole() {
  const [Console] = await Promise.all([loadRoutes(), loadMessagesOf(consoleMessages)]);
  return { default: Console };
}

async function loadRoutes() {
  const { Console, loadScreenOf } = await import("./console-routes.tsx");
  // The frame stays: the content area of the screen shows the error.
  await loadScreenOf(window.location, queryClient).catch(() => {});
  return Console;
}

const Console = loadable(loadConsole);
const ClosedConsole = lazy(async () => {
  const [{ ClosedConsole }] = await Promise.all([
    import("./console-routes.tsx"),
    loadMessagesOf(consoleMessages),
  ]);
  return { default: ClosedConsole };
});

function closedConsole(error: Error, retry: () => void) {
  return <ClosedConsole error={error} onRetry={retry} />;
}

const notFound = sitePage(() => import("#features/site/not-found-page.tsx"));

const loadHome = () => import("#features/site/home-page.tsx");
const HomePage = lazy(loadHome);

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
    { index: true, element: <HomePage /> },
    { path: "about", element: sitePage(() => import("#features/site/about-page.tsx")) },
    { path: "status", element: sitePage(() => import("#features/site/status-page.tsx")) },
    { path: "login", element: page(() => import("#features/session/login-page.tsx"), messages.login) },
    { path: "register", element: sessionPage(() => import("#features/session/register-page.tsx")) },
    { path: "reset", element: sessionPage(() => import("#features/session/reset-page.tsx")) },
    { path: "user/reset", element: sessionPage(() => import("#features/session/new-password-page.tsx")) },
    { path: "oauth/:provider", element: sessionPage(() => import("#features/session/callback-page.tsx")) },
    { path: "setup", element: sessionPage(() => import("#features/session/setup-page.tsx")) },
    {
      path: "setup/import",
      element: screen(() => import("#features/migration/wizard-page.tsx"), messages.migration),
    },
    {
      path: "price",
      element: <PublicScreen />,
      children: [
        {
          index: true,
          element: screen(() => import("#features/model-prices/model-prices-page.tsx"), messages.models),
        },
      ],
    },
    {
      path: "models",
      element: <PublicScreen />,
      children: [
        { index: true, element: <OtherAddress of="/price" /> },
        {
          path: ":id",
          element: screen(() => import("#features/model-prices/model-page.tsx"), messages.models),
        },
      ],
    },
    {
      path: "help",
      element: <PublicScreen />,
      children: ["", ":id"].map((path) => ({
        path,
        element: screen(() => import("#features/help/help-page.tsx"), messages.help),
      })),
    },
    {
      path: "connect",
      element: <PublicScreen />,
      children: [
        {
          index: true,
          element: screen(() => import("#features/connect/connect-page.tsx"), messages.connect),
        },
      ],
    },
    {
      path: "playground",
      element: <RequireSession />,
      children: [
        {
          element: <PublicScreen />,
          children: [
            {
              index: true,
              element: screen(() => import("#features/playground/playground-page.tsx"), messages.playground),
            },
          ],
        },
      ],
    },
    {
      path: "device",
      element: <RequireSession />,
      children: [
        {
          element: <PublicScreen />,
          children: [
            {
              index: true,
              element: screen(() => import("#features/tokens/device-page.tsx"), messages.tokens),
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
