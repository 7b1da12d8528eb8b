/** An example of a call: its route, on which one channel fails, and its bill with a price of this site. */
import type { AvailableModels } from "@gateway/shared/models/model";
import { Button, Card, Group, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type CSSProperties, useState } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { RoutePicture } from "#components/route/route-picture.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { usableGroupsQuery } from "#lib/queries/groups.ts";
import { useSystemName } from "#lib/site.ts";
import { StatusDot } from "#ui/status-dot.tsx";
import { perMillion, ratiosOf, sampleBill } from "./home-prices.ts";
import classes from "./home.module.css";

/** Shown until there is a model with a price: $1 and $3 per million tokens. */
const assumedRatios = { input: 0.5, output: 1.5 };

type SampleCallProps = { models: AvailableModels; model: string };

export function SampleCall({ models, model }: SampleCallProps) {
  const { t } = useTranslation("site");
  const format = useFormat();
  const gateway = useSystemName();
  const groups = useQuery(usableGroupsQuery).data;
  const [round, setRound] = useState(0);
  const bill = sampleBill(ratiosOf(models[model], groups ?? {}) ?? assumedRatios);
  const name = model || t("Example model");
  const kinds = { input: t("Input"), output: t("Output") };
  const rows = [
    ...bill.lines.map((line) => ({
      id: line.kind,
      what: kinds[line.kind],
      amount: t("{{number}} tokens", { number: format.whole(line.tokens), count: line.tokens }),
      price: t("{{price}} / 1M", { price: perMillion(line.ratio) }),
      cost: line.usd,
    })),
    { id: "failed", what: t("Failed attempt"), amount: "", price: "", cost: "$0.000000" },
  ];
  return (
    <Card padding="lg" className={classes.sample} component="section" aria-label={t("Example of a call")}>
      <Group justify="space-between" wrap="nowrap" mb="md">
        <Group gap={8} wrap="nowrap" miw={0}>
          <ModelIcon model={model} size={18} />
          <Text fw={600} truncate>
            {name}
          </Text>
          <StatusDot tone="good">{t("Complete")}</StatusDot>
        </Group>
        <Button
          variant="subtle"
          size="compact-sm"
          flex="none"
          leftSection={<IconRefresh size={14} />}
          onClick={() => setRound(round + 1)}
        >
          {t("Play again")}
        </Button>
      </Group>
      <div key={round} className={classes.scene}>
        <RoutePicture
          animated
          label={t("The first channel fails with HTTP 529. The second channel answers in 1.2 s.")}
          client={t("Your app")}
          gateway={gateway}
          stops={[
            {
              id: "first",
              name: t("Channel {{number}}", { number: 1 }),
              note: t("Overloaded · HTTP 529"),
              state: "failed",
            },
            {
              id: "second",
              name: t("Channel {{number}}", { number: 2 }),
              note: t("Answered in 1.2 s"),
              state: "answered",
            },
            {
              id: "third",
              name: t("Channel {{number}}", { number: 3 }),
              note: t("Not needed"),
              state: "unused",
            },
          ]}
        />
        <table className={classes.bill} aria-label={t("Bill of the example")}>
          <tbody>
            {rows.map((row, place) => (
              <tr key={row.id} style={{ "--place": place } as CSSProperties}>
                <td>{row.what}</td>
                <td>{row.amount}</td>
                <td>{row.price}</td>
                <td>{row.cost}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr style={{ "--place": rows.length } as CSSProperties}>
              <td>{t("Charged")}</td>
              <td />
              <td />
              <td>{bill.total}</td>
            </tr>
          </tfoot>
        </table>
      </div>
    </Card>
  );
}
