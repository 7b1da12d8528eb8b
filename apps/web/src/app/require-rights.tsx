/** Checks the rights for a console screen. Imports the list of screens, which the public site never loads. */
import { can, mayEnter, Role } from "@gateway/shared/accounts/roles";
import { Alert, Button } from "@mantine/core";
import { IconEye, IconLock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ChangesAllowed } from "#lib/changes.ts";
import { useSelf } from "#lib/session.ts";
import { Empty } from "#ui/empty.tsx";
import { mayOpen, type Screen } from "./screens.ts";

/**
 * Shows the screen to users who may open it. Tells users with read access that they cannot change anything.
 */
export function RequireRights({ screen, children }: { screen: Screen; children: ReactNode }) {
  const { t } = useTranslation();
  const self = useSelf();
  const { area } = screen;
  if (self && mayOpen(screen, self)) {
    if (area === undefined || area === "audit" || mayEnter(self, area, "edit")) return children;
    return (
      <ChangesAllowed value={false}>
        <Alert color="gray" variant="light" icon={<IconEye size={18} />} mb="md" py="xs">
          {t("You can view this screen but not make changes.")}
        </Alert>
        {children}
      </ChangesAllowed>
    );
  }
  return (
    <Empty
      icon={IconLock}
      title={t("You do not have access to this screen")}
      hint={
        can(self?.role ?? Role.guest, "administer")
          ? t(
              "Your permissions do not include this area. Contact the super administrator if you need access.",
            )
          : t("Only administrators can open this screen. Contact an administrator if you need access.")
      }
      action={
        <Button component={Link} to="/panel/dashboard">
          {t("Go to the dashboard")}
        </Button>
      }
    />
  );
}
