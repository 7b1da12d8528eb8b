/** The events of a notice channel as checkboxes, stored as comma-separated names. */
import { eventsOf, type NoticeEvent, noticeEvents } from "@gateway/shared/site/notice";
import { Checkbox, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("settings");

export const eventTitles: Record<NoticeEvent, string> = {
  "channel-disabled": phrase("A channel was disabled automatically"),
  "channel-enabled": phrase("A channel recovered"),
  "key-unavailable": phrase("The key of a channel cannot be read from where it is stored"),
  "job-failed": phrase("A scheduled job failed"),
  "prices-failed": phrase("The price list could not be updated"),
  "models-unpriced": phrase("Models have no price"),
  "models-changed": phrase("A provider added or removed models"),
  "payment-trouble": phrase("Payment problem"),
  "replica-unused": phrase("The replica of the database is not used"),
  "telemetry-refused": phrase("The OpenTelemetry collector does not accept data"),
  "scim-refused": phrase("A directory (SCIM) sent a change that is not valid"),
  "storage-full": phrase("A server's disk is full"),
  "budget-reached": phrase("An account or API key reaches the notice amount of its budget"),
};

type EventsFieldProps = {
  label: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

export function EventsField({ label, value, error, onChange }: EventsFieldProps) {
  const { t } = useTranslation("settings");
  return (
    <Checkbox.Group
      label={label}
      error={error}
      value={eventsOf(value)}
      // In the order of the list, so that toggling twice leaves no change.
      onChange={(ticked) => onChange(noticeEvents.filter((event) => ticked.includes(event)).join(","))}
    >
      <Group mt={8} style={{ columnGap: 24, rowGap: 10 }}>
        {noticeEvents.map((event) => (
          <Checkbox key={event} value={event} label={t(eventTitles[event])} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
