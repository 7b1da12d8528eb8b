/** Adds or edits a sign-in provider. */
import {
  IdentityProviderChange,
  IdentityProviderForm,
  IdentityProviderInput,
  type IdentityProviderRow,
} from "@gateway/shared/accounts/identity-provider";
import type { WireParams } from "@gateway/shared/errors/phrase";
import { Button, Group, PasswordInput, Select, Switch, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { errorReason } from "#lib/errors/error-text.ts";
import { useServerAddress } from "#lib/site.ts";
import { CopyCode } from "#ui/copy.tsx";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useSaveProvider, useTestIssuer } from "./api.ts";
import { providerPresets } from "./presets.ts";
import type { ProviderForm } from "./provider-form.ts";
import { ProviderRules } from "./provider-rules.tsx";
import { ScimSection } from "./scim-section.tsx";

type ProviderDrawerProps = {
  /** Undefined for a new provider. */
  provider: IdentityProviderRow | undefined;
  onClose: () => void;
};

export function ProviderDrawer({ provider, onClose }: ProviderDrawerProps) {
  const { t } = useTranslation("settings");
  const save = useSaveProvider();
  const form = useSchemaForm(
    IdentityProviderForm,
    {
      slug: provider?.slug ?? "",
      preset: provider?.preset ?? "",
      issuer: provider?.issuer ?? "",
      subject_claim: provider?.subject_claim ?? "sub",
      client_secret: "",
      name: provider?.name ?? "",
      client_id: provider?.client_id ?? "",
      scopes: provider?.scopes ?? "openid,profile,email",
      username_claim: provider?.username_claim ?? "preferred_username",
      groups_claim: provider?.groups_claim ?? "",
      enabled: provider?.enabled ?? true,
      sign_up: provider?.sign_up ?? true,
      members_only: provider?.members_only ?? false,
      may_administer: provider?.may_administer ?? false,
      rules: provider?.rules ?? [],
    },
    ({ client_secret = "" }) => missingSecret(provider === undefined && client_secret === ""),
  );
  return (
    <FormDrawer
      opened
      help="sign-in#providers-of-organizations"
      title={provider ? t("Edit “{{name}}”", { name: provider.name }) : t("New sign-in provider")}
      form={form}
      submitLabel={t("Save")}
      onSubmit={async (values) => {
        await save.mutateAsync(
          provider
            ? IdentityProviderChange.parse({ ...changeable(values), id: provider.id })
            : IdentityProviderInput.parse(values),
        );
        toast.success(t("Provider saved"));
        onClose();
      }}
      onClose={onClose}
      width={640}
    >
      <ClientFields form={form} isNew={provider === undefined} />
      <FormSection title={t("Accounts")}>
        <Switch
          label={t("Offer on the sign-in page")}
          {...form.getInputProps("enabled", { type: "checkbox" })}
        />
        <Switch
          label={t("Create accounts")}
          description={t("At the first sign-in, also while sign-up is closed to others.")}
          {...form.getInputProps("sign_up", { type: "checkbox" })}
        />
        <TextInput
          label={t("Username claim")}
          description={t("The claim that provides the username of new accounts.")}
          maxLength={100}
          {...form.getInputProps("username_claim")}
        />
      </FormSection>
      <ProviderRules form={form} />
      {provider ? <ScimSection provider={provider} /> : null}
    </FormDrawer>
  );
}

function missingSecret(missing: boolean): Record<string, WireParams> {
  return missing ? { client_secret: { reason: "value_required" } } : {};
}

/** Leaves out what never changes. */
function changeable({
  slug: _slug,
  preset: _preset,
  issuer: _issuer,
  subject_claim: _claim,
  ...rest
}: z.input<typeof IdentityProviderForm>) {
  return rest;
}

