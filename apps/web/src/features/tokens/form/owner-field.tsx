/** The current or new owner of a token. */
import { NumberInput, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { userParams } from "#lib/address/list-queries.ts";
import { initialOf } from "#lib/address/params.ts";
import { usersQuery } from "#lib/queries/users.ts";
import { useMayEnter } from "#lib/session.ts";

type OwnerFieldProps = {
  /** Initial selection. */
  known: { id: number; name: string } | undefined;
  /** 0 without a selection. */
  value: number;
  onChange: (id: number) => void;
  error?: ReactNode;
};

/** By name for users who may see accounts, else by id. */
export function OwnerField({ known, value, onChange, error }: OwnerFieldProps) {
  const { t } = useTranslation("tokens");
  const seesUsers = useMayEnter("users");
  const [typed, setTyped] = useState("");
  const [keyword] = useDebouncedValue(typed.trim().slice(0, 100), 250);
  const { data: found, isPending } = useQuery({
    ...usersQuery({ ...initialOf(userParams), keyword, size: 20, order: "username" }),
    enabled: seesUsers,
    placeholderData: keepPreviousData,
  });
  if (!seesUsers)
    return (
      <NumberInput
        label={t("User ID")}
        min={1}
        allowDecimal={false}
        value={value === 0 ? "" : value}
        error={error}
        onChange={(id) => onChange(Number(id) || (known?.id ?? 0))}
      />
    );
  const options = new Map<number, string>(known ? [[known.id, known.name]] : []);
  for (const { id, username } of found?.data ?? []) options.set(id, username);
  return (
    <Select
      label={t("User")}
      searchable
      // It has the focus when the form opens.
      openOnFocus={false}
      allowDeselect={false}
      checkIconPosition="right"
      nothingFoundMessage={isPending ? t("Loading…") : t("No user matches")}
      data={[...options].map(([id, name]) => ({ value: String(id), label: `${id} · ${name}` }))}
      // The server has already filtered.
      filter={({ options: all }) => all}
      onSearchChange={(text) => setTyped(text.includes(" · ") ? "" : text)}
      value={value === 0 ? null : String(value)}
      error={error}
      onChange={(id) => onChange(Number(id ?? known?.id ?? 0))}
    />
  );
}
