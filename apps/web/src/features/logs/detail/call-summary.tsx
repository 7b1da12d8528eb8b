/** The route and the bill of a call, without the rest of its page. */
import type { LogRow } from "@gateway/shared/usage/log";
import { useQuery } from "@tanstack/react-query";
import { CallRoute } from "#components/route/call-route.tsx";
import { callQuery } from "#features/logs/api.ts";
import { Halves } from "#ui/page/page.tsx";
import { BillTable } from "./bill-table.tsx";
import { CallFigures } from "./call-figures.tsx";
import { useShownAttempts } from "./shown-attempts.ts";

export function CallSummary({ row: found }: { row: LogRow }) {
  // The account's own list has no attempts.
  const row = useQuery({ ...callQuery(found.request_id), placeholderData: found }).data ?? found;
  const { attempts } = useShownAttempts(row);
  return (
    <>
      <CallFigures row={row} />
      <Halves>
        <div>{attempts ? <CallRoute row={row} attempts={attempts} /> : null}</div>
        <div>{row.bill ? <BillTable row={row} bill={row.bill} /> : null}</div>
      </Halves>
    </>
  );
}
