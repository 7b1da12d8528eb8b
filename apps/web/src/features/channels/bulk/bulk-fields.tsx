/** The fields that a bulk edit can set. */
import type { ChannelEditForm } from "@gateway/shared/channels/channel-batch";
import {
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useGroupNames } from "#components/group-name.tsx";
import { groupSymbolsQuery } from "#lib/queries/groups.ts";
import { JsonField } from "#ui/json/json-field.tsx";
import classes from "#features/channels/channels.module.css";

type Mode = "add" | "remove" | "replace";

export type BulkDraft = {
  modelMode: Mode;
  models: string[];
  groupMode: Mode;
  groups: string[];
  mappingMode: Mode;
  /** Null for invalid JSON. */
  mapping: Record<string, string> | null;
  priority: number | "";
  weight: number | "";
  changesTag: boolean;
  tag: string;
  keys: string;
  removeMissing: boolean;
};

export const noChange: BulkDraft = {
  modelMode: "add",
  models: [],
  groupMode: "add",
  groups: [],
  mappingMode: "add",
  mapping: {},
  priority: "",
  weight: "",
  changesTag: false,
  tag: "",
  keys: "",
  removeMissing: false,
};

export function isEmptyDraft(draft: BulkDraft): boolean {
  return Object.keys(editOf(draft)).length === 0 && draft.keys.trim() === "";
}

/** Returns only the filled-in fields. */
export function editOf(draft: BulkDraft): ChannelEditForm {
  const { modelMode, models, groupMode, groups, mappingMode, mapping, priority, weight } = draft;
  const hasMapping = mapping !== null && Object.keys(mapping).length > 0;
  return {
    ...(models.length > 0 ? { models: { mode: modelMode, values: models } } : {}),
    ...(groups.length > 0 ? { groups: { mode: groupMode, values: groups } } : {}),
    ...(hasMapping ? { model_mapping: { mode: mappingMode, values: mapping } } : {}),
    ...(priority === "" ? {} : { priority }),
    ...(weight === "" ? {} : { weight }),
    ...(draft.changesTag ? { tag: draft.tag.trim() } : {}),
  };
}

const separators = [",", "，", "\n", "\r", "\t", ";", " "];

type BulkFieldsProps = { draft: BulkDraft; isTag: boolean; onChange: (draft: BulkDraft) => void };

export function BulkFields({ draft, isTag, onChange }: BulkFieldsProps) {
  const { t } = useTranslation("channels");
  const groups = useQuery(groupSymbolsQuery).data ?? [];
  const groupName = useGroupNames();
  const set = (patch: Partial<BulkDraft>) => onChange({ ...draft, ...patch });
  return (
    <>
      <ListField label={t("Models")} mode={draft.modelMode} onMode={(modelMode) => set({ modelMode })}>
        <TagsInput
          aria-label={t("Models")}
          placeholder={
            draft.models.length === 0
              ? t("Type or paste names, separated by commas or line breaks")
              : undefined
          }
          value={draft.models}
          splitChars={separators}
          onChange={(models) => set({ models: [...new Set(models.map((model) => model.trim()))] })}
          classNames={{ input: classes.modelsInput }}
        />
      </ListField>
      <ListField label={t("Groups")} mode={draft.groupMode} onMode={(groupMode) => set({ groupMode })}>
        <MultiSelect
          aria-label={t("Groups")}
          data={groups.map((symbol) => ({ value: symbol, label: groupName(symbol) }))}
          value={draft.groups}
          onChange={(chosen) => set({ groups: chosen })}
          searchable
          hidePickedOptions
        />
      </ListField>
      <ListField
        label={t("Model mapping")}
        mode={draft.mappingMode}
        onMode={(mappingMode) => set({ mappingMode })}
      >
        <JsonField
          aria-label={t("Model mapping")}
          placeholder={'{"gpt-4o": "+gpt-4o-2024-11-20"}'}
          completions={draft.models}
          value={draft.mapping}
          onChange={(value) => set({ mapping: asMapping(value) })}
          error={
            draft.mapping === null
              ? t('Enter a JSON object whose values are strings, such as {"name": "value"}')
              : undefined
          }
        />
      </ListField>
      <Group grow align="flex-start">
        <NumberInput
          label={t("Priority")}
          placeholder={t("Unchanged")}
          min={0}
          allowDecimal={false}
          value={draft.priority}
          onChange={(value) => set({ priority: asNumber(value) })}
        />
        <NumberInput
          label={t("Weight")}
          placeholder={t("Unchanged")}
          min={1}
          allowDecimal={false}
          value={draft.weight}
          onChange={(value) => set({ weight: asNumber(value) })}
        />
      </Group>
      <Stack gap={8}>
        <Checkbox
          label={t("Change the tag")}
          checked={draft.changesTag}
          onChange={(event) => set({ changesTag: event.currentTarget.checked })}
        />
        {draft.changesTag ? (
          <TextInput
            aria-label={t("Tag")}
            placeholder={t("Leave it empty to remove the tag")}
            value={draft.tag}
            maxLength={64}
            onChange={(event) => set({ tag: event.currentTarget.value })}
          />
        ) : null}
      </Stack>
      {isTag ? (
        <Stack gap={8}>
          <Textarea
            label={t("Keys")}
            description={t(
              "Enter one key per line. For each key that no channel of this tag uses, the newest channel is copied with that key.",
            )}
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            autoComplete="off"
            classNames={{ input: classes.mono }}
            value={draft.keys}
            onChange={(event) => set({ keys: event.currentTarget.value })}
          />
          <Checkbox
            label={t("Delete channels whose key is not in this list")}
            checked={draft.removeMissing}
            disabled={draft.keys.trim() === ""}
            onChange={(event) => set({ removeMissing: event.currentTarget.checked })}
          />
        </Stack>
      ) : null}
    </>
  );
}

function asNumber(value: string | number): number | "" {
  return typeof value === "number" ? value : "";
}

function asMapping(value: unknown): Record<string, string> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  return entries.every(([, target]) => typeof target === "string")
    ? (Object.fromEntries(entries) as Record<string, string>)
    : null;
}

type ListedProps = { label: string; mode: Mode; onMode: (mode: Mode) => void; children: ReactNode };

function ListField({ label, mode, onMode, children }: ListedProps) {
  const { t } = useTranslation("channels");
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap">
        <Text fw={600} fz="sm">
          {label}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label={t("Action for {{field}}", { field: label })}
          value={mode}
          onChange={(next) => onMode(next)}
          data={[
            { value: "add", label: t("Add") },
            { value: "remove", label: t("Remove") },
            { value: "replace", label: t("Replace") },
          ]}
        />
      </Group>
      {children}
    </Stack>
  );
}
