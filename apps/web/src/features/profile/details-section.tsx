import { ProfileInput } from "@gateway/shared/accounts/profile";
import type { Self } from "@gateway/shared/accounts/session";
import { Avatar, Button, Group, SimpleGrid, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { inForm } from "#lib/query-client.ts";
import { useSelf } from "#lib/session.ts";
import { showFieldErrors, useSchemaForm } from "#ui/form/form.ts";
import { Section } from "#ui/page/page.tsx";
import { toast } from "#ui/toast.tsx";
import { useChangeProfile } from "./api.ts";

const DetailsForm = ProfileInput.pick({ display_name: true, avatar_url: true });

export function DetailsSection() {
  const self = useSelf();
  // Keyed by the stored values, so that the form is reset after saving.
  return self ? <Details key={`${self.display_name}\n${self.avatar_url}`} self={self} /> : null;
}

function Details({ self }: { self: Self }) {
  const { t } = useTranslation("profile");
  const change = useChangeProfile(inForm);
  const form = useSchemaForm(DetailsForm, {
    display_name: self.display_name,
    avatar_url: self.avatar_url,
  });
  const save = form.onSubmit((values) =>
    change.mutate(DetailsForm.parse(values), {
      onSuccess: () => toast.success(t("Profile saved")),
      onError: (error) => showFieldErrors(form, error, t),
    }),
  );
  const { display_name, avatar_url } = form.values;
  const name = display_name || self.username;
  const picture = form.isValid("avatar_url") ? avatar_url : "";
  return (
    <Section title={t("Public profile")}>
      <form onSubmit={save} noValidate>
        <Group align="flex-start" gap="lg" wrap="nowrap">
          <Avatar src={picture || null} name={name} alt={name} size={56} radius={56} color="iris" mt={4}>
            {name.slice(0, 1).toUpperCase()}
          </Avatar>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" flex={1}>
            <TextInput
              label={t("Display name")}
              autoComplete="nickname"
              maxLength={64}
              {...form.getInputProps("display_name")}
            />
            <TextInput
              label={t("Image URL")}
              placeholder="https://"
              autoComplete="off"
              maxLength={500}
              {...form.getInputProps("avatar_url")}
            />
          </SimpleGrid>
        </Group>
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={change.isPending} disabled={!form.isDirty()}>
            {t("Save")}
          </Button>
        </Group>
      </form>
    </Section>
  );
}
