/** Exports settings to a file and imports them, with a preview before the change. */
import type { SettingsFile, SettingsPreview } from "@gateway/shared/site/settings-transfer";
import { ActionIcon, FileButton, Menu, Modal } from "@mantine/core";
import { IconDots, IconDownload, IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { downloadJson } from "#lib/download.ts";
import { useSystemName } from "#lib/site.ts";
import { lazyPart, reportMissing } from "#ui/lazy-part.tsx";
import { toast } from "#ui/toast.tsx";
import { useExportSettings, usePreviewSettings } from "./api.ts";

const SettingChanges = lazyPart(() =>
  import("./transfer-changes.tsx").then((module) => module.SettingChanges),
);

/** Far larger than any export of ours. */
const MOST_BYTES = 900_000;

export function TransferMenu() {
  const { t } = useTranslation("settings");
  const name = useSystemName();
  const exporting = useExportSettings();
  const preview = usePreviewSettings();
  const [chosen, setChosen] = useState<{ file: SettingsFile; preview: SettingsPreview } | null>(null);
  const picker = useRef<() => void>(null);

  const download = () =>
    exporting.mutate(undefined, {
      onSuccess: (file) => downloadJson(`${name.replace(/[^\p{L}\p{N}]+/gu, "-")}-settings.json`, file),
    });
  const read = async (picked: File | null) => {
    if (!picked) return;
    const file = picked.size > MOST_BYTES ? undefined : await parseFile(await picked.text());
    if (file === undefined) {
      toast.warning(t("This is not a settings file. Choose a file that was exported on this screen."));
      return;
    }
    preview.mutate(file, { onSuccess: (answer) => setChosen({ file, preview: answer }) });
  };

  return (
    <>
      <FileButton onChange={(file) => void read(file).catch(reportMissing)} accept="application/json,.json">
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
        {chosen ? <SettingChanges {...chosen} onDone={() => setChosen(null)} /> : null}
      </Modal>
    </>
  );
}

async function parseFile(text: string): Promise<SettingsFile | undefined> {
  const { SettingsFile: schema } = await import("@gateway/shared/site/settings-transfer");
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
