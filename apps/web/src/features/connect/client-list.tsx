/** The choice of the client: a list beside the instructions, on phones a select. */
import { type ClientKind, clients } from "@gateway/shared/connect/clients";
import { Select, Text, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { phrasesIn } from "#lib/i18n.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";
import classes from "./connect.module.css";

const phrase = phrasesIn("connect");

const kinds: { kind: ClientKind; title: string }[] = [
  { kind: "agent", title: phrase("Coding agents") },
  { kind: "editor", title: phrase("Editors") },
  { kind: "chat", title: phrase("Chat applications") },
  { kind: "library", title: phrase("Libraries") },
];

type ClientListProps = { value: string; onChange: (id: string) => void };

export function ClientList({ value, onChange }: ClientListProps) {
  const { t } = useTranslation("connect");
  const groups = kinds.map(({ kind, title }) => ({
    title: t(title),
    items: clients.filter((client) => client.kind === kind),
  }));
  if (useIsPhone())
    return (
      <Select
        label={t("Client")}
        data={groups.map(({ title, items }) => ({
          group: title,
          items: items.map(({ id, name }) => ({ value: id, label: name })),
        }))}
        value={value}
        onChange={(next) => (next === null ? undefined : onChange(next))}
        allowDeselect={false}
        searchable
      />
    );
  return (
    <nav aria-label={t("Client")} className={classes.clients}>
      {groups.map(({ title, items }) => (
        <div key={title}>
          <Text fz="xs" c="dimmed" fw={500} px={10} pb={4}>
            {title}
          </Text>
          {items.map(({ id, name, icon }) => (
            <UnstyledButton
              key={id}
              className={classes.client}
              aria-current={id === value ? "true" : undefined}
              onClick={() => onChange(id)}
            >
              <ProviderIcon name={icon} size={18} />
              <span>{name}</span>
            </UnstyledButton>
          ))}
        </div>
      ))}
    </nav>
  );
}
