/** What `gateway apply` changes, without secrets. */
import { isDeepStrictEqual } from "node:util";
import type { Actor } from "#domain/audit-log/audit.ts";
import { GatewayError } from "#errors.ts";
import type { Prisma } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import { type GatewayFileError, faultsOf } from "./read-gateway-file.ts";
import type { Path } from "./references.ts";

interface FieldChange {
  name: string;
  /** Absent for a new object. */
  before?: unknown;
  after: unknown;
}

export interface Change {
  kind: "channel" | "group" | "price" | "setting";
  name: string;
  action: "create" | "change" | "delete";
  fields: FieldChange[];
}

export interface ApplyContext {
  tx: Prisma.TransactionClient;
  secrets: Secrets;
  providers: Providers;
  actor: Actor;
  /** Whether a value at or below this path comes from the environment. */
  isFromEnvironment(path: Path): boolean;
  changes: Change[];
  faults: GatewayFileError[];
}

export const hidden = "***";

/** Notes what the gateway's own checks reject, so that all faults are reported at once. */
export async function collectFaults(
  { faults }: ApplyContext,
  path: Path,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    faults.push(...faultsOf(error, path));
  }
}

/** Returns the names of the fields that differ. Objects are compared regardless of the order of their keys. */
export function changedNames(before: object, after: object): string[] {
  const was = plain(before);
  return Object.entries(plain(after))
    .filter(([name, value]) => !isDeepStrictEqual(was[name], value))
    .map(([name]) => name);
}

function plain(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

/** @param shown the values without secrets */
export function fieldChanges(
  context: ApplyContext,
  path: Path,
  names: readonly string[],
  shown: { before?: object; after: object },
): FieldChange[] {
  const valueOf = (values: object, name: string) =>
    context.isFromEnvironment([...path, name]) ? hidden : (values as Record<string, unknown>)[name];
  return names.map((name) => ({
    name,
    ...(shown.before === undefined ? {} : { before: valueOf(shown.before, name) }),
    after: valueOf(shown.after, name),
  }));
}

const signs = { create: "+", change: "~", delete: "-" };
const longestShown = 200;

export function describeChanges(changes: readonly Change[]): string {
  return changes
    .flatMap(({ kind, name, action, fields }) => [
      `${signs[action]} ${kind} ${name}`,
      ...fields.map((field) =>
        "before" in field
          ? `    ${field.name}: ${text(field.before)} → ${text(field.after)}`
          : `    ${field.name}: ${text(field.after)}`,
      ),
    ])
    .join("\n");
}

function text(value: unknown): string {
  const whole = value === hidden ? hidden : (JSON.stringify(value) ?? "");
  return whole.length > longestShown ? `${whole.slice(0, longestShown)}…` : whole;
}
