/** Which address shows which screen. */
import { createBrowserRouter, Navigate, type RouteObject } from "react-router-dom";
import { basePath } from "#lib/http.ts";
import { ErrorScreen } from "./error-screen.tsx";
import { RequireAction, RequireSession } from "./guards.tsx";
import { PublicFrame, PublicScreen } from "./public-frame.tsx";
import { Root } from "./root.tsx";
import { type Screen, screens } from "./screens.ts";

function screenRoute(screen: Screen): RouteObject {
  return {
    path: screen.id,
    lazy: async () => {
      const { default: Page } = await screen.load();
      return {
        element: (
          <RequireAction action={screen.action}>
            <Page />
          </RequireAction>
        ),
      };
    },
  };
}

/** Loads a public page when it is visited. */
function page(load: () => Promise<{ default: React.ComponentType }>): RouteObject["lazy"] {
  return async () => ({ Component: (await load()).default });
}

const notFound = page(() => import("#features/site/not-found-page.tsx"));

const consoleRoutes: RouteObject = {
  path: "panel",
  element: <RequireSession />,
  children: [
    {
      lazy: async () => ({ Component: (await import("./shell.tsx")).Shell }),
      children: [
        { index: true, element: <Navigate to="dashboard" replace /> },
        ...screens.map(screenRoute),
        { path: "404", lazy: notFound },
        { path: "*", lazy: notFound },
      ],
    },
  ],
};

const publicRoutes: RouteObject = {
  element: <PublicFrame />,
  children: [
    { index: true, lazy: page(() => import("#features/site/home-page.tsx")) },
    { path: "about", lazy: page(() => import("#features/site/about-page.tsx")) },
    { path: "login", lazy: page(() => import("#features/session/login-page.tsx")) },
    { path: "register", lazy: page(() => import("#features/session/register-page.tsx")) },
    { path: "oauth/:provider", lazy: page(() => import("#features/session/callback-page.tsx")) },
    { path: "setup", lazy: page(() => import("#features/session/setup-page.tsx")) },
    {
      path: "price",
      element: <PublicScreen />,
      children: [{ index: true, lazy: page(() => import("#features/model-prices/model-prices-page.tsx")) }],
    },
    {
      path: "playground",
      element: <RequireSession />,
      children: [
        {
          element: <PublicScreen />,
          children: [{ index: true, lazy: page(() => import("#features/playground/playground-page.tsx")) }],
        },
      ],
    },
    { path: "404", lazy: notFound },
  ],
};

export const router = createBrowserRouter(
  [
    {
      element: <Root />,
      errorElement: <ErrorScreen />,
      hydrateFallbackElement: <></>,
      children: [publicRoutes, consoleRoutes, { path: "*", element: <ErrorScreen /> }],
    },
  ],
  { basename: basePath.replace(/\/$/, "") || "/" },
);
