/** Which address shows which screen. */
import { createBrowserRouter, Navigate, type RouteObject } from "react-router-dom";
import HomePage from "#features/site/home-page.tsx";
import { basePath } from "#lib/http.ts";
import { loadConsoleWords } from "#lib/i18n.ts";
import { ErrorScreen } from "./error-screen.tsx";
import { RequireSession } from "./guards.tsx";
import { PublicFrame, PublicScreen } from "./public-frame.tsx";
import { Root } from "./root.tsx";

/** Loads a public page when it is visited. */
function page(load: () => Promise<{ default: React.ComponentType }>): RouteObject["lazy"] {
  return async () => ({ Component: (await load()).default });
}

/** A screen of the console that visitors may see too. */
function screen(load: () => Promise<{ default: React.ComponentType }>): RouteObject["lazy"] {
  return page(async () => (await Promise.all([load(), loadConsoleWords()]))[0]);
}

/** Its screens arrive when somebody goes there: visitors of the public site never load their list. */
const consoleRoute: RouteObject = {
  id: "console",
  path: "panel",
  element: <RequireSession />,
  children: [{ index: true, element: <Navigate to="dashboard" replace /> }],
};

const publicRoutes: RouteObject = {
  element: <PublicFrame />,
  children: [
    { index: true, element: <HomePage /> },
    { path: "about", lazy: page(() => import("#features/site/about-page.tsx")) },
    { path: "login", lazy: page(() => import("#features/session/login-page.tsx")) },
    { path: "register", lazy: page(() => import("#features/session/register-page.tsx")) },
    { path: "reset", lazy: page(() => import("#features/session/reset-page.tsx")) },
    { path: "user/reset", lazy: page(() => import("#features/session/new-password-page.tsx")) },
    { path: "oauth/:provider", lazy: page(() => import("#features/session/callback-page.tsx")) },
    { path: "setup", lazy: page(() => import("#features/session/setup-page.tsx")) },
    {
      path: "price",
      element: <PublicScreen />,
      children: [{ index: true, lazy: screen(() => import("#features/model-prices/model-prices-page.tsx")) }],
    },
    {
      path: "playground",
      element: <RequireSession />,
      children: [
        {
          element: <PublicScreen />,
          children: [{ index: true, lazy: screen(() => import("#features/playground/playground-page.tsx")) }],
        },
      ],
    },
    { path: "jump", lazy: page(() => import("#features/site/jump-page.tsx")) },
    { path: "404", lazy: page(() => import("#features/site/not-found-page.tsx")) },
  ],
};

export const router = createBrowserRouter(
  [
    {
      element: <Root />,
      errorElement: <ErrorScreen />,
      hydrateFallbackElement: <></>,
      children: [publicRoutes, consoleRoute, { path: "*", element: <ErrorScreen /> }],
    },
  ],
  {
    basename: basePath.replace(/\/$/, "") || "/",
    patchRoutesOnNavigation: async ({ matches, patch }) => {
      if (!matches.some((match) => match.route.id === consoleRoute.id)) return;
      const [{ consoleRoutes }] = await Promise.all([import("./console-routes.tsx"), loadConsoleWords()]);
      patch("console", consoleRoutes);
    },
  },
);
