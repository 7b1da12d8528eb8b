import { Autocomplete, MultiSelect, NumberInput, SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useGroupNames } from "#components/group-name.tsx";
import { tagNamesQuery } from "#features/channels/api.ts";
import { FormSection } from "#ui/form/form-drawer.tsx";
import type { DraftForm } from "./draft.ts";

export function RoutingSection({ form, groups }: { form: DraftForm; groups: string[] }) {
  const { t } = useTranslation("channels");
  const tags = useQuery(tagNamesQuery).data ?? [];
  const groupName = useGroupNames();
  const groupOptions = [...new Set([...groups, ...form.values.groups])];
  return (
    <>
      <FormSection title={t("Groups")} hint={t("Only calls of these groups use this channel.")}>
        <MultiSelect
          aria-label={t("Groups")}
          data={groupOptions.map((symbol) => ({ value: symbol, label: groupName(symbol) }))}
          searchable
          hidePickedOptions
          {...form.getInputProps("groups")}
        />
      </FormSection>
      <FormSection
        title={t("Routing")}
        hint={t(
          "Channels with a higher priority are tried first. Among channels with equal priority, weight 2 gets twice as many calls as weight 1.",
        )}
      >
        <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="md">
          <NumberInput label={t("Priority")} allowDecimal={false} {...form.getInputProps("priority")} />
          <NumberInput label={t("Weight")} allowDecimal={false} {...form.getInputProps("weight")} />
          <Autocomplete
            label={t("Tag")}
            placeholder={t("Groups channels in the list")}
            data={tags}
            {...form.getInputProps("tag")}
          />
        </SimpleGrid>
      </FormSection>
    </>
  );
}
