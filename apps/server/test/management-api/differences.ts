import { accountDifferences } from "./differences/account-differences.ts";
import { channelDifferences } from "./differences/channel-differences.ts";
import type { Difference } from "./differences/difference.ts";
import { generalDifferences } from "./differences/general-differences.ts";
import { usageDifferences } from "./differences/usage-differences.ts";

/** The deliberate differences from One Hub. docs/management-api.md shows this table, and a test compares both. */
export const differences: readonly Difference[] = [
  ...generalDifferences,
  ...channelDifferences,
  ...accountDifferences,
  ...usageDifferences,
];
