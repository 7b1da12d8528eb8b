/** The chat clients as rows, stored as the JSON list of the older API. */
import { defaultChatLinks, readChatLinks } from "@gateway/shared/site/chat-link";
import type { ChatLinkEntry } from "@gateway/shared/site/formats/chat-link-entry";
import {
  ActionIcon,
  Button,
  Code,
  Group,
  NumberInput,
  Switch,
  Text,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { chatLinkProblemsQuery } from "#features/settings/api.ts";
import { joinList } from "#lib/format/join-list.ts";
import { useRows } from "./use-rows.ts";
import classes from "#features/settings/settings.module.css";

type ChatLinksFieldProps = {
  label: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

type ChatLinkRow = ChatLinkEntry & { id: number };

let lastId = 0;
const rowOf = (entry: ChatLinkEntry): ChatLinkRow => ({ ...entry, id: ++lastId });
const rowsOf = (text: string) => (readChatLinks(text) ?? []).map(rowOf);
const textOf = (rows: readonly ChatLinkEntry[]) =>
  rows.length === 0
    ? ""
    : JSON.stringify(rows.map(({ name, url, show, sort }) => ({ name, url, show, sort })));

export function ChatLinksField({ label, value, error, onChange }: ChatLinksFieldProps) {
  const { t } = useTranslation("settings");
  const [rows, change] = useRows(value, { read: rowsOf, write: textOf, onChange });
  const set = (id: number, patch: Partial<ChatLinkEntry>) =>
    change(rows.map((row) => (row.id === id ? { ...row, ...patch } : row)));

  return (
    <fieldset className={classes.links}>
      <legend>{label}</legend>
      <Text c="dimmed" fz="xs" mb="xs">
        {t("These placeholders are replaced in addresses:")} <Code>{"{key}"}</Code> <Code>{"{server}"}</Code>
      </Text>
      {rows.length === 0 ? (
        <Text fz="sm" mb="xs">
          {t("The list is empty. The default clients are offered: {{names}}.", {
            names: joinList(defaultChatLinks.filter((entry) => entry.show).map((entry) => entry.name)),
          })}
        </Text>
      ) : null}
      {rows.map((row, place) => (
        <LinkRow
          key={row.id}
          row={row}
          number={place + 1}
          onChange={(patch) => set(row.id, patch)}
          onRemove={() => change(rows.filter((one) => one.id !== row.id))}
        />
      ))}
      {error && rows.length > 0 ? (
        <Text c="red" fz="xs" role="alert" mb="xs">
          {error}
        </Text>
      ) : null}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() =>
            change([...rows, rowOf({ name: "", url: "https://", show: true, sort: rows.length + 1 })])
          }
        >
          {t("Add client")}
        </Button>
        {rows.length === 0 ? (
          <Button size="xs" variant="subtle" onClick={() => change(defaultChatLinks.map(rowOf))}>
            {t("Start with the default clients")}
          </Button>
        ) : null}
      </Group>
    </fieldset>
  );
}

type LinkRowProps = {
  row: ChatLinkRow;
  number: number;
  onChange: (patch: Partial<ChatLinkEntry>) => void;
  onRemove: () => void;
};

function LinkRow({ row, number, onChange, onRemove }: LinkRowProps) {
  const { t } = useTranslation("settings");
  const { data: checks } = useQuery(chatLinkProblemsQuery);
  const problem = (key: "name" | "url") => checks?.chatLinkProblem(t, key, row[key]);
  const remove = t("Remove client {{number}}", { number });
  return (
    <div className={classes.link}>
      <TextInput
        aria-label={t("Name of client {{number}}", { number })}
        placeholder={t("Name")}
        value={row.name}
        error={problem("name")}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <TextInput
        aria-label={t("Address of client {{number}}", { number })}
        placeholder="https://chat.example.com/#/?key={key}&server={server}"
        value={row.url}
        error={problem("url")}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      <NumberInput
        aria-label={t("Order of client {{number}}, highest first", { number })}
        placeholder={t("Order")}
        min={0}
        max={100_000}
        allowDecimal={false}
        value={row.sort}
        onChange={(sort) => onChange({ sort: typeof sort === "number" ? sort : 0 })}
      />
      <Switch
        label={t("Shown")}
        checked={row.show}
        onChange={(event) => onChange({ show: event.currentTarget.checked })}
      />
      <Tooltip label={remove}>
        <ActionIcon aria-label={remove} onClick={onRemove}>
          <IconTrash size={16} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
