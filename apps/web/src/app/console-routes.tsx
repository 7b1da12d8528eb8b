/** The console's frame and one address per screen, under /panel. */
import type { RouteObject } from "react-router-dom";
import { RequireRights } from "./require-rights.tsx";
import { type Screen, screens } from "./screens.ts";
import { Shell } from "./shell.tsx";

function screenRoute(screen: Screen): RouteObject {
  return {
    path: screen.id,
    lazy: async () => {
      const { default: Page } = await screen.load();
      return {
        element: (
          <RequireRights screen={screen}>
            <Page />
          </RequireRights>
        ),
      };
    },
  };
}

async function notFound() {
  return { Component: (await import("#features/site/not-found-page.tsx")).default };
}

export const consoleRoutes: RouteObject[] = [
  {
    element: <Shell />,
    children: [...screens.map(screenRoute), { path: "404", lazy: notFound }, { path: "*", lazy: notFound }],
  },
];
