/** Asks for a user before a dialog about a user. */
import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { SearchSelect } from "#components/search-select.tsx";
import { allUsers, findUsers, nameOfUser } from "#lib/queries/users.ts";

type ChooseUserProps = { title: string; onChoose: (id: number) => void; onClose: () => void };

export function ChooseUser({ title, onChoose, onClose }: ChooseUserProps) {
  const { t } = useTranslation("users");
  return (
    <Modal opened onClose={onClose} centered title={title}>
      <SearchSelect
        label={t("User")}
        placeholder={t("Name, email or ID")}
        kind={allUsers}
        find={findUsers}
        nameOf={nameOfUser}
        value={0}
        onChange={(id) => (id > 0 ? onChoose(id) : undefined)}
        selectFirstOptionOnChange
        comboboxProps={{ withinPortal: false }}
        data-autofocus
      />
    </Modal>
  );
}
