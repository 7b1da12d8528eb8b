/** The root of all screens: follows the address, shows the progress of a navigation, catches errors. */
import { Suspense, useEffect, useLayoutEffect, useRef, useState, useTransition } from "react";
import { Router } from "react-router-dom";
import { currentLocation, followHistory, navigator } from "#lib/address/history.ts";
import { basePath } from "#lib/http.ts";
import { ErrorMessage, ErrorBoundary } from "#ui/error-boundary.tsx";
import { Boot } from "./boot.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { Screens } from "./router.tsx";
import classes from "./root.module.css";

export function Root() {
  const [location, setLocation] = useState(currentLocation);
  // The current page stays visible until the next one is complete.
  const [inProgress, startTransition] = useTransition();
  useLayoutEffect(() => followHistory((next) => startTransition(() => setLocation(next))), []);
  useTopOf(location.pathname);
  return (
    <Router basename={basePath.replace(/\/$/, "") || "/"} location={location} navigator={navigator}>
      {inProgress ? <div className={classes.line} data-page-loading aria-hidden /> : null}
      <ErrorBoundary resetKey={location.key} fallback={brokenFrame}>
        <Suspense fallback={<Boot />}>
          <Screens />
        </Suspense>
      </ErrorBoundary>
      <ConnectionBanner />
    </Router>
  );
}

/** Shown when the frame itself failed to render or to load. */
function brokenFrame(error: unknown, retry: () => void) {
  return (
    <main className={classes.broken}>
      <ErrorMessage error={error} onRetry={retry} heading />
    </main>
  );
}

/** Scrolls each new page to its top. */
function useTopOf(pathname: string): void {
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    window.scrollTo(0, 0);
  }, [pathname]);
}
