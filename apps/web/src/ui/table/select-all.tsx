import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Selection } from "./table-model.ts";

type SelectAllProps = { selection: Selection | undefined; rows: string[] | undefined };

/** Extends the selection from the page to all rows of the filter. */
export function SelectAll({ selection, rows }: SelectAllProps) {
  const { t } = useTranslation();
  const [loading, setLoading] = useState(false);
  if (!selection?.all || rows === undefined) return null;
  const { all, keys, onChange } = selection;
  const chosen = new Set(keys);
  const total = all.total ?? 0;
  if (total <= rows.length || keys.length >= total || !rows.every((key) => chosen.has(key))) return null;
  const choose = async () => {
    setLoading(true);
    try {
      onChange(await all.load());
    } catch {
      // The query client has reported it; the selection stays as it was.
    } finally {
      setLoading(false);
    }
  };
  return (
    <Button variant="light" loading={loading} onClick={() => void choose()}>
      {t("Select all {{total}} matching", { total })}
    </Button>
  );
}
