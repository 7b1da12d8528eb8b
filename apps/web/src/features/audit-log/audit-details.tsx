/** An entry of the audit log: values before and after. */
import type { AuditRow } from "@gateway/shared/usage/audit";
import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatTime, useFormat } from "#lib/format/quota.ts";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { Fold } from "#ui/fold.tsx";
import { SideDrawer } from "#ui/page/side-drawer.tsx";
import { type ValueChange, changesOf } from "./diff.ts";
import { fieldLabel, fieldValue, type SettingNames, targetName } from "./field-labels.ts";
import { actorText } from "./labels.ts";
import { entrySentence } from "./sentence.ts";
import classes from "./audit-details.module.css";

type AuditDetailsProps = { row: AuditRow; settings: SettingNames; onClose: () => void };

export function AuditDetails({ row, settings, onClose }: AuditDetailsProps) {
  const { t } = useTranslation("audit-log");
  const format = useFormat();
  const name = targetName(t, row, settings);
  const changes = changesOf(row.before, row.after);
  const changed = changes.filter((change) => !change.same);
  const same = changes.filter((change) => change.same);
  return (
    <SideDrawer onClose={onClose} width={640} title={entrySentence({ t, format, settings }, row)}>
      <Stack gap="lg">
        <Facts columns={2}>
          <Fact label={t("When")}>{formatTime(row.created_time)}</Fact>
          <Fact label={t("Who")}>{actorText(t, row)}</Fact>
          <Fact label={t("Target")}>
            {name === "" || name === row.target_id
              ? row.target_id
              : `${name} (${row.target_type === "setting" ? "" : "#"}${row.target_id})`}
          </Fact>
          <Fact label={t("Source IP")}>{row.ip || "–"}</Fact>
          <Fact label={t("Action")}>{row.action}</Fact>
        </Facts>
        {changed.length > 0 ? (
          <Comparison row={row} changes={changed} />
        ) : (
          <Text c="dimmed" fz="sm">
            {t("No details are recorded for this.")}
          </Text>
        )}
        {same.length > 0 ? (
          <Fold label={t("Unchanged fields")}>
            <Comparison row={row} changes={same} />
          </Fold>
        ) : null}
      </Stack>
    </SideDrawer>
  );
}

function Comparison({ row, changes }: { row: AuditRow; changes: ValueChange[] }) {
  const { t } = useTranslation("audit-log");
  const format = useFormat();
  const text = (path: string, value: unknown) =>
    fieldValue({ t, format }, row.target_type, path, value) || "–";
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">{t("Field")}</th>
          <th scope="col">{t("Before")}</th>
          <th scope="col">{t("After")}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.path} data-same={change.same || undefined}>
            <th scope="row" title={change.path}>
              {fieldLabel(t, row.target_type, change.path)}
            </th>
            <td data-side="before">{text(change.path, change.before)}</td>
            <td data-side="after">{text(change.path, change.after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
