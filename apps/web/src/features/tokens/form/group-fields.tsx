import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { usableGroupsQuery } from "#lib/queries/groups.ts";
import { useSelf } from "#lib/session.ts";
import type { TokenSchemaForm } from "./form-schema.ts";

/** The group that is charged and routes, and its backup group. */
export function GroupFields({ form }: { form: TokenSchemaForm }) {
  const { t } = useTranslation("tokens");
  const self = useSelf();
  const groups = useQuery(usableGroupsQuery).data ?? {};
  const label = (name: string, ratio: number) => t("{{name}} (ratio {{ratio}})", { name, ratio });
  const groupOptions = Object.values(groups).map((group) => ({
    value: group.symbol,
    label: label(group.name, group.ratio),
  }));
  /** A deleted group stays visible, so that saving does not change it silently. */
  const withCurrent = (value: string) =>
    value === "" || groups[value] ? groupOptions : [...groupOptions, { value, label: value }];
  const { group = "", backup_group = "" } = form.values;
  const main = group || (self?.group ?? "");
  return (
    <>
      <Select
        label={t("Group")}
        description={t("Determines channels and prices")}
        data={[
          {
            value: "",
            label: self
              ? t("Account default: {{group}}", { group: label(self.group_name, self.group_ratio) })
              : t("Account default"),
          },
          ...withCurrent(group),
        ]}
        allowDeselect={false}
        checkIconPosition="right"
        {...form.getInputProps("group")}
        onChange={(value) => {
          form.setFieldValue("group", value ?? "");
          if (backup_group !== "" && backup_group === (value || self?.group))
            form.setFieldValue("backup_group", "");
        }}
      />
      <Select
        label={t("Backup group")}
        description={t("Used when the group has no available channel")}
        data={[
          { value: "", label: t("None") },
          ...withCurrent(backup_group).filter((option) => option.value !== main),
        ]}
        allowDeselect={false}
        checkIconPosition="right"
        {...form.getInputProps("backup_group")}
        onChange={(value) => form.setFieldValue("backup_group", value ?? "")}
      />
    </>
  );
}
