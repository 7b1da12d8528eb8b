/** Imports a price list: source, preview, and import mode. */
import type { PriceChanges, PricePreview, SyncMode } from "@gateway/shared/billing/price";
import { Alert, Button, Group, Radio, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/errors/error-text.ts";
import { joinList } from "#lib/format/join-list.ts";
import { confirm } from "#ui/confirm.tsx";
import { Empty } from "#ui/empty.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { toast } from "#ui/toast.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { updateServiceQuery, usePreview, useTakeOver } from "./api.ts";
import type { Owners } from "./price-columns.tsx";
import { linesOf, PriceDiff } from "./price-diff.tsx";
import classes from "./prices.module.css";

export function UpdateDialog({ owners, onClose }: { owners: Owners; onClose: () => void }) {
  const { t } = useTranslation("prices");
  const phone = useIsPhone();
  const service = useQuery(updateServiceQuery).data ?? "";
  const [source, setSource] = useState<"own" | "url">("own");
  const [stored, setStored] = useLocalStorage({ key: "priceListUrl", defaultValue: "" });
  const [typed, setTyped] = useState<string | null>(null);
  const url = typed ?? (stored || service);
  const preview = usePreview();
  const changeSource = (act: () => void) => {
    preview.reset();
    act();
  };
  const fetchList = () => {
    if (source === "url") setStored(url);
    preview.mutate(source === "url" ? url : "");
  };
  return (
    <HelpModal
      help="billing#set-prices"
      opened
      onClose={onClose}
      size={820}
      fullScreen={phone}
      title={t("Update prices")}
    >
      <Stack gap="lg">
        <Stack gap="sm">
          <SegmentedControl
            aria-label={t("Source")}
            data={[
              { value: "own", label: t("Built-in list") },
              { value: "url", label: t("List from a URL") },
            ]}
            value={source}
            onChange={(next) => changeSource(() => setSource(next))}
          />
          <Group
            gap="xs"
            wrap="nowrap"
            align="flex-start"
            component="form"
            onSubmit={(event) => {
              event.preventDefault();
              fetchList();
            }}
          >
            {source === "url" ? (
              <TextInput
                flex={1}
                type="url"
                aria-label={t("URL of the list")}
                placeholder="https://example.com/prices.json"
                value={url}
                error={preview.error ? errorReason(preview.error, t) : null}
                onChange={(event) => {
                  const next = event.currentTarget.value;
                  changeSource(() => setTyped(next));
                }}
              />
            ) : (
              <Text flex={1} c="dimmed" fz="sm">
                {t("Published provider prices at the release of this version.")}
              </Text>
            )}
            <Button
              type="submit"
              variant="default"
              loading={preview.isPending}
              disabled={source === "url" && url === ""}
            >
              {t("Fetch")}
            </Button>
          </Group>
        </Stack>
        {preview.data ? (
          <PriceUpdateChanges preview={preview.data} owners={owners} onDone={onClose} />
        ) : preview.error && source === "own" ? (
          <Text c="red" fz="sm" role="alert">
            {errorReason(preview.error, t)}
          </Text>
        ) : (
          <Text c="dimmed" fz="sm">
            {t("Fetch data first, then choose what to import.")}
          </Text>
        )}
      </Stack>
    </HelpModal>
  );
}

/** The preview shows the overwrite mode. The other modes apply parts of it. */
function changesOf({ changes }: PricePreview, mode: SyncMode): PriceChanges {
  const none = { added: [], changed: [], removed: [], locked: [] };
  if (mode === "add") return { ...none, added: changes.added };
  if (mode === "update") return { ...none, changed: changes.changed, locked: changes.locked };
  return changes;
}

type PriceUpdateChangesProps = { preview: PricePreview; owners: Owners; onDone: () => void };

function PriceUpdateChanges({ preview, owners, onDone }: PriceUpdateChangesProps) {
  const { t } = useTranslation("prices");
  const [mode, setMode] = useState<SyncMode>("add");
  const takeOver = useTakeOver();
  const changes = changesOf(preview, mode);
  const count = linesOf(changes).length;
  const { added, changed, removed, locked } = preview.changes;

  const apply = async () => {
    const sure =
      mode !== "overwrite" ||
      (await confirm({
        title: t("Overwrite all prices?"),
        body: t(
          "{{removed}} prices missing from the list are removed, {{changed}} are replaced. Locked prices stay.",
          {
            removed: removed.length,
            changed: changed.length,
          },
        ),
        action: t("Overwrite all"),
      }));
    if (!sure) return;
    takeOver.mutate(
      { mode, prices: preview.prices },
      {
        onSuccess: (done) => {
          toast.success(t("{{count}} prices changed", { count: linesOf(done).length }));
          onDone();
        },
      },
    );
  };

  const facts: [string, number][] = [
    [t("In the list"), preview.prices.length],
    [t("New"), added.length],
    [t("Changed"), changed.length],
    [t("Not in the list"), removed.length],
  ];
  return (
    <>
      <div className={classes.counts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <Text c="dimmed" fz="xs">
              {label}
            </Text>
            <b>{value}</b>
          </div>
        ))}
      </div>
      <Radio.Group value={mode} onChange={(next) => setMode(next)} label={t("What to import")}>
        <Stack gap={8} mt={6}>
          <Radio value="add" label={t("Add only: import models without a price")} />
          <Radio value="update" label={t("Update only: change models that have a price")} />
          <Radio value="overwrite" label={t("Overwrite all: replace every price that is not locked")} />
        </Stack>
      </Radio.Group>
      {count === 0 ? (
        <Empty compact title={t("No new models")} hint={t("This selection does not change any prices.")} />
      ) : (
        <PriceDiff changes={changes} owners={owners} />
      )}
      {locked.length > 0 && mode !== "add" ? (
        <Alert color="gray" icon={<IconLock size={16} />} p="sm">
          {t("Locked and not changed: {{models}}", { models: joinList(locked) })}
        </Alert>
      ) : null}
      <DialogButtons>
        <Button
          color={mode === "overwrite" ? "red" : undefined}
          disabled={count === 0}
          loading={takeOver.isPending}
          onClick={() => void apply()}
        >
          {t("Import {{count}} changes", { count })}
        </Button>
      </DialogButtons>
    </>
  );
}
