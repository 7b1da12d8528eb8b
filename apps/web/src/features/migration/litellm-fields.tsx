/** What only LiteLLM needs. The salt key stays in this page: it is used for the run, and stored nowhere. */
import { MAX_LITELLM_CONFIG, MAX_LITELLM_CREDIT } from "@gateway/shared/site/migration";
import { FileInput, NumberInput, PasswordInput, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./report.module.css";

export type LitellmOptions = {
  config: string;
  saltKey: string;
  /** Dollars; "" = none. */
  credit: number | "";
};

export const emptyLitellm: LitellmOptions = { config: "", saltKey: "", credit: "" };

export function isTooLong({ config }: LitellmOptions): boolean {
  return config.length > MAX_LITELLM_CONFIG;
}

type LitellmFieldsProps = { value: LitellmOptions; onChange: (value: LitellmOptions) => void };

export function LitellmFields({ value, onChange }: LitellmFieldsProps) {
  const { t } = useTranslation("migration");
  const [refused, setRefused] = useState(false);
  const change = (part: Partial<LitellmOptions>) => onChange({ ...value, ...part });
  const tooLong = t("The file is larger than {{kilobytes}} KB.", { kilobytes: MAX_LITELLM_CONFIG / 1024 });

  async function readConfig(file: File | null) {
    // A large file is not read.
    setRefused(file !== null && file.size > MAX_LITELLM_CONFIG);
    if (file !== null && file.size <= MAX_LITELLM_CONFIG) change({ config: await file.text() });
  }

  return (
    <Stack gap="md">
      <PasswordInput
        label={t("Salt key")}
        description={t(
          "LITELLM_SALT_KEY, or the master key if that is not set. It decrypts the provider keys of the database, and is not stored.",
        )}
        autoComplete="off"
        maxLength={500}
        value={value.saltKey}
        onChange={(event) => change({ saltKey: event.currentTarget.value })}
      />
      <FileInput
        classNames={{ placeholder: classes.file }}
        label={t("Configuration file")}
        description={t(
          "The config.yaml that LiteLLM starts with, if it has one. You can also paste it below.",
        )}
        placeholder={t("Choose a file")}
        accept=".yaml,.yml,application/yaml"
        onChange={(file) => void readConfig(file)}
        error={refused ? tooLong : null}
        clearable
        clearButtonProps={{ "aria-label": t("Remove the file") }}
      />
      <Textarea
        label={t("Content of config.yaml")}
        description={t(
          "Keys that it reads from environment variables (os.environ/…) are not available here: their channels are disabled until you enter the key.",
        )}
        autosize
        minRows={3}
        maxRows={12}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        value={value.config}
        onChange={(event) => change({ config: event.currentTarget.value })}
        error={isTooLong(value) ? tooLong : null}
      />
      <NumberInput
        label={t("Starting balance in dollars")}
        description={t(
          "For each account without a fixed budget. LiteLLM has no balances, but here every call is paid from a balance. Empty = 0.",
        )}
        min={0}
        max={MAX_LITELLM_CREDIT}
        decimalScale={2}
        value={value.credit}
        onChange={(credit) => change({ credit: credit === "" ? "" : Number(credit) })}
      />
    </Stack>
  );
}
