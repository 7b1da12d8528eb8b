import { roleName } from "@gateway/shared/accounts/roles";
import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { phrase } from "#lib/i18n.ts";

/** Names of the roles; translated when displayed. */
export const roleTitles = {
  guest: phrase("Guest"),
  user: phrase("User"),
  reliable: phrase("Trusted user"),
  admin: phrase("Administrator"),
  root: phrase("Super administrator"),
  unknown: phrase("Unknown role"),
} as const;

const colors = {
  guest: "gray",
  user: "gray",
  reliable: "green",
  admin: "iris",
  root: "amber",
  unknown: "gray",
} as const;

export function RoleBadge({ role }: { role: number }) {
  const { t } = useTranslation();
  const name = roleName(role);
  return <Badge color={colors[name]}>{t(roleTitles[name])}</Badge>;
}
