import { useQuery } from "@tanstack/react-query";
import { Navigate, Outlet, useLocation } from "react-router-dom";
import { selfQuery } from "#lib/session.ts";
import { statusQuery } from "#lib/site.ts";
import { Failed } from "#ui/empty.tsx";

/** Lets signed-in people in; others go to the sign-in screen and come back afterwards. */
export function RequireSession() {
  const location = useLocation();
  const self = useQuery(selfQuery);
  const status = useQuery(statusQuery);
  if (self.data) return <Outlet />;
  if (status.data?.needs_setup && status.dataUpdatedAt > 0) return <Navigate to="/setup" replace />;
  if (self.data === null)
    return <Navigate to={`/login?next=${encodeURIComponent(location.pathname + location.search)}`} replace />;
  if (self.error) return <Failed error={self.error} onRetry={() => void self.refetch()} />;
  return null;
}
