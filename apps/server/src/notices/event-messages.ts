import type { NoticeEvent } from "@gateway/shared/site/notice";

/** Facts of an event. The values come from the database and may contain anything. */
export type Facts = Readonly<Record<string, string>>;

interface EventMessages {
  title(facts: Facts): string;
  /** Empty when the title is sufficient. */
  text(facts: Facts): string;
}

const of = (facts: Facts, name: string) => facts[name] ?? "?";
const reason = (facts: Facts) => facts["reason"] ?? "";

function changesOf(facts: Facts): string {
  const { added = "0", removed = "0" } = facts;
  return [added === "0" ? [] : `${added} added`, removed === "0" ? [] : `${removed} removed`]
    .flat()
    .join(", ");
}

/**
 * Texts of notices to operators. They are always in English, whatever the language of the site, because the
 * reasons in them are: they come from providers, payment gateways and the database.
 */
export const eventMessages: Readonly<Record<NoticeEvent | "test", EventMessages>> = {
  "channel-disabled": {
    title: (facts) => `Channel “${of(facts, "name")}” was disabled`,
    text: (facts) =>
      `${reason(facts)} While automatic recovery is on, it is tested again every few minutes.`.trim(),
  },
  "channel-enabled": {
    title: (facts) => `Channel “${of(facts, "name")}” is enabled again`,
    text: reason,
  },
  "key-unavailable": {
    title: (facts) => `The key of channel “${of(facts, "name")}” cannot be read`,
    text: (facts) => `${of(facts, "key")}: ${reason(facts)}`,
  },
  "job-failed": {
    title: (facts) => `The job “${of(facts, "job")}” failed`,
    text: reason,
  },
  "prices-failed": { title: () => "The price list could not be updated", text: reason },
  "models-unpriced": {
    title: () => "Models have no price",
    text: (facts) => `Calls to ${of(facts, "count")} models are refused: ${of(facts, "models")}`,
  },
  "models-changed": {
    title: (facts) => `${of(facts, "provider")} changed its models: ${changesOf(facts)}`,
    text: (facts) => `Channel “${of(facts, "name")}”: ${of(facts, "models")}`,
  },
  "payment-trouble": {
    title: (facts) => `Problem with a payment through “${of(facts, "name")}”`,
    text: reason,
  },
  "storage-full": {
    title: (facts) => `The disk of DATA_DIR is full on node “${of(facts, "node")}”`,
    text: (facts) =>
      `${reason(facts)} Free space in ${of(facts, "folder")}, or move DATA_DIR to a larger disk.`,
  },
  "replica-unused": {
    title: (facts) => `The replica of the database is not used on node “${of(facts, "node")}”`,
    text: (facts) => `${reason(facts)} Screens read the primary.`,
  },
  "telemetry-refused": {
    title: (facts) => `The OpenTelemetry collector does not accept data of node “${of(facts, "node")}”`,
    text: (facts) => `${of(facts, "signal")}: ${reason(facts)}`,
  },
  "scim-refused": {
    title: (facts) => `The directory “${of(facts, "name")}” sent a change that is not valid`,
    text: (facts) => `${of(facts, "request")}: ${reason(facts)}`,
  },
  "budget-reached": {
    title: (facts) =>
      `The ${of(facts, "target")} “${of(facts, "name")}” has spent ${of(facts, "used")} this ${of(facts, "period")}`,
    text: (facts) => {
      const limit = facts["limit"] ?? "";
      const refused = limit === "" ? "Calls are not refused." : `Calls are refused above ${limit}.`;
      return `${refused} The ${of(facts, "period")} ends at ${of(facts, "resets")}.`;
    },
  },
  test: {
    title: () => "Notices arrive here",
    text: () => "This is the test notice that you requested in the settings.",
  },
};
