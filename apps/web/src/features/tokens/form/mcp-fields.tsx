import type { UsableMcpBundle } from "@gateway/shared/channels/mcp";
import { Loader, TagsInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { usableBundlesQuery } from "#lib/queries/tokens.ts";
import { FormSection } from "#ui/form/form-drawer.tsx";
import { hasMcpLimits, mcpPath, type TokenSchemaForm, toolSuggestions } from "./form-schema.ts";

type McpSectionProps = {
  form: TokenSchemaForm;
  /** Whose token it is, in the forms of administrators. */
  owner?: number;
};

/** What the token may use of MCP. Without bundles and limits, there is nothing to choose. */
export function McpSection({ form, owner }: McpSectionProps) {
  const { t } = useTranslation("tokens");
  const bundles = useQuery(usableBundlesQuery(owner));
  const offersNone = bundles.isPending || bundles.data?.length === 0;
  if (offersNone && !hasMcpLimits(form.values.setting)) return null;
  return (
    <FormSection
      title={t("MCP servers")}
      hint={t("Limits which MCP bundles and tools this key can use. Leave a field empty for no limit.")}
    >
      {bundles.isError ? (
        <Text fz="sm" c="amber" role="status">
          {t("The bundles could not be loaded. You can still enter their names.")}
        </Text>
      ) : null}
      <McpFields form={form} bundles={bundles.data} isLoading={bundles.isPending} />
    </FormSection>
  );
}

type McpFieldsProps = {
  form: TokenSchemaForm;
  bundles: UsableMcpBundle[] | undefined;
  isLoading: boolean;
};

function McpFields({ form, bundles = [], isLoading }: McpFieldsProps) {
  const { t } = useTranslation("tokens");
  const { bundles: chosen = [] } = form.values.setting.mcp ?? {};
  // An error is that of one entry of the list.
  const errorOf = (list: string) =>
    Object.entries(form.errors).find(([path]) => path.startsWith(`${mcpPath}.${list}`))?.[1];
  const tools = toolSuggestions(bundles, chosen);
  const descriptions = new Map(bundles.map(({ name, description }) => [name, description]));
  return (
    <>
      <TagsInput
        label={t("Bundles")}
        description={t("Empty = all bundles of the group.")}
        data={bundles.map(({ name }) => name)}
        renderOption={({ option }) => (
          <div>
            <Text fz="sm">{option.value}</Text>
            {descriptions.get(option.value) ? (
              <Text fz="xs" c="dimmed">
                {descriptions.get(option.value)}
              </Text>
            ) : null}
          </div>
        )}
        rightSection={isLoading ? <Loader size={16} /> : undefined}
        acceptValueOnBlur
        clearable
        splitChars={[",", " "]}
        {...form.getInputProps(`${mcpPath}.bundles`)}
        error={errorOf("bundles")}
      />
      <TagsInput
        label={t("Allowed tools")}
        description={t(
          "Names like github__create_issue. * stands for any characters, for example github__*. Empty = all tools of the bundles.",
        )}
        data={tools}
        acceptValueOnBlur
        clearable
        splitChars={[",", " "]}
        {...form.getInputProps(`${mcpPath}.allow`)}
        error={errorOf("allow")}
      />
      <TagsInput
        label={t("Denied tools")}
        description={t("Clients neither see nor call these tools, even if they are allowed.")}
        data={tools}
        acceptValueOnBlur
        clearable
        splitChars={[",", " "]}
        {...form.getInputProps(`${mcpPath}.deny`)}
        error={errorOf("deny")}
      />
    </>
  );
}
