/** Timeouts and limits of a channel, whether it is disabled automatically, and whether sessions stay on it. */
import { NumberInput, SimpleGrid, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Fold } from "#ui/fold.tsx";
import type { DraftForm } from "./draft.ts";
import { hasErrorIn } from "./draft.ts";

const fields = [
  "connect_timeout_ms",
  "first_byte_timeout_ms",
  "idle_timeout_ms",
  "max_concurrency",
  "auto_disable",
  "session_affinity",
  "cache_marks",
  "responses_websocket",
];

export function LimitsSection({ form }: { form: DraftForm }) {
  const { t } = useTranslation("channels");
  const times = [
    {
      field: "connect_timeout_ms",
      label: t("Connection timeout"),
      description: t("Maximum time to connect to the provider."),
    },
    {
      field: "first_byte_timeout_ms",
      label: t("First byte timeout"),
      description: t("Maximum time from the request to the first byte of the response."),
    },
    {
      field: "idle_timeout_ms",
      label: t("Idle timeout"),
      description: t("Maximum time between two parts of a response."),
    },
  ] as const;
  return (
    <Fold label={t("Timeouts and limits")} opened={hasErrorIn(form.errors, fields)}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {times.map(({ field, label, description }) => (
          <NumberInput
            key={field}
            label={label}
            description={description}
            placeholder={t("Default from the settings")}
            suffix=" ms"
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            {...form.getInputProps(field)}
            // An empty field uses the global setting.
            value={form.values[field] || ""}
            onChange={(value) => form.setFieldValue(field, Number(value) || 0)}
          />
        ))}
        <NumberInput
          label={t("Concurrent calls")}
          description={t("At this limit, calls go to other channels.")}
          placeholder={t("No limit")}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          {...form.getInputProps("max_concurrency")}
          value={form.values.max_concurrency || ""}
          onChange={(value) => form.setFieldValue("max_concurrency", Number(value) || 0)}
        />
      </SimpleGrid>
      <Switch
        label={t("Disable automatically")}
        description={t(
          "Disables the channel when the provider refuses its key several times in a row, or does not respond for several minutes. A successful test enables it again.",
        )}
        {...form.getInputProps("auto_disable", { type: "checkbox" })}
      />
      <Switch
        label={t("Keep sessions on this channel")}
        description={t(
          "Sends all calls of a coding agent's session to the same channel and key, so that they use the provider's prompt cache.",
        )}
        {...form.getInputProps("session_affinity", { type: "checkbox" })}
      />
      <Switch
        label={t("Help the prompt cache")}
        description={t(
          "Marks the stable beginning of a session's prompts for the provider's cache, if the client sets no marks itself.",
        )}
        {...form.getInputProps("cache_marks", { type: "checkbox" })}
      />
      <Switch
        label={t("Connect over WebSocket")}
        description={t(
          "Forwards Responses API calls that arrive over WebSocket to the provider over WebSocket, if the provider supports it.",
        )}
        {...form.getInputProps("responses_websocket", { type: "checkbox" })}
      />
    </Fold>
  );
}
