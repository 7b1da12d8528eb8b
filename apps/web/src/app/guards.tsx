import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Navigate, Outlet, useLocation } from "react-router-dom";
import { selfQuery, wasSignedIn } from "#lib/session.ts";
import { statusQuery } from "#lib/site.ts";
import { LoadError } from "#ui/empty.tsx";
import { Boot } from "./boot.tsx";

type RequireSessionProps = {
  /** Loads the guarded screen while the session request is pending. */
  ahead?: () => Promise<unknown>;
  /** Shown to users who were signed in here while the session cannot be loaded. */
  failed?: (error: Error, retry: () => void) => ReactNode;
};

/** Admits signed-in users. Redirects others to the sign-in screen, which returns them afterwards. */
export function RequireSession({ ahead, failed }: RequireSessionProps) {
  const location = useLocation();
  const self = useQuery({ ...selfQuery, retryOnMount: false });
  // The failure stays visible during the next try.
  const [failure, setFailure] = useState<Error | null>(null);
  if (self.error && self.error !== failure) setFailure(self.error);
  const status = useQuery(statusQuery);
  // A user who has just signed in keeps the page before until the console is complete.
  const [ready, setReady] = useState(ahead === undefined || Boolean(self.data));
  useEffect(() => {
    // An error here is ignored: the screen itself retries and shows it.
    ahead?.()
      .catch(() => {})
      .finally(() => setReady(true));
  }, [ahead]);
  if (self.data && ready) return <Outlet />;
  if (self.data) return <Boot />;
  if (status.data?.needs_setup && status.dataUpdatedAt > 0) return <Navigate to="/setup" replace />;
  if (self.data === null)
    return <Navigate to={`/login?next=${encodeURIComponent(location.pathname + location.search)}`} replace />;
  if (failure && !self.data) {
    const retry = () => void self.refetch();
    return failed && wasSignedIn() ? (
      failed(failure, retry)
    ) : (
      <LoadError error={failure} onRetry={retry} heading />
    );
  }
  return <Boot />;
}
