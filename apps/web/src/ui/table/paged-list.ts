/** Props of the table for a server-paged list: rows, order, pages, error. */
import type { Page } from "@gateway/shared/paging";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Paging } from "./pager.tsx";

type ListState = { page: number; size: number; order: string };

/** @param setState the setter of `useListParams`, which updates the address */
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
