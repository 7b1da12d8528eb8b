/** Every deviation of a comparison, largest difference first. */
import type { ComparisonReport, Deviation } from "@gateway/shared/site/comparison";
import { Button, Text } from "@mantine/core";
import { IconCircleCheck, IconDownload } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { pathOfCall } from "#lib/address/call-address.ts";
import { formatTime } from "#lib/format/quota.ts";
import { initialSize } from "#lib/lists/page-size.ts";
import { Empty } from "#ui/empty.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { Short } from "#ui/short.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { FilterSelect } from "#ui/table/filters.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { downloadDeviations } from "./comparison-csv.ts";
import { differenceOf, kindLabels, reasonText } from "./labels.ts";
import classes from "./parallel-run.module.css";

const kinds = Object.keys(kindLabels) as Deviation["kind"][];

export function DeviationTable({ report }: { report: ComparisonReport }) {
  const { t } = useTranslation("migration");
  const [kind, setKind] = useState("");
  const [paging, setPaging] = useState(() => ({ page: 1, size: initialSize() }));
  const columns = useMemo(() => columnsOf(t), [t]);
  const matching = report.deviations.filter((deviation) => kind === "" || deviation.kind === kind);
  const start = (paging.page - 1) * paging.size;
  return (
    <DataTable
      id="deviations"
      label={t("Deviations")}
      columns={columns}
      rows={matching.slice(start, start + paging.size)}
      rowKey={({ here, source }) => `${here?.id ?? ""} ${source?.id ?? ""}`}
      compactRow={(deviation) => <CompactDeviation deviation={deviation} t={t} />}
      toolbar={
        <FilterSelect
          label={t("Deviation")}
          value={kind}
          onChange={(next) => {
            setKind(next);
            setPaging({ ...paging, page: 1 });
          }}
          data={kinds.map((value) => ({ value, label: t(kindLabels[value]) }))}
          w={210}
        />
      }
      tools={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.7} />}
          onClick={() => downloadDeviations(report)}
        >
          {t("Download CSV")}
        </Button>
      }
      paging={{
        kind: "pages",
        ...paging,
        total: matching.length,
        onChange: (patch) => setPaging({ ...paging, page: 1, ...patch }),
      }}
      empty={<Empty compact icon={IconCircleCheck} title={t("No deviations of this kind")} />}
    />
  );
}

function columnsOf(t: TFunction<"migration">): Column<Deviation>[] {
  return [
    {
      id: "time",
      title: t("Time"),
      fixed: true,
      cell: (deviation) => <CallTime deviation={deviation} />,
    },
    {
      id: "kind",
      title: t("Deviation"),
      cell: ({ kind }) => (
        <StatusDot tone={kind === "charge" ? "bad" : "warn"}>{t(kindLabels[kind])}</StatusDot>
      ),
    },
    {
      id: "model",
      title: t("Model"),
      cell: ({ model }) => <Short text={model || t("Unknown")} width={170} />,
    },
    {
      id: "reason",
      title: t("Probable reason"),
      width: 260,
      cell: (deviation) => (
        <Text fz="sm" className={classes.reason}>
          {reasonText(t, deviation)}
        </Text>
      ),
    },
    chargeColumn("here", t("Charged here"), ({ here }) => here),
    chargeColumn("there", t("Charged there"), ({ source }) => source),
    {
      id: "difference",
      title: t("Difference"),
      align: "right",
      pinned: true,
      charges: true,
      amounts: (deviation) => [differenceOf(deviation)],
      cell: (deviation) => <Difference points={differenceOf(deviation)} />,
    },
  ];
}

function chargeColumn(
  id: string,
  title: string,
  sideOf: (deviation: Deviation) => Deviation["here"],
): Column<Deviation> {
  return {
    id,
    title,
    align: "right",
    charges: true,
    // The two charges need the decimals in which they differ.
    amounts: (deviation) => [Number(sideOf(deviation)?.charge ?? 0), differenceOf(deviation)],
    cell: (deviation) => {
      const side = sideOf(deviation);
      return side === null ? "–" : <Amount column={id} points={Number(side.charge)} />;
    },
  };
}

/** When the call ended, with a link to it. A row of the old gateway has none. */
function CallTime({ deviation: { here, source } }: { deviation: Deviation }) {
  const at = (here ?? source)?.at ?? "";
  const time = <span className="tabular">{formatTime(Date.parse(at) / 1_000)}</span>;
  return here === null ? time : <QuietLink to={pathOfCall(here.id)}>{time}</QuietLink>;
}

function Difference({ points }: { points: number }) {
  return (
    <span className={classes.difference}>
      {points > 0 ? "+" : ""}
      <Amount column="difference" points={points} />
    </span>
  );
}

/** A deviation on a phone: model and difference above; reason and time below. */
function CompactDeviation({ deviation, t }: { deviation: Deviation; t: TFunction<"migration"> }) {
  return (
    <div className={classes.compact}>
      <StatusDot tone={deviation.kind === "charge" ? "bad" : "warn"}>
        {deviation.model || t("Unknown")}
      </StatusDot>
      <Difference points={differenceOf(deviation)} />
      <Text fz="xs" className={`${classes.reason} ${classes.line}`}>
        {reasonText(t, deviation)}
      </Text>
      <Text component="div" fz="xs" c="dimmed" className={classes.line ?? ""}>
        <CallTime deviation={deviation} />
      </Text>
    </div>
  );
}
