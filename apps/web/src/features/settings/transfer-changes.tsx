/** What an import of settings would change. */
import type { SettingsFile, SettingsPreview } from "@gateway/shared/site/settings-transfer";
import { Button, Code, ScrollArea, Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { toast } from "#ui/toast.tsx";
import { useImportSettings } from "./api.ts";
import { labelOf } from "./sections/fields.ts";

type SettingChangesProps = { file: SettingsFile; preview: SettingsPreview; onDone: () => void };

export function SettingChanges({ file, preview, onDone }: SettingChangesProps) {
  const { t } = useTranslation("settings");
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
      {changes.length === 0 ? <Text>{t("Nothing would change.")}</Text> : null}
      {changes.length + skipped.length === 0 ? null : (
        <ScrollArea.Autosize mah={420}>
          <Table fz="sm" verticalSpacing={6} layout="fixed" stickyHeader>
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
                  <Name setting={key} />
                  <Table.Td>
                    <Value value={before} />
                  </Table.Td>
                  <Table.Td>
                    <Value value={after} />
                  </Table.Td>
                </Table.Tr>
              ))}
              {skipped.map(({ key, reason }) => (
                <Table.Tr key={key}>
                  <Name setting={key} />
                  <Table.Td colSpan={2} c="dimmed">
                    {t("Not imported: {{reason}}", { reason: reasons[reason] })}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      )}
      <Text fz="sm" c="dimmed">
        {same > 0 ? `${t("{{count}} settings already match the file.", { count: same })} ` : ""}
        {t("Settings files contain no secrets. Stored secrets are not changed.")}
      </Text>
      <DialogButtons>
        <Button variant="default" onClick={onDone}>
          {t("Cancel")}
        </Button>
        <Button disabled={changes.length === 0} loading={bringIn.isPending} onClick={apply}>
          {t("Import")}
        </Button>
      </DialogButtons>
    </Stack>
  );
}

/** The label of a setting and its key. */
function Name({ setting }: { setting: string }) {
  const { t } = useTranslation("settings");
  const label = labelOf(setting);
  return (
    <Table.Td style={{ overflowWrap: "anywhere" }}>
      {label === undefined ? null : t(label)}
      <Text c="dimmed" fz="xs" ff="monospace">
        {setting}
      </Text>
    </Table.Td>
  );
}

function Value({ value }: { value: string | number | boolean }) {
  const { t } = useTranslation("settings");
  if (typeof value === "boolean") return value ? t("on") : t("off");
  if (value === "")
    return (
      <Text span c="dimmed" fz="sm">
        {t("empty")}
      </Text>
    );
  const text = String(value);
  return (
    <Code style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
      {text.length > 80 ? `${text.slice(0, 80)}…` : text}
    </Code>
  );
}
