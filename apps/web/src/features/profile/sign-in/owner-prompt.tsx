/** Asks for the current password before an action whose effect outlives the session. */
import { Button, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason, issueText } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { useSelf } from "#lib/session.ts";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";

type OwnerPromptProps = {
  title: string;
  /** Describes the next step. */
  text: string;
  action: string;
  /** Runs the action. Its errors are shown here. */
  run: (password: string) => Promise<unknown>;
  onClose: () => void;
};

export function OwnerPrompt({ title, text, action, run, onClose }: OwnerPromptProps) {
  const { t } = useTranslation("profile");
  const asksPassword = useSelf()?.has_password ?? true;
  const [password, setPassword] = useState("");
  const act = useMutation({ mutationFn: run, meta: { quiet: true }, gcTime: 0 });
  const wrong = act.error instanceof ApiError ? act.error.issues["password"] : undefined;
  // Opened after it appears, so that it notes which element gets the focus back.
  const opened = useMounted();
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          act.mutate(password);
        }}
      >
        <Stack>
          <Text>{text}</Text>
          {asksPassword ? (
            <PasswordInput
              label={t("Current password")}
              autoComplete="current-password"
              data-autofocus
              visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
              value={password}
              error={wrong === undefined ? undefined : issueText(t, wrong)}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          ) : null}
          {act.error && wrong === undefined ? (
            <Text c="red" fz="sm" role="alert">
              {errorReason(act.error, t)}
            </Text>
          ) : null}
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              {t("Cancel")}
            </Button>
            <Button type="submit" loading={act.isPending} data-autofocus={asksPassword ? undefined : true}>
              {action}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}
