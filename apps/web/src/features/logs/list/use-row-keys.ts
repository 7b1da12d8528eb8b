/** While a call is open, j and k show the next or previous one. Without one they move between rows, as in every list. */
import type { LogRow } from "@gateway/shared/usage/log";
import { useHotkeys } from "@mantine/hooks";
import { idOfCall } from "#lib/address/call-address.ts";
import type { DrawerParam } from "#lib/address/drawer-param.ts";

type Steps = {
  /** The row of the open call, if the list contains it. */
  row: LogRow | undefined;
  /** Undefined at the ends of the list. */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
};

// The list moves the focus with the same keys.
const shared = { preventDefault: false };

export function useRowKeys(rows: readonly LogRow[] = [], panel: DrawerParam): Steps {
  const at = rows.findIndex((row) => idOfCall(row) === panel.key);
  const stepTo = (row: LogRow | undefined) =>
    at < 0 || row === undefined ? undefined : () => panel.replace(idOfCall(row));
  const onPrevious = stepTo(rows[at - 1]);
  const onNext = stepTo(rows[at + 1]);
  useHotkeys([
    ["j", () => onNext?.(), shared],
    ["k", () => onPrevious?.(), shared],
  ]);
  return { row: rows[at], onPrevious, onNext };
}
