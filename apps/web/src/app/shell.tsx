/** The console around a screen: header, menu, breadcrumbs. Knows the screens, not what is on them. */
import { Drawer, Skeleton } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { ModalsProvider } from "@mantine/modals";
import { type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Outlet, useLocation } from "react-router-dom";
import { Broken, ErrorBoundary } from "#ui/error-boundary.tsx";
import { useIsNarrow } from "#ui/use-is-phone.ts";
import { Brand } from "./brand.tsx";
import { ConsoleHeader } from "./console-header.tsx";
import { Crumbs } from "./crumbs.tsx";
import { LateDialogs } from "./late-dialogs.tsx";
import { SideMenu } from "./side-menu.tsx";
import classes from "./shell.module.css";

/** @param children in place of the screen of the address */
export function Shell({ children }: { children?: ReactNode }) {
  const { t } = useTranslation();
  const narrow = useIsNarrow();
  const { pathname, key } = useLocation();
  const [wide, setWide] = useLocalStorage({
    key: "opened",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  // The temporary drawer belongs to the page it was opened on, so going elsewhere closes it.
  const [drawerAt, setDrawerAt] = useState("");
  const drawer = narrow && drawerAt === pathname;
  const [searches, setSearches] = useState(0);
  const search = () => setSearches((count) => count + 1);
  const closeDrawer = () => setDrawerAt("");

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
          <Drawer
            opened={drawer}
            onClose={closeDrawer}
            size={260}
            padding={0}
            title={<Brand />}
            classNames={{ header: classes.drawerHead, body: classes.drawerBody, content: classes.drawer }}
          >
            <SideMenu rail={false} onChoose={closeDrawer} />
          </Drawer>
        ) : (
          <aside className={classes.side}>
            <SideMenu rail={!wide} />
          </aside>
        )}
        <main id="content" className={classes.main} tabIndex={-1}>
          <div className={classes.content}>
            <Crumbs />
            <ErrorBoundary resetKey={key} shown={brokenScreen}>
              <Suspense fallback={<ScreenSkeleton />}>{children ?? <Outlet />}</Suspense>
            </ErrorBoundary>
          </div>
        </main>
        <LateDialogs requests={searches} onSearch={search} />
      </div>
    </ModalsProvider>
  );
}

function brokenScreen(error: unknown, retry: () => void) {
  return <Broken error={error} onRetry={retry} heading />;
}

/** Keeps the place of a screen whose code is on its way. */
function ScreenSkeleton() {
  return (
    <div aria-busy>
      <Skeleton height={30} width={180} mb="lg" />
      <Skeleton height={320} radius="lg" />
    </div>
  );
}
