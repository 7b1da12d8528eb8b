/** Confirms the sign-in of a command-line device: its code, then the limits of its token. */
import type { WaitingDevice } from "@gateway/shared/accounts/device";
import { Alert, Anchor, Box, Button, Stack, TextInput } from "@mantine/core";
import { IconAlertCircle, IconBan, IconCircleCheck } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";
import { errorReason } from "#lib/errors/error-text.ts";
import { Empty } from "#ui/empty.tsx";
import { Page, Section } from "#ui/page/page.tsx";
import { useFindDevice } from "./device-api.ts";
import { DeviceApprovalForm } from "./device-approval.tsx";

type ApprovalStep =
  | { name: "code" }
  | { name: "confirm"; code: string; device: WaitingDevice }
  | { name: "approved" | "denied"; device: WaitingDevice };

export default function DevicePage() {
  const { t } = useTranslation("tokens");
  const [step, setStep] = useState<ApprovalStep>({ name: "code" });
  return (
    <Box maw={640} mx="auto" w="100%">
      <Page
        title={t("Sign in a device")}
        description={t("A command-line tool requests access to your account. It receives its own key.")}
      >
        <Section>
          {step.name === "code" ? (
            <CodeForm onFound={(code, device) => setStep({ name: "confirm", code, device })} />
          ) : null}
          {step.name === "confirm" ? (
            <DeviceApprovalForm
              code={step.code}
              device={step.device}
              onDecided={(name) => setStep({ name, device: step.device })}
            />
          ) : null}
          {step.name === "approved" ? (
            <div role="status">
              <Empty
                icon={IconCircleCheck}
                title={t("{{device}} is signed in", { device: step.device.device_name })}
                hint={t("Return to your device. It receives its key within a few seconds.")}
                action={
                  <Anchor component={Link} to="/panel/profile?tab=access">
                    {t("Command-line devices")}
                  </Anchor>
                }
              />
            </div>
          ) : null}
          {step.name === "denied" ? (
            <div role="status">
              <Empty
                icon={IconBan}
                title={t("The sign-in was denied")}
                hint={t("{{device}} was denied access.", { device: step.device.device_name })}
              />
            </div>
          ) : null}
        </Section>
      </Page>
    </Box>
  );
}

/** A code in the address fills the field. The user still has to compare it with the device. */
function CodeForm({ onFound }: { onFound: (code: string, device: WaitingDevice) => void }) {
  const { t } = useTranslation("tokens");
  const [search] = useSearchParams();
  const [code, setCode] = useState(() => (search.get("code") ?? "").slice(0, 32));
  const find = useFindDevice();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const trimmedCode = code.trim();
        if (trimmedCode !== "")
          find.mutate(trimmedCode, { onSuccess: (device) => onFound(trimmedCode, device) });
      }}
    >
      <Stack>
        {find.error ? <Problem>{errorReason(find.error, t)}</Problem> : null}
        <TextInput
          label={t("Code on your device")}
          description={t("Continue only if your own device shows exactly this code.")}
          placeholder="XXXX-XXXX"
          size="md"
          maxLength={32}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          styles={{
            input: { fontFamily: "var(--mantine-font-family-monospace)", textTransform: "uppercase" },
          }}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" loading={find.isPending} disabled={code.trim() === ""}>
          {t("Continue")}
        </Button>
      </Stack>
    </form>
  );
}

function Problem({ children }: { children: ReactNode }) {
  return (
    <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
      {children}
    </Alert>
  );
}
