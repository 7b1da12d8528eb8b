/** The small buttons at the end of a row. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { type Icon, IconPencil, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useMayChange } from "#lib/changes.ts";

type RowButtonProps = { label: string; icon: Icon; disabled?: boolean; onClick: () => void };

export function RowButton({ label, icon: Picture, disabled, onClick }: RowButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={28} aria-label={label} disabled={disabled} onClick={onClick}>
        <Picture size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

/** Renders nothing for users who may not change anything; a missing handler omits its button. */
export function EditButtons({ onEdit, onDelete }: { onEdit?: () => void; onDelete?: () => void }) {
  const { t } = useTranslation();
  if (!useMayChange()) return null;
  return (
    <>
      {onEdit ? <RowButton label={t("Edit")} icon={IconPencil} onClick={onEdit} /> : null}
      {onDelete ? <RowButton label={t("Delete")} icon={IconTrash} onClick={onDelete} /> : null}
    </>
  );
}
