/** Additions of a channel to the requests that it forwards. */
import { Input, SegmentedControl, Stack, Switch, Textarea } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Fold } from "#ui/fold.tsx";
import { JsonField } from "#ui/json/json-field.tsx";
import type { DraftForm } from "./draft.ts";
import { hasErrorIn, type ChannelDraft, errorWithin } from "./draft.ts";
import { PairsField } from "./pairs-field.tsx";

const fields = [
  "system_prompt",
  "system_prompt_place",
  "model_headers",
  "custom_parameter",
  "allow_extra_body",
  "log_bodies",
];

export function RequestSection({ form }: { form: DraftForm }) {
  const { t } = useTranslation("channels");
  return (
    <Fold label={t("Prompt, headers and parameters")} opened={hasErrorIn(form.errors, fields)}>
      <Stack gap="xs">
        <Textarea
          label={t("System prompt")}
          description={t("Added to every chat call of this channel. The caller is charged for its tokens.")}
          autosize
          minRows={2}
          maxRows={10}
          {...form.getInputProps("system_prompt")}
        />
        {form.values.system_prompt ? (
          <SegmentedControl
            size="xs"
            aria-label={t("Position of the system prompt")}
            style={{ alignSelf: "flex-start" }}
            data={[
              { value: "before", label: t("Before the caller's system prompt") },
              { value: "after", label: t("After the caller's system prompt") },
              { value: "instead", label: t("Instead of the caller's system prompt") },
            ]}
            value={form.values.system_prompt_place ?? "before"}
            onChange={(place) => form.setFieldValue("system_prompt_place", place)}
          />
        ) : null}
      </Stack>
      <Input.Wrapper
        label={t("Request headers")}
        description={t(
          "Sent with every call of this channel. Saved values are hidden. Leave ******** to keep a stored value.",
        )}
        inputWrapperOrder={["label", "description", "input", "error"]}
        labelElement="div"
      >
        <PairsField
          form={form}
          field="model_headers"
          keyLabel={t("Header")}
          valueLabel={t("Value")}
          keyPlaceholder="x-team"
          valuePlaceholder="blue"
          addLabel={t("Add header")}
        />
      </Input.Wrapper>
      <JsonField
        label={t("Extra parameters")}
        description={t(
          'JSON object with defaults for parameters that a request omits. "overwrite": true replaces the request\'s values. "per_model": true expects one object per model name. "remove": ["field"] removes fields. "pre_add": true applies the JSON before the request is converted.',
        )}
        placeholder={'{"temperature": 0.7}'}
        completions={form.values.models}
        {...form.getInputProps("custom_parameter")}
        error={errorWithin(form.errors, "custom_parameter")}
        value={form.values.custom_parameter}
        onChange={(value) => {
          for (const path of Object.keys(form.errors))
            if (path.startsWith("custom_parameter")) form.clearFieldError(path);
          form.setFieldValue("custom_parameter", value as ChannelDraft["custom_parameter"]);
        }}
      />
      <Switch
        label={t("Pass unknown fields")}
        description={t("Sends unknown fields to the provider, even when the request is converted.")}
        {...form.getInputProps("allow_extra_body", { type: "checkbox" })}
      />
      <Switch
        label={t("Store requests and responses")}
        description={t("Stores them encrypted for a few days. Administrators can read them in the log.")}
        {...form.getInputProps("log_bodies", { type: "checkbox" })}
      />
    </Fold>
  );
}
