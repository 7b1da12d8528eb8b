/** Applies a batch edit to one channel and describes the difference. Pure functions. */
import type { ChannelInput } from "@gateway/shared/channels/channel";
import type { ChannelEdit, FieldChange } from "@gateway/shared/channels/channel-batch";

type ListEdit = NonNullable<ChannelEdit["models"]>;

/** Returns the channel with the edit applied. Fields that the edit omits keep the same value objects. */
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

/** Returns only the fields that differ. */
export function differences(
  before: ChannelInput,
  after: ChannelInput,
): (FieldChange & { field: keyof ChannelInput })[] {
  const changes: (FieldChange & { field: keyof ChannelInput })[] = [];
  for (const field of Object.keys(after) as (keyof ChannelInput)[]) {
    if (field === "key") continue;
    const [was, is] = [words(before[field]), words(after[field])];
    const removed = was.filter((word) => !is.includes(word));
    const added = is.filter((word) => !was.includes(word));
    if (removed.length + added.length > 0) changes.push({ field, removed, added });
  }
  return changes;
}

/** Returns a value as a list of words: the items of a list, the pairs of an object. */
function words(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).map(
      ([name, part]) => `${name}: ${typeof part === "string" ? part : JSON.stringify(part)}`,
    );
  return value === "" ? [] : [String(value)];
}
