/** Reads the file of `gateway apply`. Every fault has its line; no message contains a value of the file. */
import { referenceSource } from "@gateway/shared/channels/key-reference";
import type { FieldIssue } from "@gateway/shared/errors";
import { issueOf } from "@gateway/shared/errors/issue";
import { secretSettings } from "@gateway/shared/site/settings";
import { isNode, isPair, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import { keysOf } from "#domain/channels/keys.ts";
import { isSettingKey, parseValue } from "#domain/settings/settings.ts";
import { type GatewayError, invalidFields } from "#errors.ts";
import { GatewayFile, prunable } from "./gateway-file.ts";
import { type Path, referencedVariable, resolveReferences } from "./references.ts";

export interface GatewayFileError {
  path: Path;
  text: string;
}

export interface ReadFile {
  file: GatewayFile;
  /** Whether a value at or below this path comes from the environment. */
  isFromEnvironment(path: Path): boolean;
  /** Returns the refusal that names these faults, each with its line. */
  refusal(faults: readonly GatewayFileError[]): CommandFailure;
}

const longestFile = 10_000_000;
/** Levels of the file. An alias that contains itself has no end. */
const deepest = 100;

/** @throws CommandFailure that names every fault */
export function readGatewayFile(
  text: string,
  name: string,
  variables: Readonly<Record<string, string | undefined>>,
): ReadFile {
  if (text.length > longestFile)
    throw new CommandFailure(`${name} is larger than ${longestFile / 1_000_000} MB.`, ExitCode.refused);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    resolveKnownTags: false,
  });
  const at = (offset: number) => `${name}:${lines.linePos(offset).line}`;
  const tooDeep = () =>
    new CommandFailure(`${name}: It is nested more than ${deepest} levels deep.`, ExitCode.refused);
  if (document.errors.some(({ message }) => message.includes("call stack"))) throw tooDeep();
  if (document.errors.length > 0)
    throw new CommandFailure(
      document.errors.map((error) => `${at(error.pos[0])}: ${error.message}`).join("\n"),
      ExitCode.refused,
    );
  const offsets = offsetsOf(document);
  const refusal = (faults: readonly GatewayFileError[]) =>
    new CommandFailure(
      faults
        .map(({ path, text: reason }) => ({ offset: nearest(offsets, path), reason }))
        .toSorted((a, b) => a.offset - b.offset)
        .map(({ offset, reason }) => `${at(offset)}: ${reason}`)
        .concat("Nothing was changed.")
        .join("\n"),
      ExitCode.refused,
    );

  let raw: unknown;
  try {
    raw = document.toJS({ maxAliasCount: 1_000 }) ?? {};
  } catch {
    throw new CommandFailure(`${name}: it has too many aliases.`, ExitCode.refused);
  }
  if (isDeeper(raw, deepest)) throw tooDeep();
  const faults = [...unstorable(raw, []), ...literalSecrets(raw)];
  const places: Path[] = [];
  const whole = { ...record(raw) };
  const missing: { name: string; path: Path }[] = [];
  for (const section of ["channels", "settings"]) {
    const resolved = resolveReferences(whole[section], [section], variables);
    if (section in whole) whole[section] = resolved.value;
    places.push(...resolved.places);
    missing.push(...resolved.missing);
  }
  for (const each of missing)
    faults.push({ path: each.path, text: `The environment variable ${each.name} is not set.` });
  const isMissing = (path: Path) =>
    missing.some((each) => begins(each.path, path) || begins(path, each.path));
  const parsed = GatewayFile.safeParse(typeof raw === "object" && !Array.isArray(raw) ? whole : raw);
  for (const issue of parsed.error?.issues ?? []) {
    const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    const inner = issue.code === "unrecognized_keys" ? [...path, issue.keys[0] ?? ""] : path;
    if (!isMissing(path))
      faults.push({ path: inner, text: sentence(path, issueOf(issue, whole), issue.message) });
  }
  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record(whole["settings"]))) {
    const path = ["settings", key];
    if (isMissing(path)) continue;
    const issue = settingFault(key, value);
    if (issue === undefined) settings[key] = settingValue(key, value);
    else faults.push({ path, text: sentence(path, issue) });
  }
  faults.push(...otherFaults(whole));
  if (faults.length > 0 || parsed.data === undefined) throw refusal(faults);
  const file = { ...parsed.data, ...(parsed.data.settings === undefined ? {} : { settings }) };
  return {
    file,
    isFromEnvironment: (path) => places.some((place) => begins(place, path)),
    refusal,
  };
}

/** Returns the faults of an error that the gateway's own checks throw. */
export function faultsOf(error: GatewayError, path: Path): GatewayFileError[] {
  const issues = Object.entries(error.issues ?? {});
  if (issues.length === 0) return [{ path, text: `${path.join(".")}: ${error.message}` }];
  return issues.map(([field, { reason, ...params }]) => {
    const inner = [...path, ...field.split(".")];
    return { path: inner, text: sentence(inner, { reason, ...params } as FieldIssue) };
  });
}

