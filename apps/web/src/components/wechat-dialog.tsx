/**
 * The WeChat dialog: the user follows the official account,
 * gets a code and enters it. The caller handles the code.
 */
import { Alert, Button, Image, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { IconAlertCircle } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";

type WeChatDialogProps = {
  onClose: () => void;
  /** Address of the official account's QR code; "" when the operator has set none. */
  picture: string;
  action: string;
  onSubmit: (code: string) => void;
  loading: boolean;
  /** Why the last code did not work. */
  error: string | undefined;
};

export function WeChatDialog({ onClose, picture, action, onSubmit, loading, error }: WeChatDialogProps) {
  const { t } = useTranslation();
  const [code, setCode] = useState("");
  const [missing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(code.trim() === "");
    if (code.trim() !== "") onSubmit(code.trim());
  };
  // Opened after it appears, so that it notes which element gets the focus back.
  const opened = useMounted();
  return (
    <Modal opened={opened} onClose={onClose} title={t("WeChat")} size={400}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {picture ? (
            <Image
              src={picture}
              alt={t("QR code of the official account")}
              maw={300}
              mah={300}
              mx="auto"
              radius="md"
              fit="contain"
            />
          ) : null}
          <Text
            c="dimmed"
            ta="center"
            // The word to send stays in one line.
            style={{ textWrap: "balance", wordBreak: "keep-all" }}
          >
            {picture
              ? t(
                  "Scan with WeChat, follow the official account and send it “验证码”. The code it replies with is valid for 3 minutes.",
                )
              : t(
                  "Follow the official account in WeChat and send it “验证码”. The code it replies with is valid for 3 minutes.",
                )}
          </Text>
          {error ? (
            <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
              {error}
            </Alert>
          ) : null}
          <TextInput
            label={t("Verification code")}
            autoComplete="one-time-code"
            data-autofocus
            size="md"
            maxLength={64}
            value={code}
            error={missing ? t("Enter the code") : undefined}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Button type="submit" size="md" loading={loading} fullWidth>
            {action}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
