import { UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { useSelf } from "#lib/session.ts";
import { Figures } from "#ui/figures/figures.tsx";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import { Section } from "#ui/page/page.tsx";
import { statementQuery, statementsQuery } from "./api.ts";

/** Loaded when the first month is opened, so that the first screen does not include it. */
const StatementDrawer = lazy(async () => ({
  default: (await import("#components/usage/statement-drawer.tsx")).StatementDrawer,
}));

/** Closed months, newest first. Renders nothing before the first one. */
export function StatementsCard() {
  const { t } = useTranslation("dashboard");
  const format = useFormat();
  const months = useQuery(statementsQuery).data?.data ?? [];
  const [opened, setOpened] = useState("");
  if (months.length === 0) return null;
  return (
    <Section
      title={t("Monthly statements")}
      hint={t("Completed months (UTC). Open a month to see the charges by model.")}
    >
      <Figures label={t("Monthly statements")} amounts={{ spend: months.map((month) => month.quota) }}>
        <thead>
          <tr>
            <th scope="col">{t("Month")}</th>
            <th scope="col">{t("Requests")}</th>
            <th scope="col">{t("Token count")}</th>
            <th scope="col">{t("Charged")}</th>
          </tr>
        </thead>
        <tbody>
          {months.map((month) => (
            <tr key={month.date}>
              <th scope="row">
                <UnstyledButton fz="inherit" c="iris" onClick={() => setOpened(month.date)}>
                  {month.date.slice(0, 7)}
                </UnstyledButton>
              </th>
              <td>{format.whole(month.request_count)}</td>
              <td>{format.short(month.prompt_tokens + month.completion_tokens)}</td>
              <td>
                <Amount column="spend" points={month.quota} />
              </td>
            </tr>
          ))}
        </tbody>
      </Figures>
      <LazyBoundary>{opened ? <Statement date={opened} onClose={() => setOpened("")} /> : null}</LazyBoundary>
    </Section>
  );
}

function Statement({ date, onClose }: { date: string; onClose: () => void }) {
  const { t } = useTranslation("dashboard");
  const self = useSelf();
  const lines = useQuery(statementQuery(date));
  return (
    <StatementDrawer
      title={t("Statement {{month}}", { month: date.slice(0, 7) })}
      account={self?.display_name || self?.username}
      lines={lines.data}
      error={lines.error}
      onRetry={() => void lines.refetch()}
      fileName={`statement-${date.slice(0, 7)}`}
      onClose={onClose}
    />
  );
}
