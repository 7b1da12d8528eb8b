/** The route and the bill of a call, without the rest of its page. */
import type { LogRow } from "@gateway/shared/usage/log";
import { useQuery } from "@tanstack/react-query";
import { CallRoute } from "#components/route/call-route.tsx";
import { callQuery } from "#features/logs/api.ts";
import { Halves } from "#ui/page/page.tsx";
import { BillTable } from "./bill-table.tsx";
import { CallFigures } from "./call-figures.tsx";

export function CallSummary({ row: found }: { row: LogRow }) {
  // The account's own list names no channels.
  const row = useQuery({ ...callQuery(found.request_id), placeholderData: found }).data ?? found;
  return (
    <>
      <CallFigures row={row} />
      <Halves>
        <div>{row.attempts ? <CallRoute row={row} attempts={row.attempts} /> : null}</div>
        <div>{row.bill ? <BillTable row={row} bill={row.bill} /> : null}</div>
      </Halves>
    </>
  );
}
