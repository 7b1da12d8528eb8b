/** Adds or edits an MCP server. */
import { McpServerChange, McpServerInput, type McpServerRow } from "@gateway/shared/channels/mcp";
import {
  ActionIcon,
  Button,
  Group,
  NumberInput,
  PasswordInput,
  Switch,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { type SchemaForm, useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useSaveServer } from "./api.ts";

const MOST_PRICES = 200;

const ServerForm = McpServerInput.extend({ drop_credential: McpServerChange.shape.drop_credential });
type Form = SchemaForm<z.input<typeof ServerForm>>;

type ServerDrawerProps = {
  /** Undefined for a new server. */
  server: McpServerRow | undefined;
  onClose: () => void;
};

export function ServerDrawer({ server, onClose }: ServerDrawerProps) {
  const { t } = useTranslation("mcp");
  const save = useSaveServer();
  const form = useSchemaForm(ServerForm, {
    name: server?.name ?? "",
    description: server?.description ?? "",
    url: server?.url ?? "",
    enabled: server?.enabled ?? true,
    private_address: server?.private_address ?? false,
    header: server?.header ?? "Authorization",
    timeout_seconds: server?.timeout_seconds ?? 60,
    price: server?.price ?? 0,
    tool_prices: server?.tool_prices ?? [],
    credential: "",
    drop_credential: false,
  });
  return (
    <FormDrawer
      opened
      help="mcp#servers"
      title={server ? t("Edit “{{name}}”", { name: server.name }) : t("New server")}
      form={form}
      submitLabel={t("Save")}
      onSubmit={async ({ drop_credential, ...values }) => {
        await save.mutateAsync(
          server
            ? McpServerChange.parse({ ...values, drop_credential, id: server.id })
            : McpServerInput.parse(values),
        );
        toast.success(t("Server saved"));
        onClose();
      }}
      onClose={onClose}
    >
      <FormSection title={t("General")}>
        <TextInput
          label={t("Name")}
          description={t("Prefix of its tools: github becomes github__create_issue.")}
          withAsterisk
          maxLength={32}
          {...form.getInputProps("name")}
        />
        <TextInput
          label={t("Address")}
          description={t("The address for Streamable HTTP. Redirects are not followed.")}
          placeholder="https://mcp.example.com/mcp"
          withAsterisk
          maxLength={500}
          {...form.getInputProps("url")}
        />
        <TextInput label={t("Description")} maxLength={500} {...form.getInputProps("description")} />
        <Switch label={t("Enabled")} {...form.getInputProps("enabled", { type: "checkbox" })} />
        <Switch
          label={t("Allow a private address")}
          description={t(
            "Only root can allow it. Without it, the gateway connects to public addresses only.",
          )}
          {...form.getInputProps("private_address", { type: "checkbox" })}
        />
        <NumberInput
          label={t("Timeout in seconds")}
          description={t("A call without a result ends after this time. Default: 60.")}
          min={1}
          max={600}
          allowDecimal={false}
          {...form.getInputProps("timeout_seconds")}
        />
      </FormSection>
      <CredentialFields form={form} hasCredential={server?.has_credential === true} />
      <PriceFields form={form} />
    </FormDrawer>
  );
}

function CredentialFields({ form, hasCredential }: { form: Form; hasCredential: boolean }) {
  const { t } = useTranslation("mcp");
  return (
    <FormSection title={t("Credential")}>
      <TextInput label={t("Header")} maxLength={64} {...form.getInputProps("header")} />
      <PasswordInput
        label={t("Value")}
        description={t(
          "The whole value of the header, for example “Bearer …”. It is used when the client sends no credential of its own.",
        )}
        placeholder={hasCredential ? t("Leave empty to keep the stored value") : ""}
        autoComplete="off"
        maxLength={4_000}
        visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
        disabled={form.values.drop_credential === true}
        {...form.getInputProps("credential")}
      />
      {hasCredential ? (
        <Switch
          label={t("Delete the stored credential")}
          {...form.getInputProps("drop_credential", { type: "checkbox" })}
        />
      ) : null}
    </FormSection>
  );
}

function PriceFields({ form }: { form: Form }) {
  const { t } = useTranslation("mcp");
  const prices = form.values.tool_prices ?? [];
  return (
    <FormSection title={t("Prices")}>
      <DollarInput
        form={form}
        path="price"
        label={t("Price per call")}
        description={t(
          "In US dollars, multiplied by the ratio of the group. 0 = free. Calls without a result are free.",
        )}
      />
      {prices.map((_price, place) => (
        // Prices have no id, and their order is that of the form.
        // oxlint-disable-next-line react/no-array-index-key
        <Group key={place} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={t("Tool")}
            maxLength={100}
            style={{ flex: 1, minWidth: 0 }}
            {...form.getInputProps(`tool_prices.${place}.tool`)}
          />
          <DollarInput form={form} path={`tool_prices.${place}.price`} label={t("Price")} />
          <Tooltip label={t("Remove price")}>
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t("Remove price")}
              onClick={() => form.removeListItem("tool_prices", place)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          disabled={prices.length >= MOST_PRICES}
          onClick={() => form.insertListItem("tool_prices", { tool: "", price: 0 })}
        >
          {t("Add price of a tool")}
        </Button>
      </Group>
    </FormSection>
  );
}

type DollarInputProps = { form: Form; path: string; label: string; description?: string };

function DollarInput({ form, path, label, description }: DollarInputProps) {
  return (
    <NumberInput
      label={label}
      description={description}
      leftSection="$"
      min={0}
      max={1_000}
      decimalScale={6}
      {...form.getInputProps(path)}
    />
  );
}
