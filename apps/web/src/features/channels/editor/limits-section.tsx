/** Timeouts and limits of a channel, whether it is disabled automatically, and whether sessions stay on it. */
import { NumberInput, SimpleGrid, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Fold } from "#ui/fold.tsx";
import type { DraftForm } from "./draft.ts";
import { anyWrong } from "./draft.ts";

const fields = [
  "connect_timeout_ms",
  "first_byte_timeout_ms",
  "idle_timeout_ms",
  "max_concurrency",
  "auto_disable",
  "session_affinity",
  "responses_websocket",
];

export function LimitsSection({ form }: { form: DraftForm }) {
  const { t } = useTranslation();
  const times = [
    {
      field: "connect_timeout_ms",
      label: t("Time to connect"),
      description: t("Until the provider's server is reached."),
    },
    {
      field: "first_byte_timeout_ms",
      label: t("Time to the first byte"),
      description: t("From the request to the first byte of the response."),
    },
    {
      field: "idle_timeout_ms",
      label: t("Idle time within a response"),
      description: t("Maximum time between two parts of a response."),
    },
  ] as const;
  return (
    <Fold label={t("Time-outs and limits")} opened={anyWrong(form.errors, fields)}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {times.map(({ field, label, description }) => (
          <NumberInput
            key={field}
            label={label}
            description={description}
            placeholder={t("As in the settings")}
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
          description={t("A channel at its limit is skipped.")}
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
          "When the provider refuses a key several times in a row, or sends no response for minutes. A successful test enables it again.",
        )}
        {...form.getInputProps("auto_disable", { type: "checkbox" })}
      />
      <Switch
        label={t("Keep sessions on this channel")}
        description={t(
          "Calls of a coding agent's session return to this channel and key, so that the provider's prompt cache is used.",
        )}
        {...form.getInputProps("session_affinity", { type: "checkbox" })}
      />
      <Switch
        label={t("Connect over WebSocket")}
        description={t(
          "Calls of the Responses API that arrive over WebSocket use a WebSocket to the provider, if it supports that.",
        )}
        {...form.getInputProps("responses_websocket", { type: "checkbox" })}
      />
    </Fold>
  );
}
