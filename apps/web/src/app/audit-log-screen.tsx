/** The audit log, with the names of the settings from their screen. */
import { lookupTable } from "@gateway/shared/lookup-table";
import AuditLogPage from "#features/audit-log/audit-log-page.tsx";
import { settingEntries } from "./palette/setting-entries.ts";

export { prefetch } from "#features/audit-log/audit-log-page.tsx";

const settings = lookupTable(
  Object.fromEntries(settingEntries().map(({ key, section, label }) => [key, { section, label }])),
);

export function AuditLogScreen() {
  return <AuditLogPage settings={settings} />;
}
