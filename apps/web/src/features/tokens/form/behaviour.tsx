import { NumberInput, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { TokenSchemaForm } from "./form-schema.ts";
import { SwitchedField } from "./switched-field.tsx";
import classes from "#features/tokens/tokens.module.css";

/** Additional processing of the token's calls. */
export function Behaviour({ form }: { form: TokenSchemaForm }) {
  const { t } = useTranslation("tokens");
  const { heartbeat } = form.values.setting;
  const { checked: keeping, ...keepInput } = form.getInputProps("setting.log_bodies", { type: "checkbox" });
  const { checked: risky, ...riskInput } = form.getInputProps("setting.cache.tool_streams", {
    type: "checkbox",
  });
  return (
    <>
      <SwitchedField
        form={form}
        path="setting.cache.enabled"
        label={t("Cache responses")}
        hint={t(
          "For a limited time, identical requests get the cached response at a lower price or free of charge. No provider is called.",
        )}
      >
        <Switch
          label={t("Also cache streams with tools")}
          description={t("If an agent repeats a request, it also repeats the action.")}
          checked={Boolean(risky)}
          {...riskInput}
        />
      </SwitchedField>
      <SwitchedField
        form={form}
        path="setting.heartbeat.enabled"
        label={t("Keep idle streams open")}
        hint={t(
          "Sends a heartbeat while the model is working, so that proxies do not close the idle connection.",
        )}
      >
        <NumberInput
          label={t("Send a heartbeat after")}
          suffix={` ${t("seconds", { count: heartbeat.timeout_seconds })}`}
          min={30}
          max={90}
          clampBehavior="none"
          allowDecimal={false}
          w={260}
          disabled={!heartbeat.enabled}
          {...form.getInputProps("setting.heartbeat.timeout_seconds")}
        />
      </SwitchedField>
      <div className={classes.restriction}>
        <Switch
          label={t("Store requests and responses")}
          description={t(
            "Stores them encrypted for a few days. You and the administrators can read them in the log.",
          )}
          checked={keeping}
          {...keepInput}
        />
      </div>
    </>
  );
}
