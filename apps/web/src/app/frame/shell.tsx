/** The frame of the console: header, menu, breadcrumbs. Independent of the content of screens. */
import { Skeleton } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { ModalsProvider } from "@mantine/modals";
import { type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Outlet, useLocation } from "react-router-dom";
import { GlobalDialogs } from "#app/global-dialogs.tsx";
import { useScreensAhead } from "#app/load-ahead.ts";
import { MenuDrawer } from "#app/menu/menu-drawer.tsx";
import { SideMenu } from "#app/menu/side-menu.tsx";
import { ErrorMessage, ErrorBoundary } from "#ui/error-boundary.tsx";
import { useIsNarrow } from "#ui/use-is-phone.ts";
import { ConsoleHeader } from "./console-header.tsx";
import { Crumbs } from "./crumbs.tsx";
import classes from "./shell.module.css";

/** @param children content in place of the current route's screen */
export function Shell({ children }: { children?: ReactNode }) {
  const { t } = useTranslation();
  const narrow = useIsNarrow();
  const { pathname, key } = useLocation();
  useScreensAhead();
  const [wide, setWide] = useLocalStorage({
    key: "opened",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  // The drawer belongs to the page it was opened on. A navigation closes it.
  const [drawerAt, setDrawerAt] = useState("");
  const drawer = narrow && drawerAt === pathname;
  const [searches, setSearches] = useState(0);
  const search = () => setSearches((count) => count + 1);

  return (
    <ModalsProvider>
      <div className={classes.shell} data-rail={(!wide && !narrow) || undefined}>
        <a className="skip-link" href="#content">
          {t("Skip to content")}
        </a>
        <ConsoleHeader
          menuOpen={narrow ? drawer : wide}
          onToggleMenu={() => (narrow ? setDrawerAt(drawer ? "" : pathname) : setWide((open) => !open))}
          onSearch={search}
        />
        {narrow ? (
          <MenuDrawer opened={drawer} onClose={() => setDrawerAt("")} />
        ) : (
          <aside className={classes.side}>
            <SideMenu rail={!wide} />
          </aside>
        )}
        <main id="content" className={classes.main} tabIndex={-1}>
          <div className={classes.content}>
            <Crumbs />
            <ErrorBoundary resetKey={key} fallback={brokenScreen}>
              <Suspense fallback={<ScreenSkeleton />}>{children ?? <Outlet />}</Suspense>
            </ErrorBoundary>
          </div>
        </main>
        <GlobalDialogs requests={searches} onSearch={search} />
      </div>
    </ModalsProvider>
  );
}

function brokenScreen(error: unknown, retry: () => void) {
  return <ErrorMessage error={error} onRetry={retry} heading />;
}

/** Placeholder of a screen whose code is loading. */
function ScreenSkeleton() {
  return (
    <div aria-busy>
      <Skeleton height={30} width={180} mb="lg" />
      <Skeleton height={320} radius="lg" />
    </div>
  );
}
