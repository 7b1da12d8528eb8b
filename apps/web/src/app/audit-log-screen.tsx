/** The audit log, with the names of the settings from their screen. */
import { lookupTable } from "@gateway/shared/lookup-table";
import AuditLogPage from "#features/audit-log/audit-log-page.tsx";
import { allSettings } from "./palette/settings-found.ts";

export { prefetch } from "#features/audit-log/audit-log-page.tsx";

const settings = lookupTable(
  Object.fromEntries(allSettings().map(({ key, section, label }) => [key, { section, label }])),
);

export function AuditLogScreen() {
  return <AuditLogPage settings={settings} />;
}
