/** An email address, a button that sends a code to it, and the code. */
import { Button, Group, TextInput } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";

type Input = { value?: string; error?: ReactNode };

type EmailFieldsProps = {
  email: Input;
  code: Input;
  sending: boolean;
  /** Resolves to true when the mail was sent. */
  onSend: () => Promise<boolean>;
};

/** The server sends to one address once in this many seconds. */
const PAUSE_SECONDS = 60;

export function EmailFields({ email, code, sending, onSend }: EmailFieldsProps) {
  const { t } = useTranslation("session");
  const [secondsLeft, setLeft] = useState(0);
  const clock = useInterval(() => {
    setLeft((seconds) => {
      if (seconds <= 1) clock.stop();
      return Math.max(0, seconds - 1);
    });
  }, 1_000);
  const send = async () => {
    if (!(await onSend())) return;
    setLeft(PAUSE_SECONDS);
    clock.start();
  };
  return (
    <>
      <TextInput
        label={t("Email")}
        type="email"
        autoComplete="email"
        inputMode="email"
        size="md"
        maxLength={254}
        {...email}
      />
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label={t("Verification code")}
          placeholder="123456"
          autoComplete="one-time-code"
          inputMode="numeric"
          size="md"
          maxLength={6}
          flex={1}
          miw={0}
          {...code}
          // The message is shown beside the button, so that both stay on one line.
          error={code.error ? true : undefined}
        />
        <Button
          variant="default"
          size="md"
          flex="none"
          loading={sending}
          disabled={secondsLeft > 0}
          onClick={() => void send()}
        >
          {secondsLeft > 0 ? t("Resend in {{count}} s", { count: secondsLeft }) : t("Send code")}
        </Button>
      </Group>
      {code.error ? (
        <Group c="red" fz="xs" mt={-8} role="alert">
          {code.error}
        </Group>
      ) : null}
    </>
  );
}
