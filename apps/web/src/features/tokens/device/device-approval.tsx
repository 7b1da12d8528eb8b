/** What asks for access, the limits of its token, and the decision. */
import type { WaitingDevice } from "@gateway/shared/accounts/device";
import { Alert, Button, Group, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ExpiryField } from "#features/tokens/form/expiry-field.tsx";
import { toInput } from "#features/tokens/form/form-schema.ts";
import { GroupFields } from "#features/tokens/form/group-fields.tsx";
import { TokenQuotaField } from "#features/tokens/form/quota-field.tsx";
import { Restrictions } from "#features/tokens/form/restrictions.tsx";
import { useReachableModels, useTokenForm } from "#features/tokens/form/use-token-form.ts";
import { errorReason } from "#lib/errors/error-text.ts";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { Fold } from "#ui/fold.tsx";
import { showFieldErrors } from "#ui/form/form.ts";
import { RelativeTime } from "#ui/relative-time.tsx";
import { useApproveDevice, useDenyDevice } from "./device-api.ts";

type DeviceApprovalProps = {
  code: string;
  device: WaitingDevice;
  onDecided: (decision: "approved" | "denied") => void;
};

export function DeviceApprovalForm({ code, device, onDecided }: DeviceApprovalProps) {
  const { t } = useTranslation("tokens");
  const form = useTokenForm(undefined, device.device_name);
  const approve = useApproveDevice(code);
  const deny = useDenyDevice(code);
  const { models, reachable } = useReachableModels(form);
  const error = approve.error ?? deny.error;
  const busy = approve.isPending || deny.isPending;
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) =>
        approve.mutate(toInput(values), {
          onSuccess: () => onDecided("approved"),
          onError: (refusal) => showFieldErrors(form, refusal, t),
        }),
      )}
    >
      <Stack gap="lg">
        <Facts columns={2}>
          <Fact label={t("Device")}>{device.device_name}</Fact>
          <Fact label={t("Verification code")}>
            <Text span ff="monospace" fz="inherit">
              {code.toUpperCase()}
            </Text>
          </Fact>
          <Fact label={t("Address")}>{device.ip}</Fact>
          <Fact label={t("Requested")}>
            <RelativeTime seconds={device.created_time} />
          </Fact>
        </Facts>
        <Alert color="amber" variant="light" icon={<IconAlertCircle size={18} />}>
          {t(
            "Only approve a sign-in that you started yourself. Anyone with this device can make calls that are charged to your account.",
          )}
        </Alert>
        {error ? (
          <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
            {errorReason(error, t)}
          </Alert>
        ) : null}
        <TextInput label={t("Name")} withAsterisk maxLength={64} {...form.getInputProps("name")} />
        <TokenQuotaField form={form} />
        <ExpiryField form={form} />
        <Fold
          label={t("More options")}
          opened={Object.keys(form.errors).some((path) => /^(group|backup_group|setting)/.test(path))}
        >
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            <GroupFields form={form} />
          </SimpleGrid>
          <Restrictions form={form} models={models ?? {}} reachable={reachable} />
        </Fold>
        <Group justify="flex-end">
          <Button
            variant="default"
            disabled={busy}
            onClick={() => deny.mutate(undefined, { onSuccess: () => onDecided("denied") })}
          >
            {t("Deny")}
          </Button>
          <Button type="submit" loading={approve.isPending} disabled={deny.isPending}>
            {t("Approve")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
