import { timingSafeEqual } from "node:crypto";
import { defaultSettings, secretSettings, type SettingKey } from "@gateway/shared/site/settings";
import { changeSettings, meaningfulDefaults, readStoredSettings } from "#domain/settings/settings.ts";
import { type ApplyContext, changedNames, collectFaults, fieldChanges, hidden } from "./changes.ts";
import type { GatewayFile } from "./gateway-file.ts";

/** Writes the settings of the file; `null` restores a default. */
export async function applySettings(context: ApplyContext, values: GatewayFile["settings"]): Promise<void> {
  if (values === undefined) return;
  const { tx, secrets, actor } = context;
  const { settings: before, given } = await readStoredSettings(tx, secrets);
  const changed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const key = name as SettingKey;
    const next = value ?? defaultSettings[key];
    const isSame = secretSettings.includes(key)
      ? equalSecrets(context, before[key], next)
      : changedNames({ value: before[key] }, { value: next }).length === 0;
    const isChoice = meaningfulDefaults.has(key) && given.has(key) === (value === null);
    if (!isSame || isChoice) changed[key] = value;
  }
  const names = Object.keys(changed);
  if (names.length === 0) return;
  await collectFaults(context, ["settings"], () => changeSettings(tx, secrets, actor, changed));
  const maskSecrets = (settings: object) =>
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [
        name,
        secretSettings.includes(name as SettingKey) && value !== "" ? hidden : value,
      ]),
    );
  const after = Object.fromEntries(
    names.map((name) => [name, changed[name] ?? defaultSettings[name as SettingKey]]),
  );
  for (const name of names) {
    const [field] = fieldChanges(context, ["settings"], [name], {
      before: maskSecrets(before),
      after: maskSecrets(after),
    });
    if (field !== undefined)
      context.changes.push({ kind: "setting", name, action: "change", fields: [field] });
  }
}

function equalSecrets({ secrets }: ApplyContext, one: unknown, other: unknown): boolean {
  const hash = (value: unknown) => secrets.hash(JSON.stringify(value));
  return timingSafeEqual(hash(one), hash(other));
}
