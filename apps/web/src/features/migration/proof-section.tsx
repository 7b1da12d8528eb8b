/** What was compared with the source: balances, books, keys and charges. */
import type { ImportReport } from "@gateway/shared/site/migration";
import { Group, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconCircleCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Section } from "#ui/page/page.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { Examples } from "./notes.tsx";
import classes from "./report.module.css";

export function ProofSection({ report }: { report: ImportReport }) {
  const { t, i18n } = useTranslation("migration");
  const locale = i18n.language.replace("_", "-");
  const number = new Intl.NumberFormat(locale);
  const points = (text: string) => number.format(BigInt(text));
  const { proof, totals } = report;
  const checks = [
    {
      ok: proof.balances_different === 0,
      text: t("Balances compared: {{compared}}. Different: {{different}}.", {
        compared: number.format(proof.balances_compared),
        different: number.format(proof.balances_different),
      }),
    },
    {
      ok: proof.audit_drift === "0",
      text: t("Ledger audit: drift {{drift}}", { drift: points(proof.audit_drift) }),
    },
    {
      ok: proof.keys_failed.length === 0,
      text: t("Keys tested: {{tried}}. Not accepted as before: {{failed}}.", {
        tried: number.format(proof.keys_tried),
        failed: proof.keys_failed.length,
      }),
      examples: proof.keys_failed,
    },
    {
      ok: proof.charges_different.length === 0,
      text: t("Charges recalculated: {{compared}}. Different by more than rounding: {{different}}.", {
        compared: number.format(proof.charges_compared),
        different: proof.charges_different.length,
      }),
      examples: proof.charges_different,
    },
  ];
  const sums = [
    { label: t("Balances"), pair: totals.users_quota, mustMatch: true },
    {
      label: t("Balances of all accounts, without deleted ones"),
      pair: totals.live_users_quota,
      mustMatch: true,
    },
    { label: t("Used by users"), pair: totals.users_used_quota, mustMatch: false },
    { label: t("Used by tokens"), pair: totals.tokens_used_quota, mustMatch: false },
  ];
  const balances = proof.balances ?? [];
  return (
    <Section
      title={t("Proof")}
      hint={t("The source was read again and compared with this gateway. All amounts are in points.")}
    >
      <Stack gap="lg">
        <Stack gap={8}>
          {checks.map(({ ok, text, examples = [] }) => (
            <div key={text}>
              <Group gap={8} wrap="nowrap" align="flex-start" fz="sm">
                {ok ? (
                  <IconCircleCheck
                    size={17}
                    color="var(--mantine-color-green-filled)"
                    style={{ flex: "none" }}
                    aria-hidden
                  />
                ) : (
                  <IconAlertCircle
                    size={17}
                    color="var(--mantine-color-red-filled)"
                    style={{ flex: "none" }}
                    aria-hidden
                  />
                )}
                <span>{text}</span>
              </Group>
              <Examples of={examples} />
            </div>
          ))}
          {proof.charges_not_comparable === 0 ? null : (
            <Text fz="sm" c="dimmed">
              {t("{{charges}} charges have a price that was changed later or never set.", {
                charges: number.format(proof.charges_not_comparable),
              })}
            </Text>
          )}
        </Stack>
        <Sides
          first={t("Total")}
          rows={sums.map(({ label, pair, mustMatch }) => ({
            key: label,
            name: label,
            source: points(pair.source),
            here: points(pair.here),
            differs: mustMatch && pair.source !== pair.here,
          }))}
        />
        {balances.length === 0 ? null : (
          <Sides
            first={t("Account (differences first, then the largest balances)")}
            rows={balances.map(({ id, name, source, here }) => ({
              key: String(id),
              name: name === "" ? `#${id}` : name,
              source: points(source),
              here: points(here),
              differs: source !== here,
            }))}
          />
        )}
      </Stack>
    </Section>
  );
}

type Side = { key: string; name: string; source: string; here: string; differs: boolean };

function Sides({ first, rows }: { first: string; rows: Side[] }) {
  const { t } = useTranslation("migration");
  return (
    <div className={classes.scroll}>
      <table className={`${classes.table} ${classes.sides}`}>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            <th scope="col">{t("In the source")}</th>
            <th scope="col">{t("Here")}</th>
            <th scope="col">{t("Result")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, source, here, differs }) => (
            <tr key={key} data-differs={differs || undefined}>
              <th scope="row">{name}</th>
              <td>{source}</td>
              <td>{here}</td>
              <td>
                {differs ? (
                  <StatusDot tone="bad">{t("differs")}</StatusDot>
                ) : source === here ? (
                  <StatusDot tone="good">{t("equal")}</StatusDot>
                ) : (
                  <StatusDot tone="idle">{t("see the notes")}</StatusDot>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
