/** The logo: an address, or a small image stored in the settings themselves. */
import { Button, FileButton, Group, TextInput } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Mark } from "#components/icons/mark.tsx";
import { toast } from "#ui/toast.tsx";
import classes from "#features/settings/settings.module.css";

const mostBytes = 60_000;

type LogoFieldProps = {
  label: string;
  description?: ReactNode;
  error?: string | undefined;
  value: string;
  onChange: (value: string) => void;
};

export function LogoField({ value, onChange, ...wrapper }: LogoFieldProps) {
  const { t } = useTranslation("settings");
  const isUploaded = value.startsWith("data:");

  const read = (file: File | null) => {
    if (!file) return;
    if (file.size > mostBytes) {
      toast.warning(t("The image is too large: at most 60 KB."));
      return;
    }
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      if (typeof reader.result === "string") onChange(reader.result);
    });
    reader.readAsDataURL(file);
  };

  return (
    <Group gap="sm" align="flex-start" wrap="nowrap">
      <div className={classes.logo}>{value ? <img src={value} alt="" /> : <Mark size={40} />}</div>
      <TextInput
        flex={1}
        {...wrapper}
        placeholder="https://"
        value={isUploaded ? t("Uploaded image") : value}
        readOnly={isUploaded}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <FileButton onChange={read} accept="image/png,image/svg+xml,image/jpeg,image/webp">
        {(props) => (
          <Button
            {...props}
            variant="default"
            className={classes.upload ?? ""}
            leftSection={<IconUpload size={15} stroke={1.7} />}
          >
            {t("Upload")}
          </Button>
        )}
      </FileButton>
    </Group>
  );
}
