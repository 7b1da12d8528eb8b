/** What to compare, and how to read the old gateway. Address and token live in this page only. */
import {
  type ComparisonForm as Form,
  comparisonLimits,
  type ComparisonProduct,
} from "@gateway/shared/site/comparison";
import {
  Button,
  Group,
  Input,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Select,
  TextInput,
} from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { SearchSelect } from "#components/search-select.tsx";
import { allChannels, findChannels, nameOfChannel } from "#lib/queries/channels.ts";
import { Fold } from "#ui/fold.tsx";
import classes from "./parallel-run.module.css";

export type ComparisonDraft = {
  product: string;
  channel: number;
  keyName: string;
  username: string;
  kind: "api" | "database";
  url: string;
  accessToken: string;
  userId: number | "";
  address: string;
  hours: string;
  windowSeconds: number;
  tolerance: number;
};

export const emptyComparison: ComparisonDraft = {
  product: "",
  channel: 0,
  keyName: "",
  username: "",
  kind: "api",
  url: "",
  accessToken: "",
  userId: "",
  address: "",
  hours: "24",
  windowSeconds: 60,
  tolerance: 1,
};

type ComparisonField = "product" | "channel" | "keyName" | "url" | "accessToken" | "userId" | "address";

type ComparisonFormProps = {
  products: readonly ComparisonProduct[];
  draft: ComparisonDraft;
  onChange: (draft: ComparisonDraft) => void;
  running: boolean;
  onSubmit: (form: Form) => void;
  /** Progress or failure, above the button. */
  children: ReactNode;
};

export function ComparisonForm({
  products,
  draft,
  onChange,
  running,
  onSubmit,
  children,
}: ComparisonFormProps) {
  const { t } = useTranslation("migration");
  const [missing, setMissing] = useState<readonly ComparisonField[]>([]);
  const product = products.find(({ id }) => id === draft.product);
  const kind = product?.has_log_api === false ? "database" : draft.kind;
  const needsUserId = kind === "api" && draft.product === "new-api";
  const change = (part: Partial<ComparisonDraft>) => {
    setMissing(missing.filter((field) => !(field in part)));
    onChange({ ...draft, ...part });
  };
  const faultOf = (field: ComparisonField) => (missing.includes(field) ? t("This is required") : null);

  function submit() {
    const values: Record<ComparisonField, boolean> = {
      product: draft.product !== "",
      channel: draft.channel > 0,
      keyName: draft.keyName.trim() !== "",
      url: kind === "database" || draft.url.trim() !== "",
      accessToken: kind === "database" || draft.accessToken.trim() !== "",
      userId: !needsUserId || draft.userId !== "",
      address: kind === "api" || draft.address.trim() !== "",
    };
    const absent = (Object.keys(values) as ComparisonField[]).filter((field) => !values[field]);
    setMissing(absent);
    if (absent.length === 0) onSubmit(formOf(draft, kind));
  }

  return (
    <form
      noValidate
      autoComplete="off"
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Select
        label={t("Old gateway")}
        placeholder={t("Choose a product")}
        data={products.map(({ id, title }) => ({ value: id, label: title }))}
        value={draft.product || null}
        onChange={(id) => change({ product: id ?? "" })}
        error={faultOf("product")}
        allowDeselect={false}
      />
      <Input.Wrapper label={t("Channel to the old gateway")} error={faultOf("channel")} labelElement="div">
        <SearchSelect
          label={t("Channel to the old gateway")}
          placeholder={t("Choose a channel")}
          kind={allChannels}
          find={findChannels}
          nameOf={nameOfChannel}
          value={draft.channel}
          onChange={(channel) => change({ channel })}
          error={missing.includes("channel")}
        />
      </Input.Wrapper>
      <TextInput
        label={t("Key name in the old gateway")}
        description={t("The name of the key that the channel uses. Nothing else should use this key.")}
        maxLength={200}
        value={draft.keyName}
        onChange={(event) => change({ keyName: event.currentTarget.value })}
        error={faultOf("keyName")}
      />
      <Select
        label={t("Period")}
        description={t("The calls of this period are compared.")}
        data={[
          { value: "1", label: t("Last hour") },
          { value: "24", label: t("Last 24 hours") },
          { value: "168", label: t("Last 7 days") },
          { value: String(comparisonLimits.hours), label: t("Last 31 days") },
        ]}
        value={draft.hours}
        onChange={(hours) => change({ hours: hours ?? "24" })}
        allowDeselect={false}
      />
      {product?.has_log_api === false ? null : (
        <SegmentedControl
          className={classes.whole}
          aria-label={t("Access to the old log")}
          data={[
            { value: "api", label: t("Management API") },
            { value: "database", label: t("MySQL or Postgres") },
          ]}
          value={kind}
          onChange={(next) => change({ kind: next })}
        />
      )}
      {kind === "api" ? (
        <ApiFields draft={draft} change={change} faultOf={faultOf} needsUserId={needsUserId} />
      ) : (
        <DatabaseField draft={draft} change={change} faultOf={faultOf} />
      )}
      <MoreOptions draft={draft} change={change} />
      {children === null ? null : <div className={classes.whole}>{children}</div>}
      <Group className={classes.whole} justify="flex-end">
        <Button type="submit" loading={running}>
          {t("Compare")}
        </Button>
      </Group>
    </form>
  );
}