function ClientFields({ form, isNew }: { form: ProviderForm; isNew: boolean }) {
  const { t } = useTranslation("settings");
  const address = useServerAddress();
  const { slug, preset } = form.values;
  const known = providerPresets.find(({ id }) => id === preset);
  const choose = (id: string) => {
    const next = providerPresets.find((each) => each.id === id);
    if (next === undefined) return;
    form.setValues({
      preset: id,
      ...next.values,
      ...(id === "" || form.values.name !== "" ? {} : { name: next.name }),
      ...(id === "" || slug !== "" ? {} : { slug: id }),
      // The others have a part that only the organization knows.
      ...(id === "google" || id === "gitlab" ? { issuer: next.issuer } : {}),
    });
  };
  return (
    <FormSection title={t("Sign-in provider")} {...(known?.hint ? { hint: t(known.hint) } : {})}>
      {isNew ? (
        <Select
          label={t("Type")}
          description={t("Fills in the usual values.")}
          allowDeselect={false}
          // The names of products are the same in every language.
          data={providerPresets.map(({ id, name }) => ({ value: id, label: id === "" ? t(name) : name }))}
          value={preset ?? ""}
          onChange={(id) => choose(id ?? "")}
        />
      ) : null}
      <TextInput
        label={t("Name")}
        description={t("Shown on the button of the sign-in page.")}
        withAsterisk
        maxLength={64}
        {...form.getInputProps("name")}
      />
      <TextInput
        label={t("Identifier")}
        description={t("Part of the callback address. It cannot be changed later.")}
        withAsterisk
        maxLength={32}
        disabled={!isNew}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        {...form.getInputProps("slug")}
      />
      {slug === "" ? null : (
        <div>
          <Text fz="sm" c="dimmed">
            {t("Callback address")}
          </Text>
          <CopyCode text={`${address}/oauth/oidc/${slug}`} label={t("Callback address")} />
        </div>
      )}
      <IssuerField form={form} isNew={isNew} placeholder={known?.issuer ?? ""} />
      <TextInput label={t("Client ID")} withAsterisk maxLength={255} {...form.getInputProps("client_id")} />
      <PasswordInput
        label={t("Client secret")}
        withAsterisk={isNew}
        placeholder={isNew ? "" : t("Leave empty to keep the stored secret")}
        autoComplete="off"
        maxLength={500}
        visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
        {...form.getInputProps("client_secret")}
      />
      <TextInput
        label={t("Scopes")}
        description={t("Separate entries with commas.")}
        maxLength={500}
        {...form.getInputProps("scopes")}
      />
      <Select
        label={t("Permanent ID of a person")}
        description={t(
          "The claim that links accounts. Entra ID needs oid: its sub differs for each application. It cannot be changed later.",
        )}
        allowDeselect={false}
        disabled={!isNew}
        data={["sub", "oid"]}
        {...form.getInputProps("subject_claim")}
      />
    </FormSection>
  );
}

type IssuerFieldProps = { form: ProviderForm; isNew: boolean; placeholder: string };

function IssuerField({ form, isNew, placeholder }: IssuerFieldProps) {
  const { t } = useTranslation("settings");
  const test = useTestIssuer();
  const { issuer } = form.values;
  return (
    <div>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label={t("Issuer")}
          placeholder={placeholder}
          withAsterisk
          maxLength={500}
          disabled={!isNew}
          style={{ flex: 1, minWidth: 0 }}
          {...form.getInputProps("issuer")}
        />
        <Button
          variant="default"
          loading={test.isPending}
          disabled={issuer.trim() === ""}
          onClick={() => test.mutate(issuer)}
        >
          {t("Test")}
        </Button>
      </Group>
      <Text
        fz="sm"
        mt={4}
        role="status"
        {...(test.isError ? { c: "red" } : { c: "dimmed" })}
        style={{ overflowWrap: "anywhere" }}
      >
        {test.isError
          ? errorReason(test.error, t)
          : test.data
            ? t("The provider answers. It signs users in at {{address}}.", {
                address: test.data.authorization_endpoint,
              })
            : null}
      </Text>
    </div>
  );
}
