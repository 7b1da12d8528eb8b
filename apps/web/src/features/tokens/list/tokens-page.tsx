/** The signed-in user's API keys: limits, restrictions, and the keys themselves. */
import type { CreatedToken, TokenRow } from "@gateway/shared/accounts/token";
import { Button, SegmentedControl } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { useGroupNames } from "#components/group-name.tsx";
import { fetchToken } from "#features/tokens/api.ts";
import { BaseAddress } from "#features/tokens/base-address.tsx";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { tokenParams } from "#lib/address/list-queries.ts";
import { initialOf, oneOf } from "#lib/address/params.ts";
import { useFormat } from "#lib/format/quota.ts";
import { ownBudgetQuery } from "#lib/queries/budgets.ts";
import { tokensQuery } from "#lib/queries/tokens.ts";
import { useCan, useMayEnter } from "#lib/session.ts";
import { Empty } from "#ui/empty.tsx";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { NoMatches, SearchBox } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { BillingTagFilter } from "./billing-tag-filter.tsx";
import { TokenActions } from "./token-actions.tsx";
import { tokenColumns } from "./token-columns.tsx";

const TokenDrawer = lazyPart(() =>
  import("#features/tokens/form/token-form.tsx").then((module) => module.TokenDrawer),
);
const CreatedTokenDialog = lazyPart(() =>
  import("#features/tokens/created-token-dialog.tsx").then((module) => module.CreatedTokenDialog),
);
const AllTokens = lazy(async () => ({ default: (await import("./all-tokens.tsx")).AllTokens }));

/** The owner filter is kept in the address. */
const viewParams = { view: oneOf(["", "all"]) };

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(tokensQuery(initialOf(tokenParams)));
}

export default function TokensPage() {
  const { t } = useTranslation("tokens");
  const [{ view }] = useListParams(viewParams);
  const [, setSearch] = useSearchParams();
  const administers = useMayEnter("tokens");
  const switcher = administers ? (
    <SegmentedControl
      aria-label={t("Tokens of")}
      data={[
        { value: "", label: t("Mine") },
        { value: "all", label: t("All users'") },
      ]}
      value={view}
      // The lists have different filters, so none is kept.
      onChange={(next) => setSearch(next === "" ? {} : { view: next }, { replace: true })}
    />
  ) : null;
  if (administers && view === "all")
    return (
      <LazyBoundary fallback={<Page title={t("Tokens")}>{switcher}</Page>}>
        <AllTokens switcher={switcher} />
      </LazyBoundary>
    );
  return <OwnTokens switcher={switcher} />;
}

function OwnTokens({ switcher }: { switcher: ReactNode }) {
  const { t } = useTranslation("tokens");
  const format = useFormat();
  const tags = useCan("seeBillingTag");
  const [params, setParams] = useListParams(tokenParams);
  const tokens = useQuery(tokensQuery(params));
  const groupName = useGroupNames();
  const edited = useDrawerParam();
  const { open } = edited;
  const rowActions = useCallback(
    (token: TokenRow) => <TokenActions token={token} onEdit={() => open(token.id)} />,
    [open],
  );
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const budgets = useQuery(ownBudgetQuery).data?.tokens;
  const columns = useMemo(
    () => tokenColumns(t, format, groupName, tags, budgets ?? {}),
    [t, format, groupName, tags, budgets],
  );
  const searching = params.keyword !== "" || params.billing_tag !== "";
  const newToken = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => edited.open(NEW)}>
      {t("New token")}
    </Button>
  );
  return (
    <Page
      title={t("Tokens")}
      description={t("API keys of your applications. Create a separate token for each application.")}
      actions={newToken}
    >
      <BaseAddress />
      <DroppedFilters params={tokenParams} />
      <DataTable
        id="tokens"
        views="tokens"
        label={t("Tokens")}
        columns={columns}
        {...pagedList(tokens, params, setParams)}
        rowKey={(token) => String(token.id)}
        onOpen={(token) => edited.open(token.id)}
        rowActions={rowActions}
        toolbar={
          <>
            {switcher}
            <SearchBox
              value={params.keyword}
              onChange={(keyword) => setParams({ keyword })}
              placeholder={t("Search by name")}
            />
            {tags ? (
              <BillingTagFilter
                value={params.billing_tag}
                onChange={(billing_tag) => setParams({ billing_tag })}
              />
            ) : null}
          </>
        }
        empty={
          searching ? (
            <NoMatches
              title={t("No token matches")}
              onClear={() => setParams({ keyword: "", billing_tag: "" })}
            />
          ) : (
            <Empty
              icon={IconKey}
              title={t("No tokens yet")}
              hint={t(
                "Create a token, use it as the API key in your application or SDK, and make the first call.",
              )}
              action={newToken}
            />
          )
        }
      />
      <OpenedRow
        opened={edited}
        rows={tokens.data?.data}
        keyOf={(token) => String(token.id)}
        load={fetchToken}
        create={<TokenDrawer token={undefined} onClose={edited.close} onCreated={setCreated} />}
      >
        {(token) => (
          <TokenDrawer key={token.id} token={token} onClose={edited.close} onCreated={setCreated} />
        )}
      </OpenedRow>
      {created ? <CreatedTokenDialog token={created} onClose={() => setCreated(null)} /> : null}
    </Page>
  );
}
