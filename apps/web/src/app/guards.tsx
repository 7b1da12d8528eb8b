import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Navigate, Outlet, useLocation } from "react-router-dom";
import { selfQuery } from "#lib/session.ts";
import { statusQuery } from "#lib/site.ts";
import { Failed } from "#ui/empty.tsx";
import { Boot } from "./boot.tsx";

/**
 * Lets signed-in people in; others go to the sign-in screen and come back afterwards.
 * @param ahead loads what is behind, while the server is still being asked who this is
 */
export function RequireSession({ ahead }: { ahead?: () => Promise<unknown> }) {
  const location = useLocation();
  const self = useQuery(selfQuery);
  const status = useQuery(statusQuery);
  useEffect(() => {
    // Who is let in tries again, and sees what went wrong.
    ahead?.().catch(() => {});
  }, [ahead]);
  if (self.data) return <Outlet />;
  if (status.data?.needs_setup && status.dataUpdatedAt > 0) return <Navigate to="/setup" replace />;
  if (self.data === null)
    return <Navigate to={`/login?next=${encodeURIComponent(location.pathname + location.search)}`} replace />;
  if (self.error) return <Failed error={self.error} onRetry={() => void self.refetch()} />;
  return <Boot />;
}