type FieldsProps = { draft: ComparisonDraft; change: (part: Partial<ComparisonDraft>) => void };
type CheckedFieldsProps = FieldsProps & { faultOf: (field: ComparisonField) => string | null };

/** Access through the management API of the old gateway. */
function ApiFields({ draft, change, faultOf, needsUserId }: CheckedFieldsProps & { needsUserId: boolean }) {
  const { t } = useTranslation("migration");
  return (
    <>
      <TextInput
        label={t("Address of the old gateway")}
        description={t("Without a path, for example https://old.example.com.")}
        type="url"
        maxLength={2_000}
        value={draft.url}
        onChange={(event) => change({ url: event.currentTarget.value })}
        error={faultOf("url")}
      />
      <PasswordInput
        visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
        label={t("Access token of the key's owner")}
        description={t(
          "You find it on the profile page of the old gateway. It is only sent to the address of the old gateway, and it is not stored.",
        )}
        autoComplete="off"
        maxLength={500}
        value={draft.accessToken}
        onChange={(event) => change({ accessToken: event.currentTarget.value })}
        error={faultOf("accessToken")}
      />
      {needsUserId ? (
        <NumberInput
          label={t("User ID of the key's owner")}
          description={t("New API requires it together with the access token.")}
          min={1}
          max={2_147_483_647}
          allowDecimal={false}
          value={draft.userId}
          onChange={(userId) => change({ userId: Number(userId) || "" })}
          error={faultOf("userId")}
        />
      ) : null}
    </>
  );
}

/** Access to the database of the old gateway. */
function DatabaseField({ draft, change, faultOf }: CheckedFieldsProps) {
  const { t } = useTranslation("migration");
  return (
    <PasswordInput
      visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
      className={classes.whole}
      label={t("Database address")}
      description={t(
        "For example mysql://user:password@host:3306/oneapi. This server connects to it and only reads. The address is not stored.",
      )}
      placeholder="postgres://user:password@host:5432/newapi"
      autoComplete="off"
      maxLength={2_000}
      value={draft.address}
      onChange={(event) => change({ address: event.currentTarget.value })}
      error={faultOf("address")}
    />
  );
}

function MoreOptions({ draft, change }: FieldsProps) {
  const { t } = useTranslation("migration");
  return (
    <div className={classes.whole}>
      <Fold label={t("More options")}>
        <div className={classes.form}>
          <TextInput
            label={t("Owner of the key")}
            description={t("Required if several accounts there have a key of this name.")}
            maxLength={200}
            value={draft.username}
            onChange={(event) => change({ username: event.currentTarget.value })}
          />
          <NumberInput
            label={t("Time window, in seconds")}
            description={t(
              "How much the times of a call may differ in both logs. Used when the logs share no request ID.",
            )}
            min={1}
            max={comparisonLimits.windowSeconds}
            allowDecimal={false}
            value={draft.windowSeconds}
            onChange={(seconds) => change({ windowSeconds: Number(seconds) || 60 })}
          />
          <NumberInput
            label={t("Tolerance, in points")}
            description={t(
              "Charges that differ by at most this amount count as equal, because the gateways round differently.",
            )}
            min={0}
            max={comparisonLimits.tolerance}
            allowDecimal={false}
            value={draft.tolerance}
            onChange={(points) => change({ tolerance: Number(points) || 0 })}
          />
        </div>
      </Fold>
    </div>
  );
}

function formOf(draft: ComparisonDraft, kind: ComparisonDraft["kind"]): Form {
  return {
    product: draft.product,
    channel_id: draft.channel,
    key_name: draft.keyName.trim(),
    username: draft.username.trim(),
    source:
      kind === "database"
        ? { kind, address: draft.address.trim() }
        : {
            kind,
            url: draft.url.trim(),
            access_token: draft.accessToken.trim(),
            ...(draft.product === "new-api" && draft.userId !== "" ? { user_id: draft.userId } : {}),
          },
    hours: Number(draft.hours),
    window_seconds: draft.windowSeconds,
    tolerance: draft.tolerance,
  };
}
