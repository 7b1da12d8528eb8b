/** Short messages in the corner. Durations are constants of the product. */
import { type NotificationData, notifications } from "@mantine/notifications";
import { IconAlertTriangle, IconCheck, IconInfoCircle, IconX } from "@tabler/icons-react";
import i18next from "i18next";
import type { ReactNode } from "react";
import { errorNote } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";

const kinds = {
  error: { ms: 5_000, color: "red", icon: <IconX size={16} /> },
  warning: { ms: 10_000, color: "amber", icon: <IconAlertTriangle size={16} /> },
  success: { ms: 1_500, color: "green", icon: <IconCheck size={16} /> },
  info: { ms: 3_000, color: "iris", icon: <IconInfoCircle size={16} /> },
  notice: { ms: 20_000, color: "iris", icon: <IconInfoCircle size={16} /> },
} as const;

/** Long enough to read the message and to press the button. */
export const OFFER_MS = 20_000;

function put(message: NotificationData): void {
  notifications.show({ closeButtonProps: { "aria-label": i18next.t("Close") }, ...message });
}

function replace(message: NotificationData & { id: string }): void {
  notifications.hide(message.id);
  put(message);
}

function show(kind: keyof typeof kinds, message: ReactNode): void {
  const { ms, color, icon } = kinds[kind];
  // Identical messages are shown once.
  const id = typeof message === "string" ? `${kind}:${message}` : undefined;
  put({ id, message, color, icon, autoClose: ms });
}

export const toast = {
  error: (message: ReactNode) => show("error", message),
  warning: (message: ReactNode) => show("warning", message),
  success: (message: ReactNode) => show("success", message),
  info: (message: ReactNode) => show("info", message),
  notice: (message: ReactNode) => show("notice", message),
  /** Shows a message with a button, such as Undo. Replaces the message with the same id. */
  offer: (id: string, message: ReactNode) =>
    replace({ id, message, color: kinds.info.color, icon: kinds.info.icon, autoClose: OFFER_MS }),
  /** Closes the message with this id. */
  close: (id: string) => void notifications.hide(id),
  /** Stays until closed, for text that could not be copied. Replaces the previous one. */
  keep: (message: ReactNode) =>
    replace({ id: "keep", message, color: "amber", icon: kinds.warning.icon, autoClose: false }),
};

/**
 * Shows a failure in a toast.
 * @param failed what was attempted, as a sentence
 */
export function reportError(error: unknown, failed?: string): void {
  // The end of a session is reported once, however many requests fail with it.
  if (error instanceof ApiError && error.code === "unauthenticated") return;
  const { level, text } = errorNote(error, i18next.t, failed);
  toast[level](text);
}
