/** What a list that the server pages hands to its table: rows, order, pages, failure. */
import type { Page } from "@gateway/shared/paging";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Paging } from "./pager.tsx";

type ListState = { page: number; size: number; order: string };

/** @param setState changes the address bar, as `useListParams` gives it */
export function pagedList<Row>(
  list: UseQueryResult<Page<Row>>,
  { page, size, order }: ListState,
  setState: (patch: Partial<ListState>) => void,
) {
  const paging: Paging = { kind: "pages", page, size, total: list.data?.total_count, onChange: setState };
  return {
    rows: list.data?.data,
    fetching: list.isPlaceholderData,
    error: list.error,
    onRetry: () => void list.refetch(),
    order,
    onOrder: (next: string) => setState({ order: next }),
    paging,
  };
}
