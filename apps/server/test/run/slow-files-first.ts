import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest files, which mostly wait. A run that starts one of them last has to wait for it alone. */
const slow = [
  "faults/long-streams",
  "relay/telemetry",
  "cli/backup",
  "faults/faults",
  "management-api/audit",
  "accounts/authority",
  "relay/background",
  "faults/channel-pauses",
  "console/access-ends",
  "faults/late-settlements",
  "relay/work-before-balance",
  "cli/commands",
  "relay/addresses",
  "ledger/ledger-faults",
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
