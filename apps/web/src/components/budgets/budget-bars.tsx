/** Spending against a budget: a bar per period, or only the fullest one in a list. */
import type { BudgetPeriod, PeriodUse } from "@gateway/shared/accounts/budget";
import { Text, Tooltip } from "@mantine/core";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { formatRelative, type Formatters, formatTime, useFormat } from "#lib/format/quota.ts";
import { phrase } from "#lib/i18n.ts";
import { UsageBar } from "#ui/figures/usage-bar.tsx";
import type { Column } from "#ui/table/table-model.ts";
import classes from "./budget-bars.module.css";

const periodTitles: Record<BudgetPeriod, string> = {
  day: phrase("Daily"),
  week: phrase("Weekly"),
  month: phrase("Monthly"),
};

/** The value at which the bar is full: the limit, else the notification threshold. */
const mostOf = (use: PeriodUse) => (use.limit === 0 ? use.notify : use.limit);
const shareOf = (use: PeriodUse) => Math.min(1, use.used / mostOf(use));

function Bar({ use }: { use: PeriodUse }) {
  const share = shareOf(use);
  const warns = share >= 0.9 || (use.notify > 0 && use.used >= use.notify);
  const tone = use.limit > 0 && share >= 1 ? "bad" : warns ? "warn" : undefined;
  return <UsageBar used={use.used} share={share} tone={tone} />;
}

/** "$1.20 / $5.00"; only the spent amount for a budget without a limit. */
const amounts = (use: PeriodUse, format: Formatters) =>
  use.limit === 0 ? format.quota(use.used) : `${format.quota(use.used)} / ${format.quota(use.limit)}`;

const resets = (use: PeriodUse, t: TFunction) =>
  t("Resets {{when}}", { when: formatRelative(use.resets_at) });

/** All periods, with the time of their reset. */
export function BudgetBars({ uses }: { uses: readonly PeriodUse[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div className={classes.bars}>
      {uses.map((use) => (
        <div key={use.period}>
          <div className={classes.line}>
            <Text span fz="sm" fw={500}>
              {t(periodTitles[use.period])}
            </Text>
            <Text
              span
              fz="sm"
              className="tabular"
              title={`${format.exact(use.used)} / ${format.exact(mostOf(use))}`}
            >
              {amounts(use, format)}
            </Text>
          </div>
          <Bar use={use} />
          <Text fz="xs" c="dimmed" mt={4} title={formatTime(use.resets_at)}>
            {[
              resets(use, t),
              use.notify > 0 ? t("Notice at {{amount}}", { amount: format.quota(use.notify) }) : "",
            ]
              .filter((text) => text !== "")
              .join(" · ")}
          </Text>
        </div>
      ))}
    </div>
  );
}

type Uses = readonly PeriodUse[];

const fullestOf = (uses: Uses = []) => uses.toSorted((one, other) => shareOf(other) - shareOf(one))[0];

const column = "budget";

/**
 * A column with the period that is closest to its limit.
 * @param usesOf undefined for a row without a budget
 */
export function budgetColumn<Row>(title: string, usesOf: (row: Row) => Uses | undefined): Column<Row> {
  return {
    id: column,
    title,
    align: "right",
    amounts: (row) => {
      const use = fullestOf(usesOf(row));
      return use ? [use.used, use.limit] : [];
    },
    cell: (row) => <BudgetCell uses={usesOf(row)} />,
  };
}

function BudgetCell({ uses }: { uses: Uses | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const fullest = fullestOf(uses);
  if (fullest === undefined)
    return (
      <Text span c="dimmed" fz="inherit">
        –
      </Text>
    );
  const rest = (uses ?? []).map((use) =>
    [t(periodTitles[use.period]), amounts(use, format), resets(use, t)].join(" · "),
  );
  return (
    <Tooltip
      label={rest.map((line) => (
        <div key={line}>{line}</div>
      ))}
    >
      <div className={classes.cell} tabIndex={0}>
        <div className={classes.line}>
          <Text span fz="inherit" c="dimmed">
            {t(periodTitles[fullest.period])}
          </Text>
          <span>
            <Amount column={column} points={fullest.used} />
            {fullest.limit === 0 ? null : (
              <>
                {" / "}
                <Amount column={column} points={fullest.limit} />
              </>
            )}
          </span>
        </div>
        <Bar use={fullest} />
      </div>
    </Tooltip>
  );
}
