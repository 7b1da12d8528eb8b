import { mayEnter } from "@gateway/shared/roles";
import { Alert } from "@mantine/core";
import { IconEye, IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Navigate, Outlet, useLocation } from "react-router-dom";
import { selfQuery, useSelf } from "#lib/session.ts";
import { statusQuery } from "#lib/site.ts";
import { Empty, Failed } from "#ui/empty.tsx";
import { mayOpen, type Screen } from "./screens.ts";

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

/** The screen, for those who may open it; to those who may only look, it is said that this is so. */
export function RequireRights({ screen, children }: { screen: Screen; children: ReactNode }) {
  const { t } = useTranslation();
  const self = useSelf();
  const { area } = screen;
  if (self && mayOpen(screen, self)) {
    if (area === undefined || area === "audit" || mayEnter(self, area, "edit")) return children;
    return (
      <>
        <Alert color="gray" variant="light" icon={<IconEye size={18} />} mb="md" py="xs">
          {t("You may look at this, but not change it.")}
        </Alert>
        {children}
      </>
    );
  }
  return (
    <Empty
      icon={IconLock}
      title={t("You may not open this screen")}
      hint={t("It is for administrators. Ask one if you need it.")}
    />
  );
}
