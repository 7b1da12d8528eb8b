import { Password } from "@gateway/shared/accounts/user";
import { Button, Group, PasswordInput, SimpleGrid } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useChangePassword } from "#features/profile/api.ts";
import { passwordsDiffer, passwordsMatch } from "#lib/repeated-password.ts";
import { useSelf } from "#lib/session.ts";
import { showFieldErrors, useSchemaForm } from "#ui/form/form.ts";
import { Section } from "#ui/page/page.tsx";
import { toast } from "#ui/toast.tsx";

const PasswordForm = z
  .object({ current_password: z.string().max(200), password: Password, repeat: z.string() })
  .refine(passwordsMatch, passwordsDiffer);

export function PasswordSection() {
  const { t } = useTranslation("profile");
  const self = useSelf();
  const change = useChangePassword();
  const form = useSchemaForm(PasswordForm, { current_password: "", password: "", repeat: "" });
  if (!self) return null;
  const save = form.onSubmit(({ current_password, password }) =>
    change.mutate(
      { current_password, password },
      {
        onSuccess: () => {
          toast.success(t("Password changed"));
          form.reset();
        },
        onError: (error) => showFieldErrors(form, error, t),
      },
    ),
  );
  const toggle = { visibilityToggleButtonProps: { "aria-label": t("Show password") } };
  return (
    <Section title={t("Password")} hint={t("A new password signs out all your other devices.")}>
      <form onSubmit={save} noValidate>
        <SimpleGrid cols={{ base: 1, md: self.has_password ? 3 : 2 }} spacing="md">
          {self.has_password ? (
            <PasswordInput
              label={t("Current password")}
              autoComplete="current-password"
              {...toggle}
              {...form.getInputProps("current_password")}
            />
          ) : null}
          <PasswordInput
            label={t("New password")}
            autoComplete="new-password"
            {...toggle}
            {...form.getInputProps("password")}
          />
          <PasswordInput
            label={t("Repeat the new password")}
            autoComplete="new-password"
            {...toggle}
            {...form.getInputProps("repeat")}
          />
        </SimpleGrid>
        <Group justify="flex-end" mt="md">
          <Button type="submit" variant="default" loading={change.isPending} disabled={!form.isDirty()}>
            {t("Change password")}
          </Button>
        </Group>
      </form>
    </Section>
  );
}
