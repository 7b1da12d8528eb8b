/** Checks values of settings. Loaded with the first change, because of the schemas. */
import type { FieldIssue } from "@gateway/shared/errors";
import { issueOf } from "@gateway/shared/errors/issue";
import { type SettingKey, Settings } from "@gateway/shared/site/settings";
import type { SettingValue } from "./drafts.ts";

/** Returns the schema's error; undefined when the value is valid. */
export function settingProblem(key: SettingKey, value: SettingValue): FieldIssue | undefined {
  const issue = Settings.shape[key].safeParse(value).error?.issues[0];
  return issue === undefined ? undefined : issueOf(issue, value);
}
