import { ActionIcon, Avatar } from "@mantine/core";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { useSelf } from "#lib/session.ts";
import { LateMenu } from "#ui/floating/late-menu.tsx";

export function UserAvatar({ size }: { size: number }) {
  const self = useSelf();
  const name = self?.display_name || self?.username || "";
  return (
    <Avatar src={self?.avatar_url || null} name={name} alt={name} size={size} color="iris" radius="xl">
      {name.slice(0, 1).toUpperCase()}
    </Avatar>
  );
}

const AccountList = lazy(() =>
  import("./account-list.tsx").then((module) => ({ default: module.AccountList })),
);

/** Settings and sign out. */
export function AvatarMenu() {
  const { t } = useTranslation();
  return (
    <LateMenu Menu={AccountList}>
      <ActionIcon size={40} radius="xl" aria-label={t("Account")}>
        <UserAvatar size={30} />
      </ActionIcon>
    </LateMenu>
  );
}
