/** All notifications of the user. */
import { inboxKinds } from "@gateway/shared/site/inbox-kinds";
import { Button, Card, Group, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { IconBellOff, IconCheck } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useListParams } from "#lib/address/list-params.ts";
import { inboxParams } from "#lib/address/list-queries.ts";
import { Empty, LoadError } from "#ui/empty.tsx";
import { Page } from "#ui/page/page.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { FilterSelect, NoMatches } from "#ui/table/filters.tsx";
import { inboxQuery, useMarkAllRead } from "./api.ts";
import { EntryList } from "./entry-list.tsx";
import { kindTitles } from "./entry-texts.ts";
import { stateQuery } from "./state.ts";
import { useFreshList } from "./use-fresh-list.ts";

const SIZE = 30;

export default function InboxPage() {
  const { t } = useTranslation("inbox");
  const [filter, setFilter] = useListParams(inboxParams);
  const inbox = useInfiniteQuery(inboxQuery(filter, SIZE));
  const state = useQuery(stateQuery);
  const markAll = useMarkAllRead();
  useFreshList();
  const rows = inbox.data?.pages.flatMap((page) => page.data);
  const kinds = inbox.data?.pages[0]?.kinds ?? [];
  const unread = state.data?.unread ?? 0;
  const { newest = 0 } = state.data ?? {};
  const narrowed = filter.unread === 1 || filter.kind !== "";
  const retry = () => {
    void inbox.refetch();
    void state.refetch();
  };
  return (
    <Page
      title={t("Notifications")}
      description={t("Notifications are kept for 90 days.")}
      actions={
        <Button
          variant="default"
          leftSection={<IconCheck size={16} />}
          disabled={unread === 0}
          loading={markAll.isPending}
          onClick={() => markAll.mutate(newest)}
        >
          {t("Mark all as read")}
        </Button>
      }
    >
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <SegmentedControl
            aria-label={t("Show")}
            value={String(filter.unread)}
            onChange={(value) => setFilter({ unread: Number(value) })}
            data={[
              { value: "0", label: t("All") },
              { value: "1", label: unread > 0 ? t("Unread ({{number}})", { number: unread }) : t("Unread") },
            ]}
          />
          {kinds.length > 1 || filter.kind !== "" ? (
            <FilterSelect
              label={t("Kind")}
              value={filter.kind}
              onChange={(kind) => setFilter({ kind: inboxKinds.find((one) => one === kind) ?? "" })}
              data={Object.entries(kindTitles)
                .filter(([kind]) => kind === filter.kind || kinds.some((each) => each === kind))
                .map(([value, title]) => ({ value, label: t(title) }))}
            />
          ) : null}
        </Group>
        {state.isError || (inbox.error && rows) ? (
          <Group gap="xs" fz="sm" wrap="nowrap" role="status">
            <StatusDot tone="warn">{t("Not up to date")}</StatusDot>
            <Button size="compact-sm" variant="default" onClick={retry}>
              {t("Try again")}
            </Button>
          </Group>
        ) : null}
      </Group>
      <Card padding={0}>
        {inbox.error && !rows ? (
          <LoadError error={inbox.error} onRetry={retry} />
        ) : !rows ? (
          <Stack p="lg" gap="md" aria-busy>
            {[1, 2, 3, 4].map((line) => (
              <Skeleton key={line} height={38} radius="md" />
            ))}
          </Stack>
        ) : rows.length === 0 ? (
          narrowed ? (
            <NoMatches title={t("No results")} onClear={() => setFilter({ unread: 0, kind: "" })} />
          ) : (
            <Empty
              icon={IconBellOff}
              title={t("No notifications yet")}
              hint={t("Changes to your account, payments and refused calls appear here.")}
            />
          )
        ) : (
          <EntryList rows={rows} />
        )}
      </Card>
      {inbox.hasNextPage ? (
        <Group justify="center">
          <Button
            variant="default"
            loading={inbox.isFetchingNextPage}
            onClick={() => void inbox.fetchNextPage()}
          >
            {t("Load more")}
          </Button>
        </Group>
      ) : rows && rows.length > SIZE ? (
        <Text fz="sm" c="dimmed" ta="center">
          {t("End of list.")}
        </Text>
      ) : null}
    </Page>
  );
}
