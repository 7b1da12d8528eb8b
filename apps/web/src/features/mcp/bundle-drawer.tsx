/** Adds or edits an MCP bundle. */
import {
  McpBundleChange,
  McpBundleInput,
  type McpBundleRow,
  MOST_SERVERS_OF_BUNDLE,
} from "@gateway/shared/channels/mcp";
import { MultiSelect, Switch, TagsInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { groupSymbolsQuery } from "#lib/queries/groups.ts";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { serversQuery, useSaveBundle } from "./api.ts";

type BundleDrawerProps = {
  /** Undefined for a new bundle. */
  bundle: McpBundleRow | undefined;
  onClose: () => void;
};

export function BundleDrawer({ bundle, onClose }: BundleDrawerProps) {
  const { t } = useTranslation("mcp");
  const save = useSaveBundle();
  const servers = useQuery(serversQuery).data ?? [];
  const groups = useQuery({ ...groupSymbolsQuery, meta: { quiet: true } }).data ?? [];
  const form = useSchemaForm(McpBundleInput, {
    name: bundle?.name ?? "",
    description: bundle?.description ?? "",
    enabled: bundle?.enabled ?? true,
    servers: bundle?.servers ?? [],
    groups: bundle?.groups ?? [],
    allow: bundle?.allow ?? [],
    deny: bundle?.deny ?? [],
  });
  return (
    <FormDrawer
      opened
      help="mcp#bundles"
      title={bundle ? t("Edit “{{name}}”", { name: bundle.name }) : t("New bundle")}
      form={form}
      submitLabel={t("Save")}
      onSubmit={async (values) => {
        await save.mutateAsync(
          bundle ? McpBundleChange.parse({ ...values, id: bundle.id }) : McpBundleInput.parse(values),
        );
        toast.success(t("Bundle saved"));
        onClose();
      }}
      onClose={onClose}
    >
      <FormSection title={t("General")}>
        <TextInput
          label={t("Name")}
          description={t("The last part of the address that clients connect to.")}
          withAsterisk
          maxLength={32}
          {...form.getInputProps("name")}
        />
        <TextInput label={t("Description")} maxLength={500} {...form.getInputProps("description")} />
        <MultiSelect
          label={t("Servers")}
          searchable
          maxValues={MOST_SERVERS_OF_BUNDLE}
          data={servers.map(({ id, name }) => ({ value: String(id), label: name }))}
          {...form.getInputProps("servers")}
          value={(form.values.servers ?? []).map(String)}
          onChange={(ids) => form.setFieldValue("servers", ids.map(Number))}
        />
        <MultiSelect
          label={t("Groups")}
          description={t("Tokens of these groups may use the bundle. Empty = all groups.")}
          searchable
          data={[...new Set([...groups, ...(form.values.groups ?? [])])]}
          {...form.getInputProps("groups")}
        />
        <Switch label={t("Enabled")} {...form.getInputProps("enabled", { type: "checkbox" })} />
      </FormSection>
      <FormSection title={t("Tools")}>
        <TagsInput
          label={t("Allowed tools")}
          description={t(
            "Names like github__create_issue. * stands for any characters, for example github__*. Empty = all tools.",
          )}
          splitChars={[",", " "]}
          {...form.getInputProps("allow")}
        />
        <TagsInput
          label={t("Denied tools")}
          description={t("Clients neither see nor call these tools, even if they are allowed.")}
          splitChars={[",", " "]}
          {...form.getInputProps("deny")}
        />
      </FormSection>
    </FormDrawer>
  );
}