/** @param fallback the message of a check without a reason of its own */
export function sentence(path: Path, issue: FieldIssue, fallback?: string): string {
  const field = path.join(".");
  if (issue.reason === "value_not_valid" && fallback?.endsWith(".") === true) return `${field}: ${fallback}`;
  return invalidFields({ [field]: issue })?.message ?? field;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Postgres stores no NUL and no half of a surrogate pair, and a record cannot have the name `__proto__`. */
function unstorable(value: unknown, path: Path): GatewayFileError[] {
  const faulty = (text: string) => text.includes("\0") || !text.isWellFormed();
  const fault = (text: string): GatewayFileError => ({
    path,
    text: `${path.join(".") || "The file"}: ${text}`,
  });
  if (typeof value === "string")
    return faulty(value) ? [fault("It has a NUL character or an incomplete surrogate pair.")] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    faulty(name) || name === "__proto__"
      ? [fault("A name in it cannot be stored.")]
      : unstorable(inner, [...path, name]),
  );
}

/** Keys and secret settings are never written in the file, so that it can be under version control. */
function literalSecrets(raw: unknown): GatewayFileError[] {
  const faults: GatewayFileError[] = [];
  const require = (value: unknown, path: Path) => {
    if (value === undefined || value === null || referencedVariable(value) !== undefined) return;
    faults.push({
      path,
      text: `${path.join(".")}: Write \${NAME} and set the environment variable NAME to the secret.`,
    });
  };
  const { channels, settings } = record(raw);
  for (const [name, channel] of Object.entries(record(channels))) {
    const { key } = record(channel);
    for (const each of Array.isArray(key) ? (key as unknown[]) : [key])
      if (!isStoredElsewhere(each)) require(each, ["channels", name, "key"]);
  }
  for (const name of secretSettings) require(record(settings)[name], ["settings", name]);
  return faults;
}

/** Whether a key only names where it is stored, which is no secret. */
function isStoredElsewhere(key: unknown): boolean {
  return typeof key === "string" && keysOf(key).every((line) => referenceSource(line) !== undefined);
}

/** Checks that concern several parts of the file. */
function otherFaults(whole: Record<string, unknown>): GatewayFileError[] {
  const faults: GatewayFileError[] = [];
  for (const section of prunable)
    for (const name of Object.keys(record(whole[section])))
      if (name !== name.trim())
        faults.push({ path: [section, name], text: `${section}: A name has spaces at its start or end.` });
  const prune: unknown[] = Array.isArray(whole["prune"]) ? whole["prune"] : [];
  // Without this, a section that was forgotten would delete everything.
  for (const [index, section] of prune.entries())
    if (prunable.some((each) => each === section) && whole[String(section)] === undefined)
      faults.push({
        path: ["prune", index],
        text: `prune: The file has no section ${String(section)}. Write it, even if it is empty.`,
      });
  return faults;
}

function settingFault(key: string, value: unknown): FieldIssue | undefined {
  if (!isSettingKey(key)) return { reason: "setting_unknown", setting: key };
  if (value === null) return undefined;
  const issue = parseValue(key, value).error?.issues[0];
  return issue === undefined ? undefined : issueOf(issue, value);
}

function settingValue(key: string, value: unknown): unknown {
  return value === null || !isSettingKey(key) ? null : parseValue(key, value).data;
}

function begins(path: Path, start: Path): boolean {
  return start.every((part, index) => path[index] === part);
}

/** Offset of every value, by its path as JSON. A value of a map stands at its key. */
function offsetsOf(document: ReturnType<typeof parseDocument>): Map<string, number> {
  const offsets = new Map<string, number>();
  const pathOf = (ancestors: readonly unknown[]): (string | number)[] => {
    const path: (string | number)[] = [];
    for (const [index, parent] of ancestors.entries()) {
      const child = ancestors[index + 1];
      if (isPair(parent) && isScalar(parent.key)) path.push(String(parent.key.value));
      else if (typeof parent === "object" && parent !== null && "items" in parent && isNode(child))
        path.push((parent.items as unknown[]).indexOf(child));
    }
    return path;
  };
  visit(document, {
    Pair(_key, pair, ancestors) {
      if (isScalar(pair.key))
        offsets.set(JSON.stringify(pathOf([...ancestors, pair])), pair.key.range?.[0] ?? 0);
    },
    Node(key, node, ancestors) {
      if (typeof key !== "number") return;
      offsets.set(JSON.stringify(pathOf([...ancestors, node])), node.range?.[0] ?? 0);
    },
  });
  return offsets;
}

/** Returns the offset of a value, or of the innermost object around it that the file contains. */
function nearest(offsets: ReadonlyMap<string, number>, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const offset = offsets.get(JSON.stringify(path.slice(0, length)));
    if (offset !== undefined) return offset;
  }
  return 0;
}
