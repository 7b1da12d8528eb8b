/** The frame of the console and one route per screen, under /panel. */
import type { QueryClient } from "@tanstack/react-query";
import { lazy } from "react";
import { Navigate, type RouteObject, useRoutes } from "react-router-dom";
import { loadNamespaces } from "#lib/i18n.ts";
import { selfQuery } from "#lib/session.ts";
import { LoadError } from "#ui/empty.tsx";
import { Shell } from "./frame/shell.tsx";
import { requireLoadable } from "./load-ahead.ts";
import { loadable } from "./loadable.tsx";
import { RequireRights } from "./require-rights.tsx";
import { mayOpen, type Screen, screens } from "./screens.ts";

type LoadPage = Screen["load"];

const landing = "dashboard";

/** Time after which a page appears without the data that would move it, in milliseconds. */
const ABOVE_WITHIN_MS = 1_000;

async function load(screen: Screen, loadPage: LoadPage): ReturnType<LoadPage> {
  requireLoadable(loadPage);
  const [page] = await Promise.all([loadPage(), loadNamespaces(...screen.namespaces)]);
  return page;
}

/** The pages by their path below /panel. */
const pages = new Map<string, { screen: Screen; page: ReturnType<typeof pageOf> }>();

const pageOf = (screen: Screen, loadPage: LoadPage) => loadable(() => load(screen, loadPage));

function screenRoutes(screen: Screen): RouteObject[] {
  const { id, loadOne } = screen;
  const route = (path: string, loadPage: LoadPage): RouteObject => {
    const Page = pageOf(screen, loadPage);
    pages.set(path, { screen, page: Page });
    return {
      path,
      element: (
        <RequireRights screen={screen}>
          <Page />
        </RequireRights>
      ),
    };
  };
  return [route(id, screen.load), ...(loadOne === undefined ? [] : [route(`${id}/:id`, loadOne)])];
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
      <LoadError error={error} onRetry={onRetry} heading />
    </Shell>
  );
}

/** Loads the code of the first screen together with the frame, and its data as soon as the session is known. */
export async function loadScreenOf(address: Location, client: QueryClient): Promise<void> {
  const [, id = landing, one] = /\/panel\/(\w+)(\/.)?/.exec(address.pathname) ?? [];
  const entry = pages.get(one === undefined ? id : `${id}/:id`);
  if (!entry) return;
  const [{ prefetch, prefetchAbove }, self] = await Promise.all([
    entry.page.load(),
    client.ensureQueryData(selfQuery),
  ]);
  if (!self || !mayOpen(entry.screen, self)) return;
  // Other filters need other data.
  if (address.search === "") void prefetch?.(client);
  await Promise.race([
    prefetchAbove?.(client),
    new Promise((resolve) => setTimeout(resolve, ABOVE_WITHIN_MS)),
  ]);
}
