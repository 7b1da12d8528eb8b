/** The frame of the console and one route per screen, under /panel. */
import { type ComponentType, lazy, type LazyExoticComponent } from "react";
import { Navigate, type RouteObject, useRoutes } from "react-router-dom";
import { loadScreenMessages } from "#lib/screen-messages.ts";
import { Failed } from "#ui/empty.tsx";
import { requireLoadable } from "./load-ahead.ts";
import { RequireRights } from "./require-rights.tsx";
import { type Screen, screens } from "./screens.ts";
import { Shell } from "./shell.tsx";

type LoadPage = Screen["load"];

const landing = "dashboard";

async function load(screen: Screen, loadPage: LoadPage = screen.load): ReturnType<LoadPage> {
  requireLoadable(loadPage);
  const [page] = await Promise.all([loadPage(), loadScreenMessages(screen.messages)]);
  return page;
}

function screenRoutes(screen: Screen): RouteObject[] {
  const { id, loadOne } = screen;
  const route = (path: string, Page: LazyExoticComponent<ComponentType>): RouteObject => ({
    path,
    element: (
      <RequireRights screen={screen}>
        <Page />
      </RequireRights>
    ),
  });
  return [
    route(
      id,
      lazy(() => load(screen)),
    ),
    ...(loadOne === undefined
      ? []
      : [
          route(
            `${id}/:id`,
            lazy(() => load(screen, loadOne)),
          ),
        ]),
  ];
}

const NotFound = lazy(() => import("#features/site/not-found-page.tsx"));

const routes: RouteObject[] = [
  {
    element: <Shell />,
    children: [
      { index: true, element: <Navigate to={landing} replace /> },
      ...screens.flatMap(screenRoutes),
      { path: "404", element: <NotFound /> },
      { path: "*", element: <NotFound /> },
    ],
  },
];

export function Console() {
  return useRoutes(routes);
}

/** The frame without a screen, for when the session could not be loaded. */
export function ClosedConsole({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Shell>
      <Failed error={error} onRetry={onRetry} heading />
    </Shell>
  );
}

/** Loads the code of the first screen together with the frame. */
export async function loadScreenOf(href: string): Promise<void> {
  const [, id = landing, one] = /\/panel\/(\w+)(\/.)?/.exec(new URL(href).pathname) ?? [];
  const screen = screens.find((each) => each.id === id);
  if (screen) await load(screen, one === undefined ? screen.load : screen.loadOne);
}
