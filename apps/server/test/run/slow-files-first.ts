import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest files, which mostly wait. A run that starts one of them last has to wait for it alone. */
const slow = [
  "faults/long-streams",
  "relay/background",
  "faults/faults",
  "cli/backup",
  "faults/late-settlements",
  "relay/telemetry",
  "console/one-hub-scripts",
  "ledger/ledger-faults",
  "faults/workers",
  "relay/response-socket-upstream",
  "faults/disconnect",
  "relay/response-socket",
  "leases/leases",
  "agents/matrix",
  "billing/end-of-call",
  "faults/channel-pauses",
  "cli/import-one-hub",
  "management-api/audit",
  "faults/database-stopped",
  "console/overview",
  "export/log-export",
  "accounts/authority",
  "relay/intake",
  "console/installer",
  "cli/commands",
];

function rank({ moduleId }: TestSpecification): number {
  const index = slow.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return index === -1 ? slow.length : index;
}

/** Vitest's own order uses durations of the last run only, which a fresh clone does not have. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map((file) => file.project.name))];
    return projects.flatMap((name) =>
      sorted.filter((file) => file.project.name === name).toSorted((a, b) => rank(a) - rank(b)),
    );
  }
}
