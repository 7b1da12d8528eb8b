import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Navigate, Outlet, useLocation } from "react-router-dom";
import { selfQuery, wasSignedIn } from "#lib/session.ts";
import { statusQuery } from "#lib/site.ts";
import { Failed } from "#ui/empty.tsx";
import { Boot } from "./boot.tsx";

type RequireSessionProps = {
  /** Loads what is behind, while the server is still being asked who this is. */
  ahead?: () => Promise<unknown>;
  /** Shown to those who were signed in here, while the server cannot say who they are. */
  failed?: (error: Error, retry: () => void) => ReactNode;
};

/**
 * Lets signed-in people in; others go to the sign-in screen and come back afterwards.
 */
export function RequireSession({ ahead, failed }: RequireSessionProps) {
  const location = useLocation();
  const self = useQuery({ ...selfQuery, retryOnMount: false });
  // Stays on the page during the next try.
  const [failure, setFailure] = useState<Error | null>(null);
  if (self.error && self.error !== failure) setFailure(self.error);
  const status = useQuery(statusQuery);
  useEffect(() => {
    // Who is let in tries again, and sees what went wrong.
    ahead?.().catch(() => {});
  }, [ahead]);
  if (self.data) return <Outlet />;
  if (status.data?.needs_setup && status.dataUpdatedAt > 0) return <Navigate to="/setup" replace />;
  if (self.data === null)
    return <Navigate to={`/login?next=${encodeURIComponent(location.pathname + location.search)}`} replace />;
  if (failure && !self.data) {
    const retry = () => void self.refetch();
    return failed && wasSignedIn() ? (
      failed(failure, retry)
    ) : (
      <Failed error={failure} onRetry={retry} heading />
    );
  }
  return <Boot />;
}
