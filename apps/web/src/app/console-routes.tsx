/** The console's frame and one address per screen, under /panel. */
import { lazy } from "react";
import { Navigate, type RouteObject, useRoutes } from "react-router-dom";
import { loadMessagesOf } from "#lib/i18n.ts";
import { ErrorScreen } from "./error-screen.tsx";
import { RequireRights } from "./require-rights.tsx";
import { type Screen, screens } from "./screens.ts";
import { Shell } from "./shell.tsx";

/** Where everyone lands: its words come with those of the frame. */
const landing = "dashboard";

async function load(screen: Screen): ReturnType<Screen["load"]> {
  const [page] = await Promise.all([
    screen.load(),
    loadMessagesOf(screen.id === landing ? "console" : "screens"),
  ]);
  return page;
}

function screenRoute(screen: Screen): RouteObject {
  const Page = lazy(() => load(screen));
  return {
    path: screen.id,
    element: (
      <RequireRights screen={screen}>
        <Page />
      </RequireRights>
    ),
  };
}

const NotFound = lazy(() => import("#features/site/not-found-page.tsx"));

const routes: RouteObject[] = [
  {
    element: <Shell />,
    children: [
      { index: true, element: <Navigate to={landing} replace /> },
      ...screens.map(screenRoute),
      { path: "404", element: <NotFound /> },
      { path: "*", element: <ErrorScreen inside /> },
    ],
  },
];

export function Console() {
  return useRoutes(routes);
}

/** The console's first screen comes with its frame, not after it. */
export async function loadScreenOf(href: string): Promise<void> {
  const id = /\/panel\/(\w+)/.exec(new URL(href).pathname)?.[1] ?? landing;
  const screen = screens.find((each) => each.id === id);
  if (screen) await load(screen);
}
