/** What the server does with the settings of a section. Loaded with the first section that shows it. */
import { Skeleton } from "@mantine/core";
import { lazy } from "react";
import type { SettingSection } from "#features/settings/sections/section.ts";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import classes from "#features/settings/settings.module.css";

const statuses = {
  backups: lazy(async () => ({ default: (await import("./stored-backups.tsx")).StoredBackups })),
  "log-export": lazy(async () => ({ default: (await import("./log-export-status.tsx")).LogExportState })),
  releases: lazy(async () => ({ default: (await import("./release-status.tsx")).ReleaseState })),
};

export function SectionStatus({ status }: { status: NonNullable<SettingSection["status"]> }) {
  const Status = statuses[status];
  return (
    <div className={classes.status}>
      <LazyBoundary loading={<Skeleton height={120} radius="md" />}>
        <Status />
      </LazyBoundary>
    </div>
  );
}
