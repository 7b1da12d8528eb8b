import { IconUser } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { SearchSelect } from "#components/search-select.tsx";
import { allUsers, findUsers, nameOfUser } from "#lib/queries/users.ts";
import { useMayEnter } from "#lib/session.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";

type UserFilterProps = { userId: number; onChange: (userId: number) => void };

/** All users, or one found by name. Only for those who may list users. */
export function UserFilter({ userId, onChange }: UserFilterProps) {
  const { t } = useTranslation("analytics");
  const phone = useIsPhone();
  if (!useMayEnter("users")) return null;
  return (
    <SearchSelect
      label={t("Username")}
      placeholder={t("All users")}
      leftSection={<IconUser size={15} />}
      w={phone ? "100%" : 180}
      kind={allUsers}
      find={findUsers}
      nameOf={nameOfUser}
      value={userId}
      onChange={onChange}
    />
  );
}
