/** Opens the row named in the address, from the list or fetched. Shows a message when it does not exist. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { NEW, type DrawerParam } from "#lib/address/drawer-param.ts";
import { ApiError } from "#lib/http.ts";
import { restoreRowFocus } from "#ui/table/current-row.ts";
import { RowMissing, RowLoading } from "./opened-row-states.tsx";

type OpenedRowProps<Row> = {
  opened: DrawerParam;
  /** The rows of the list; undefined while it loads. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string;
  /** Fetches a row that is not in the list. Without it the list is complete. */
  load?: (key: string) => Promise<Row | undefined>;
  /** Content for `NEW`; missing for users who may not create a row. */
  create?: ReactNode;
  children: (row: Row) => ReactNode;
};

export function OpenedRow<Row>({ opened, rows, keyOf, load, create, children }: OpenedRowProps<Row>) {
  const { key, close } = opened;
  // Whatever showed the row is gone with its focus.
  useEffect(() => {
    if (key === "") restoreRowFocus();
  }, [key]);
  const listed = key === "" ? undefined : rows?.find((row) => keyOf(row) === key);
  // A row stays open when it leaves the list: a change may exclude it from the filter.
  const [last, setLast] = useState<{ key: string; row: Row } | null>(null);
  if (listed !== undefined && (last?.key !== key || last.row !== listed)) setLast({ key, row: listed });
  if (key === "" && last !== null) setLast(null);
  const row = listed ?? (last?.key === key ? last.row : undefined);
  if (key === "") return null;
  if (key === NEW && create !== undefined) return create;
  if (row !== undefined) return children(row);
  if (rows === undefined) return <RowLoading onClose={close} />;
  if (load === undefined || key === NEW) return <RowMissing onClose={close} />;
  return (
    <LoadedRow key={key} id={key} load={load} onClose={close}>
      {children}
    </LoadedRow>
  );
}

type LoadedRowProps<Row> = {
  id: string;
  load: (key: string) => Promise<Row | undefined>;
  onClose: () => void;
  children: (row: Row) => ReactNode;
};

function LoadedRow<Row>({ id, load, onClose, children }: LoadedRowProps<Row>) {
  const row = useQuery({
    queryKey: ["opened-row", window.location.pathname, id],
    queryFn: async () => ({ row: await load(id) }),
    // A refetch must not change a form while the user types.
    staleTime: Infinity,
    gcTime: 0,
    meta: { quiet: true },
  });
  if (row.data?.row !== undefined) return children(row.data.row);
  if (row.data !== undefined || isRefusal(row.error)) return <RowMissing onClose={onClose} />;
  return <RowLoading onClose={onClose} error={row.error} onRetry={() => void row.refetch()} />;
}

/** Returns whether the server rejected the request for this user; a retry would fail again. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && [400, 403, 404].includes(error.status);
}
