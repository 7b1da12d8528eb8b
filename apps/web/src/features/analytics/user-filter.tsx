import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconUser } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { usersQuery } from "./api.ts";

type UserFilterProps = { userId: number; onChange: (userId: number) => void };

/** Everybody, or one person found by name. */
export function UserFilter({ userId, onChange }: UserFilterProps) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  const [text, setText] = useState("");
  const [wanted] = useDebouncedValue(text, 300);
  // The shown name is no search; an address that names a user by id is.
  const keyword = wanted === "" && userId > 0 ? String(userId) : wanted;
  const found = useQuery(usersQuery(keyword)).data?.data ?? [];
  const options = found.map((user) => ({ value: String(user.id), label: user.username }));
  const known = userId === 0 || options.some((option) => option.value === String(userId));
  return (
    <Select
      aria-label={t("Username")}
      placeholder={t("Everybody")}
      leftSection={<IconUser size={15} />}
      w={phone ? "100%" : 180}
      searchable
      clearable
      data={known ? options : [...options, { value: String(userId), label: `#${userId}` }]}
      // The server has searched already, by more than the name.
      filter={({ options: all }) => all}
      onSearchChange={setText}
      value={userId === 0 ? null : String(userId)}
      onChange={(value) => onChange(Number(value ?? 0))}
      nothingFoundMessage={t("Nothing found")}
    />
  );
}
