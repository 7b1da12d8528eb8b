import type { ChannelInput } from "@gateway/shared/channels/channel";
import type { ChannelEdit, FieldChange } from "@gateway/shared/channels/channel-batch";

/** What an edit of many makes of one channel, and how the difference reads. Pure. */

type ListEdit = NonNullable<ChannelEdit["models"]>;

/** The channel as the edit wants it; the same object's values where nothing is said. */
export function applyEdit(now: ChannelInput, edit: ChannelEdit): ChannelInput {
  const { models, groups, model_mapping, ...plain } = edit;
  const output = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
  return {
    ...now,
    ...output,
    models: editList(now.models, models),
    groups: editList(now.groups, groups),
    model_mapping: editMapping(now.model_mapping, model_mapping),
  };
}

function editList(now: string[], edit: ListEdit | undefined): string[] {
  if (edit === undefined) return now;
  const values = [...new Set(edit.values)];
  switch (edit.mode) {
    case "add":
      return [...now, ...values.filter((value) => !now.includes(value))];
    case "remove":
      return now.filter((value) => !values.includes(value));
    case "replace":
      return values;
  }
}

function editMapping(
  now: Record<string, string>,
  edit: ChannelEdit["model_mapping"],
): Record<string, string> {
  if (edit === undefined) return now;
  switch (edit.mode) {
    case "add":
      return { ...now, ...edit.values };
    case "remove":
      return Object.fromEntries(Object.entries(now).filter(([name]) => !Object.hasOwn(edit.values, name)));
    case "replace":
      return edit.values;
  }
}

/** Only the fields that differ. */
export function differences(before: ChannelInput, after: ChannelInput): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const field of Object.keys(after) as (keyof ChannelInput)[]) {
    if (field === "key") continue;
    const [was, is] = [words(before[field]), words(after[field])];
    const removed = was.filter((word) => !is.includes(word));
    const added = is.filter((word) => !was.includes(word));
    if (removed.length + added.length > 0) changes.push({ field, removed, added });
  }
  return changes;
}

/** A value as a set of words: a list is its items, an object its pairs. */
function words(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).map(
      ([name, part]) => `${name}: ${typeof part === "string" ? part : JSON.stringify(part)}`,
    );
  return value === "" ? [] : [String(value)];
}
