/** Exports settings to a file and imports them, with a preview before the change. */
import { SettingsFile, type SettingsPreview } from "@gateway/shared/site/settings-transfer";
import { ActionIcon, Button, Code, FileButton, Group, Menu, Modal, Stack, Table, Text } from "@mantine/core";
import { IconDots, IconDownload, IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSystemName } from "#lib/site.ts";
import { toast } from "#ui/toast.tsx";
import { useExportSettings, useImportSettings, usePreviewSettings } from "./api.ts";
import { labelOf } from "./fields.ts";

/** Far larger than any export of ours. */
const MOST_BYTES = 900_000;

export function TransferMenu() {
  const { t } = useTranslation();
  const name = useSystemName();
  const exporting = useExportSettings();
  const preview = usePreviewSettings();
  const [chosen, setChosen] = useState<{ file: SettingsFile; preview: SettingsPreview } | null>(null);
  const picker = useRef<() => void>(null);

  const download = () =>
    exporting.mutate(undefined, {
      onSuccess: (file) => {
        const url = URL.createObjectURL(
          new Blob([JSON.stringify(file, null, 2)], { type: "application/json" }),
        );
        const link = document.createElement("a");
        link.href = url;
        link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, "-")}-settings.json`;
        link.click();
        URL.revokeObjectURL(url);
      },
    });
  const read = async (picked: File | null) => {
    if (!picked) return;
    const file = picked.size > MOST_BYTES ? undefined : parseFile(await picked.text());
    if (file === undefined) {
      toast.warning(t("This is not a settings file. Choose a file that was exported on this screen."));
      return;
    }
    preview.mutate(file, { onSuccess: (answer) => setChosen({ file, preview: answer }) });
  };

  return (
    <>
      <FileButton onChange={(file) => void read(file)} accept="application/json,.json">
        {({ onClick }) => {
          picker.current = onClick;
          return null;
        }}
      </FileButton>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t("More")} loading={preview.isPending}>
            <IconDots size={18} stroke={1.7} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconDownload size={16} stroke={1.7} />} onClick={download}>
            {t("Export settings")}
          </Menu.Item>
          <Menu.Item leftSection={<IconUpload size={16} stroke={1.7} />} onClick={() => picker.current?.()}>
            {t("Import settings")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={chosen !== null} onClose={() => setChosen(null)} title={t("Import settings")} size="lg">
        {chosen ? <Changes {...chosen} onDone={() => setChosen(null)} /> : null}
      </Modal>
    </>
  );
}

function parseFile(text: string): SettingsFile | undefined {
  try {
    return SettingsFile.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

type ChangesProps = { file: SettingsFile; preview: SettingsPreview; onDone: () => void };

function Changes({ file, preview, onDone }: ChangesProps) {
  const { t } = useTranslation();
  const bringIn = useImportSettings();
  const { changes, skipped, same } = preview;
  const reasons = {
    unknown: t("unknown setting"),
    secret: t("secret"),
    invalid: t("invalid value"),
  };
  const apply = () =>
    bringIn.mutate(file, {
      onSuccess: () => {
        toast.success(t("Settings imported"));
        onDone();
      },
    });
  return (
    <Stack>
      {changes.length === 0 ? (
        <Text>{t("Nothing would change.")}</Text>
      ) : (
        <Table.ScrollContainer minWidth={480} mah={420}>
          <Table fz="sm" verticalSpacing={6} stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("Setting")}</Table.Th>
                <Table.Th>{t("Now")}</Table.Th>
                <Table.Th>{t("After the import")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changes.map(({ key, before, after }) => (
                <Table.Tr key={key}>
                  <Table.Td>
                    {t(labelOf(key))}
                    <Text c="dimmed" fz="xs" ff="monospace">
                      {key}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <Value value={before} />
                  </Table.Td>
                  <Table.Td>
                    <Value value={after} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Text fz="sm" c="dimmed">
        {t("{{count}} settings already match the file.", { count: same })}{" "}
        {t("Settings files contain no secrets. Stored secrets are not changed.")}
      </Text>
      {skipped.length > 0 ? (
        <Text fz="sm" c="dimmed">
          {t("Not imported: {{list}}", {
            list: skipped.map(({ key, reason }) => `${key} (${reasons[reason]})`).join(", "),
          })}
        </Text>
      ) : null}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDone}>
          {t("Cancel")}
        </Button>
        <Button disabled={changes.length === 0} loading={bringIn.isPending} onClick={apply}>
          {t("Import")}
        </Button>
      </Group>
    </Stack>
  );
}

function Value({ value }: { value: string | number | boolean }) {
  const { t } = useTranslation();
  if (typeof value === "boolean") return value ? t("on") : t("off");
  if (value === "")
    return (
      <Text span c="dimmed" fz="sm">
        {t("empty")}
      </Text>
    );
  const text = String(value);
  return <Code>{text.length > 80 ? `${text.slice(0, 80)}…` : text}</Code>;
}
