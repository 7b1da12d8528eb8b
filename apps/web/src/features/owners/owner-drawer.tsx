/** Creates or edits an owner of models. */
import { ModelOwnerChange, ModelOwnerInput, type ModelOwnerRow } from "@gateway/shared/channels/owner";
import { NumberInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { OwnerIcon } from "#components/icons/owner-icon.tsx";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useSaveOwner } from "./api.ts";

type OwnerDrawerProps = {
  /** Undefined for a new owner. */
  owner: ModelOwnerRow | undefined;
  /** Default id of a new owner. */
  freeId: number;
  onClose: () => void;
};

export function OwnerDrawer({ owner, freeId, onClose }: OwnerDrawerProps) {
  const { t } = useTranslation("owners");
  const save = useSaveOwner();
  const form = useSchemaForm(owner ? ModelOwnerChange : ModelOwnerInput, {
    id: owner?.id ?? freeId,
    name: owner?.name ?? "",
    icon: owner?.icon ?? "",
  });
  const { icon = "", name } = form.values;
  return (
    <FormDrawer
      opened
      help="providers#describe-models"
      title={owner ? t("Edit “{{name}}”", { name: owner.name }) : t("New owner")}
      form={form}
      submitLabel={t("Save")}
      onSubmit={async (values) => {
        await save.mutateAsync({ isNew: owner === undefined, owner: ModelOwnerChange.parse(values) });
        toast.success(t("Owner saved"));
        onClose();
      }}
      onClose={onClose}
      width={480}
    >
      <FormSection title={t("General")}>
        <NumberInput
          label="ID"
          description={t(
            "Must be greater than 1000. Smaller IDs are reserved for known providers. The ID cannot be changed later.",
          )}
          withAsterisk
          allowDecimal={false}
          disabled={owner !== undefined}
          {...form.getInputProps("id")}
        />
        <TextInput label={t("Name")} withAsterisk maxLength={100} {...form.getInputProps("name")} />
        <TextInput
          label={t("Icon")}
          description={t("The name of a provider's logo, for example openai, or the URL of an image.")}
          maxLength={500}
          leftSection={<OwnerIcon icon={icon} name={name} size={18} />}
          {...form.getInputProps("icon")}
        />
      </FormSection>
    </FormDrawer>
  );
}
