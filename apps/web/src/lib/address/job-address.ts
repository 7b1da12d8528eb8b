import { lookupTable } from "@gateway/shared/lookup-table";

const addresses = lookupTable<string>({
  "write-backups": "/panel/setting?section=backups",
  "export-log": "/panel/setting?section=log-export",
  "check-releases": "/panel/setting?section=releases",
  "update-prices": "/panel/pricing",
});

/** Returns the screen where the cause of a failed job is corrected. */
export function jobAddress(job: string): string {
  return addresses[job] ?? "/panel/diagnostics";
}
