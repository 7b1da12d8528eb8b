/** Imports a list of descriptions: the built-in one, one from an address, or pasted text. */
import type { ImportMode } from "@gateway/shared/models/model-info";
import { Alert, Button, Radio, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/errors/error-text.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { JsonTextField } from "#ui/json/json-text-field.tsx";
import { toast } from "#ui/toast.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { useImportModelInfo } from "./api.ts";

const phrase = phrasesIn("model-info");

type ModelInfoSource = "own" | "url" | "text";

const sources: { value: ModelInfoSource; word: string }[] = [
  { value: "own", word: phrase("Built-in list") },
  { value: "url", word: phrase("Address") },
  { value: "text", word: phrase("JSON") },
];

export function ImportModelInfoDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("model-info");
  const phone = useIsPhone();
  const [source, setSource] = useState<ModelInfoSource>("own");
  const [url, setUrl] = useState("");
  const [text, setText] = useState("");
  const [mode, setMode] = useState<ImportMode>("skip");
  const bring = useImportModelInfo();

  const start = async () => {
    const list = source === "text" ? parseJson(text) : undefined;
    if (list === null) return;
    const input = source === "url" ? { url: url.trim() } : source === "text" ? { models: list } : {};
    const { added, changed, kept } = await bring.mutateAsync({ ...input, mode });
    toast.success(t("{{added}} added, {{changed}} replaced, {{kept}} kept", { added, changed, kept }));
    onClose();
  };
  const ready = source === "own" || (source === "url" ? url.trim() !== "" : text.trim() !== "");

  return (
    <HelpModal
      help="providers#describe-models"
      opened
      onClose={onClose}
      title={t("Import models")}
      size={560}
      fullScreen={phone}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void start().catch(() => undefined);
        }}
      >
        <Stack gap="lg">
          <SegmentedControl
            aria-label={t("Source")}
            fullWidth
            data={sources.map(({ value, word }) => ({ value, label: t(word) }))}
            value={source}
            onChange={setSource}
          />
          {source === "own" ? (
            <Text fz="sm" c="dimmed">
              {t("Well-known models of many providers. The list is part of this version.")}
            </Text>
          ) : null}
          {source === "url" ? (
            <TextInput
              label={t("URL of the list")}
              description={t("The server downloads the list. Addresses in private networks are not allowed.")}
              placeholder="https://"
              type="url"
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
            />
          ) : null}
          {source === "text" ? (
            <JsonTextField
              label={t("The list as JSON")}
              description={t("An array of models, or an object with the array in “data”.")}
              minRows={6}
              maxRows={14}
              value={text}
              onChange={setText}
            />
          ) : null}
          <Radio.Group
            label={t("Models with a description")}
            value={mode}
            onChange={(value) => setMode(value === "overwrite" ? "overwrite" : "skip")}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="skip" label={t("Keep the existing descriptions")} />
              <Radio value="overwrite" label={t("Replace with the list")} />
            </Stack>
          </Radio.Group>
          {bring.error ? (
            <Alert color="red" role="alert">
              {errorReason(bring.error, t)}
            </Alert>
          ) : null}
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              {t("Cancel")}
            </Button>
            <Button type="submit" loading={bring.isPending} disabled={!ready}>
              {t("Import")}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </HelpModal>
  );
}

/** Returns null for invalid JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return null;
  }
}
