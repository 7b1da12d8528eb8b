/** Which gateway, and where its database is. Nothing of it is stored: the address lives in this page only. */
import { MAX_IMPORT_FILE } from "@gateway/shared/site/migration";
import {
  Alert,
  Anchor,
  Button,
  FileInput,
  Group,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
} from "@mantine/core";
import { IconAlertCircle, IconFileDatabase } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { LoadError } from "#ui/empty.tsx";
import { Fold } from "#ui/fold.tsx";
import { productsQuery } from "./api.ts";
import { emptyLitellm, isTooLong, LitellmFields, type LitellmOptions } from "./litellm-fields.tsx";
import classes from "./report.module.css";

export type ImportSource = {
  product: string;
  kind: "file" | "address";
  file: File | null;
  address: string;
  logDays: number;
  prices: { name: string; content: unknown } | null;
  litellm: LitellmOptions;
};

export const emptySource: ImportSource = {
  product: "",
  kind: "file",
  file: null,
  address: "",
  logDays: 0,
  prices: null,
  litellm: emptyLitellm,
};

type SourceFormProps = {
  source: ImportSource;
  onChange: (source: ImportSource) => void;
  fault: string | null;
  token: string;
  onSubmit: () => Promise<void>;
};

export function SourceForm({ source, onChange, fault, token, onSubmit }: SourceFormProps) {
  const { t } = useTranslation("migration");
  const products = useQuery(productsQuery);
  const [starting, setStarting] = useState(false);
  const [missing, setMissing] = useState<"product" | "file" | "address" | null>(null);
  const [unreadable, setUnreadable] = useState(false);
  const change = (part: Partial<ImportSource>) => {
    setMissing(null);
    onChange({ ...source, ...part });
  };
  const product = products.data?.find(({ id }) => id === source.product);
  const onlyPostgres = product?.only_postgres === true;

  async function readPrices(file: File | null) {
    setUnreadable(false);
    if (file === null) return change({ prices: null });
    try {
      change({ prices: { name: file.name, content: JSON.parse(await file.text()) } });
    } catch {
      setUnreadable(true);
    }
  }

  function submit() {
    if (source.product === "") return setMissing("product");
    if (source.kind === "file" && source.file === null) return setMissing("file");
    if (source.kind === "address" && source.address.trim() === "") return setMissing("address");
    if (source.kind === "file" && isTooLarge(source.file)) return;
    if (onlyPostgres && isTooLong(source.litellm)) return;
    setStarting(true);
    void onSubmit().finally(() => setStarting(false));
  }

  if (products.isError) return <LoadError error={products.error} onRetry={() => void products.refetch()} />;
  if (products.data === undefined) return <Skeleton height={320} />;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        {fault === null ? null : (
          <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
            {fault}
          </Alert>
        )}
        <Select
          label={t("Other gateway")}
          placeholder={t("Choose a product")}
          data={products.data.map(({ id, title }) => ({ value: id, label: title }))}
          value={source.product || null}
          onChange={(id) => {
            const chosen = products.data.find((each) => each.id === id);
            change({ product: id ?? "", ...(chosen?.only_postgres === true ? { kind: "address" } : {}) });
          }}
          error={missing === "product" ? t("Choose a product") : null}
          allowDeselect={false}
        />
        {onlyPostgres ? null : (
          <SegmentedControl
            aria-label={t("Database location")}
            data={[
              { value: "file", label: t("SQLite file") },
              { value: "address", label: t("MySQL or Postgres") },
            ]}
            value={source.kind}
            onChange={(kind) => change({ kind })}
          />
        )}
        {source.kind === "file" ? (
          <DatabaseFile
            file={source.file}
            missing={missing === "file"}
            onChange={(file) => change({ file })}
          />
        ) : (
          <DatabaseAddress
            address={source.address}
            missing={missing === "address"}
            isLitellm={onlyPostgres}
            onChange={(address) => change({ address })}
          />
        )}
        {onlyPostgres ? (
          <LitellmFields value={source.litellm} onChange={(litellm) => change({ litellm })} />
        ) : null}
        <Fold label={t("More options")}>
          <NumberInput
            label={t("Days of the log to import")}
            description={t("0 = no log rows. Balances and usage are always imported.")}
            min={0}
            max={3_650}
            allowDecimal={false}
            value={source.logDays}
            onChange={(days) => change({ logDays: Number(days) || 0 })}
          />
          <FileInput
            classNames={{ placeholder: classes.file }}
            label={t("Price file")}
            description={t(
              "New API, One API and LiteLLM have built-in prices that are not in the database. Save the response of /api/pricing (New API), /api/option/ (One API) or /model/info (LiteLLM) of the running gateway, and choose that file.",
            )}
            placeholder={source.prices?.name ?? t("Choose a file")}
            accept="application/json,.json"
            onChange={(file) => void readPrices(file)}
            error={unreadable ? t("The file is not JSON.") : null}
            clearable
            clearButtonProps={{ "aria-label": t("Remove the file") }}
          />
        </Fold>
        <Group justify="space-between">
          <Anchor component={Link} to={`/setup?token=${encodeURIComponent(token)}`} fz="sm">
            {t("Set up without an import")}
          </Anchor>
          <Button type="submit" loading={starting}>
            {t("Start the dry run")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type DatabaseFileProps = { file: File | null; missing: boolean; onChange: (file: File | null) => void };

function DatabaseFile({ file, missing, onChange }: DatabaseFileProps) {
  const { t } = useTranslation("migration");
  return (
    <FileInput
      classNames={{ placeholder: classes.file }}
      label={t("Database file")}
      description={t(
        "Stop the other gateway, then choose its file, for example one-api.db. The file is stored on this server and deleted after the import.",
      )}
      placeholder={t("Choose a file")}
      leftSection={<IconFileDatabase size={16} stroke={1.7} />}
      value={file}
      onChange={onChange}
      error={
        isTooLarge(file)
          ? t("The file is larger than {{gigabytes}} GB. Use the command line: gateway import.", {
              gigabytes: MAX_IMPORT_FILE / 1024 ** 3,
            })
          : missing
            ? t("Choose a file")
            : null
      }
      clearable
      clearButtonProps={{ "aria-label": t("Remove the file") }}
    />
  );
}

function isTooLarge(file: File | null): boolean {
  return file !== null && file.size > MAX_IMPORT_FILE;
}

type DatabaseAddressProps = {
  address: string;
  missing: boolean;
  isLitellm: boolean;
  onChange: (address: string) => void;
};

function DatabaseAddress({ address, missing, isLitellm, onChange }: DatabaseAddressProps) {
  const { t } = useTranslation("migration");
  return (
    <PasswordInput
      visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
      label={t("Database address")}
      description={
        isLitellm
          ? t(
              "For example postgres://user:password@host:5432/litellm. This server connects to it and only reads. The address is not stored.",
            )
          : t(
              "For example mysql://user:password@host:3306/oneapi. This server connects to it and only reads. The address is not stored.",
            )
      }
      placeholder={`postgres://user:password@host:5432/${isLitellm ? "litellm" : "newapi"}`}
      autoComplete="off"
      value={address}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={missing ? t("Enter the address") : null}
    />
  );
}
