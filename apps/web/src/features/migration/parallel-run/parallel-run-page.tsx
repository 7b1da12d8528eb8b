/** Parallel run: a share of the traffic goes through here to the old gateway, and each charge is compared. */
import type { ComparisonEvent, ComparisonForm as Form, ComparisonRow } from "@gateway/shared/site/comparison";
import { Alert, Anchor, Button, Group, Loader, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconArrowsDiff } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";
import { FailureText } from "#features/migration/failure-text.tsx";
import { errorReason } from "#lib/errors/error-text.ts";
import { formatTime, useFormat } from "#lib/format/quota.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { Empty, LoadError } from "#ui/empty.tsx";
import { Line, LineList } from "#ui/line-list.tsx";
import { Page, Section } from "#ui/page/page.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { comparableQuery, compare, comparisonQuery, comparisonsQuery } from "./api.ts";
import { ComparisonForm, type ComparisonDraft, emptyComparison } from "./comparison-form.tsx";
import { ComparisonResult } from "./comparison-report.tsx";
import { agreementOf, agreementText } from "./labels.ts";

export default function ParallelRunPage() {
  const { t } = useTranslation("migration");
  const [search, setSearch] = useSearchParams();
  const chosen = Number(search.get("report") ?? 0);
  const open = (id: number) => setSearch({ report: String(id) });
  return (
    <Page
      title={t("Parallel run")}
      description={
        <>
          {withSpace(
            t(
              "Send some of your calls to the old gateway through a channel, and compare what both gateways charge for each call.",
            ),
          )}
          <Anchor component={Link} to="/panel/help/migration" fz="inherit">
            {t("How to set it up")}
          </Anchor>
        </>
      }
    >
      <NewComparison onDone={open} />
      {chosen > 0 ? <OneComparison key={chosen} id={chosen} /> : null}
      <EarlierComparisons chosen={chosen} onOpen={open} />
    </Page>
  );
}

type State =
  | { name: "idle" }
  | { name: "running"; rows: number }
  | { name: "failed"; failure: Extract<ComparisonEvent, { type: "failed" }>["failure"] }
  | { name: "rejected"; error: unknown };

function NewComparison({ onDone }: { onDone: (id: number) => void }) {
  const { t } = useTranslation("migration");
  const client = useQueryClient();
  const { whole } = useFormat();
  const products = useQuery(comparableQuery);
  const earlier = useQuery(comparisonsQuery).data;
  const [changed, setChanged] = useState<ComparisonDraft | null>(null);
  const [state, setState] = useState<State>({ name: "idle" });
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);

  async function run(form: Form) {
    const going = new AbortController();
    stop.current = going;
    setState({ name: "running", rows: 0 });
    let end: ComparisonEvent | undefined;
    try {
      await compare(form, going.signal, (event) => {
        if (event.type === "progress") setState({ name: "running", rows: event.there });
        else end = event;
      });
      if (end?.type === "failed") return setState({ name: "failed", failure: end.failure });
      if (end?.type !== "done") throw new TypeError("The connection was lost.");
      setState({ name: "idle" });
      await client.invalidateQueries({ queryKey: comparisonsQuery.queryKey });
      onDone(end.id);
    } catch (error) {
      setState(going.signal.aborted ? { name: "idle" } : { name: "rejected", error });
    }
  }

  return (
    <Section title={t("New comparison")} hint={t("Neither gateway is changed.")}>
      {products.isError ? (
        <LoadError error={products.error} onRetry={() => void products.refetch()} />
      ) : products.data === undefined ? (
        <Skeleton h={{ base: 800, sm: 408 }} />
      ) : (
        <ComparisonForm
          products={products.data}
          draft={changed ?? draftFrom(earlier?.[0])}
          onChange={setChanged}
          running={state.name === "running"}
          onSubmit={(form) => void run(form)}
        >
          {state.name === "running" ? (
            <Group gap="sm" justify="space-between">
              <Group gap="sm" role="status">
                <Loader size={16} />
                <Text fz="sm">
                  {t("Comparing. Rows read from the old gateway: {{rows}}", { rows: whole(state.rows) })}
                </Text>
              </Group>
              <Button variant="default" size="xs" onClick={() => stop.current.abort()}>
                {t("Cancel")}
              </Button>
            </Group>
          ) : state.name === "idle" ? null : (
            <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
              {state.name === "failed" ? (
                <FailureText failure={state.failure} />
              ) : (
                errorReason(state.error, t)
              )}
            </Alert>
          )}
        </ComparisonForm>
      )}
    </Section>
  );
}

