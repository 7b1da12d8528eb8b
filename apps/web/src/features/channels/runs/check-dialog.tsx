/** Asks a channel's models questions that a relabelled model gets wrong, and shows each response. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { CheckStatus, type CheckStep, type ModelCheck } from "@gateway/shared/models/model-check";
import { Alert, Button, Code, Group, Loader, MultiSelect, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconQuestionMark, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/errors/error-text.ts";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { Fold } from "#ui/fold.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { checkModels } from "./check-stream.ts";
import classes from "./runs.module.css";

const phrase = phrasesIn("channels");

/** The server's names of steps and findings. @public read by the extractor */
export const checkLabels = [
  phrase("Text response"),
  phrase("Invalid role"),
  phrase("Image"),
  phrase("Structured response"),
  phrase("Tool call"),
  phrase("Responds"),
  phrase("Usage is reported"),
  phrase("Reports the requested model"),
  phrase("Uses the provider's ID format"),
  phrase("Refuses an invalid request"),
  phrase("Intermediate relays"),
  phrase("Recognizes an image"),
  phrase("Follows the schema"),
  phrase("Calls the tool"),
  phrase("A relay between this server and the provider changes requests."),
];

export function CheckDialog({ row, onClose }: { row: ChannelRow; onClose: () => void }) {
  const { t } = useTranslation("channels");
  useErrorTexts();
  const phone = useIsPhone();
  const exactModels = row.models.filter((model) => !model.endsWith("*"));
  const [chosen, setChosen] = useState(() => exactModels.slice(0, 1));
  const [checks, setChecks] = useState<ModelCheck[]>([]);
  const [state, setState] = useState<"idle" | "running" | "done">("idle");
  const [fault, setFault] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);

  const start = async () => {
    stop.current = new AbortController();
    setChecks([]);
    setFault(null);
    setState("running");
    try {
      await checkModels(row.id, chosen, stop.current.signal, (check) =>
        setChecks((known) => [...known, check]),
      );
    } catch (error) {
      if (!stop.current.signal.aborted) setFault(errorReason(error, t));
    }
    setState("done");
  };
  return (
    <HelpModal
      help="providers"
      opened
      onClose={onClose}
      size={680}
      fullScreen={phone}
      title={t("Verify {{name}}", { name: row.name })}
    >
      <Stack gap="md">
        <Text c="dimmed" fz="sm">
          {t(
            "Sends five short test requests per model. A model that was substituted or reduced fails some of them.",
          )}
        </Text>
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <MultiSelect
            flex={1}
            aria-label={t("Models")}
            data={exactModels}
            value={chosen}
            onChange={setChosen}
            searchable
            disabled={state === "running"}
          />
          {state === "running" ? (
            <Button variant="default" onClick={() => stop.current.abort()}>
              {t("Stop")}
            </Button>
          ) : (
            <Button disabled={chosen.length === 0} onClick={() => void start()}>
              {t("Verify")}
            </Button>
          )}
        </Group>
        {fault === null ? null : (
          <Alert color="red" icon={<IconAlertTriangle size={17} />}>
            {fault}
          </Alert>
        )}
        {checks.map((check) => (
          <div key={check.model}>
            <Text ff="monospace" fw={600} fz="sm">
              {check.model}
            </Text>
            {check.process.map((step) => (
              <Step key={step.name} step={step} />
            ))}
          </div>
        ))}
        {state === "running" ? (
          <Group gap={8} role="status">
            <Loader size={14} />
            <Text c="dimmed" fz="sm">
              {t("{{done}} of {{total}}", { done: checks.length, total: chosen.length })}
            </Text>
          </Group>
        ) : null}
      </Stack>
    </HelpModal>
  );
}

const looks: Record<number, { color: string; Picture: typeof IconCheck; word: string }> = {
  [CheckStatus.failed]: { color: "red", Picture: IconX, word: phrase("Suspicious") },
  [CheckStatus.fine]: { color: "green", Picture: IconCheck, word: phrase("Passed") },
};
const unclear = { color: "dimmed", Picture: IconQuestionMark, word: phrase("Inconclusive") };

function Step({ step }: { step: CheckStep }) {
  const { t } = useTranslation("channels");
  return (
    <div className={classes.change}>
      <Text fw={500} fz="sm">
        {t(step.name)}
      </Text>
      {step.results.map(({ name, status, remark }) => {
        const { color, Picture, word } = looks[status] ?? unclear;
        return (
          <Group key={name} gap={8} wrap="nowrap" align="flex-start">
            <Text c={color} component="span" display="flex" mt={2}>
              <Picture size={15} aria-hidden />
            </Text>
            <Text fz="sm" flex={1} className={classes.wrap}>
              {t(name)}
              {remark === "" ? null : (
                <Text span c="dimmed" fz="xs">
                  {" · "}
                  {t(remark, { defaultValue: remark })}
                </Text>
              )}
            </Text>
            <Text fz="xs" c={color}>
              {t(word)}
            </Text>
          </Group>
        );
      })}
      {step.response === "" ? null : (
        <Fold label={t("Raw response")}>
          <Code block className={classes.answer}>
            {step.response}
          </Code>
        </Fold>
      )}
    </div>
  );
}