/** The newest comparison is likely to be repeated. Its credentials were not kept. */
function draftFrom(row: ComparisonRow | undefined): ComparisonDraft {
  if (row === undefined) return emptyComparison;
  return { ...emptyComparison, product: row.product, channel: row.channel.id, keyName: row.key_name };
}

function OneComparison({ id }: { id: number }) {
  const place = useRef<HTMLDivElement>(null);
  const detail = useQuery(comparisonQuery(id));
  const isLoaded = detail.data !== undefined;
  useEffect(() => {
    if (isLoaded) place.current?.scrollIntoView({ block: "start" });
  }, [isLoaded]);
  return (
    <div ref={place} style={{ scrollMarginTop: 72 }}>
      {detail.data !== undefined ? (
        <ComparisonResult detail={detail.data} />
      ) : (
        <Section>
          {detail.isError ? (
            <LoadError error={detail.error} onRetry={() => void detail.refetch()} />
          ) : (
            <Skeleton height={240} />
          )}
        </Section>
      )}
    </div>
  );
}

function EarlierComparisons({ chosen, onOpen }: { chosen: number; onOpen: (id: number) => void }) {
  const { t } = useTranslation("migration");
  const rows = useQuery(comparisonsQuery);
  return (
    <Section title={t("Comparisons")} hint={t("The newest 20 are kept.")}>
      {rows.isPending ? (
        <Skeleton height={90} />
      ) : rows.isError ? (
        <LoadError error={rows.error} onRetry={() => void rows.refetch()} />
      ) : rows.data.length === 0 ? (
        <Empty
          compact
          icon={IconArrowsDiff}
          title={t("No comparisons yet")}
          hint={t(
            "Create a key in the old gateway and a channel here that uses it. Send some calls through the channel, then compare.",
          )}
        />
      ) : (
        <LineList>
          {rows.data.map((row) => (
            <ComparisonLine key={row.id} row={row} open={row.id === chosen} onOpen={() => onOpen(row.id)} />
          ))}
        </LineList>
      )}
    </Section>
  );
}

function ComparisonLine({ row, open, onOpen }: { row: ComparisonRow; open: boolean; onOpen: () => void }) {
  const { t, i18n } = useTranslation("migration");
  const { whole } = useFormat();
  const agreement = agreementOf(row);
  return (
    <Line
      picture={<IconArrowsDiff size={18} stroke={1.7} />}
      title={
        <Stack gap={0}>
          <Text fw={600} fz="sm">
            {t("{{channel}} and {{product}}", { channel: row.channel.name, product: row.title })}
          </Text>
          <Text span fz="sm">
            <StatusDot tone={row.ok ? "good" : agreement.of === 0 ? "idle" : "bad"}>
              {t("{{share}} agreement", {
                share: agreementText(agreement, i18n.language.replace("_", "-")),
              })}
            </StatusDot>
          </Text>
        </Stack>
      }
      detail={t("{{time}} · {{origin}} · {{calls}} calls", {
        time: formatTime(row.created_time),
        origin: row.origin,
        calls: whole(agreement.of),
      })}
      action={
        <Button variant="default" size="compact-sm" onClick={onOpen} disabled={open}>
          {t("Open")}
        </Button>
      }
    />
  );
}
