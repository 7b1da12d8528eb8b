/** Asks for a user before a dialog about a user. */
import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { SearchSelect } from "#components/search-select.tsx";
import { userParams } from "#lib/address/list-queries.ts";
import { initialOf } from "#lib/address/params.ts";
import { fetchUsers } from "#lib/queries/users.ts";
import { fetchUser } from "./api.ts";

type ChooseUserProps = { title: string; onChoose: (id: number) => void; onClose: () => void };

export function ChooseUser({ title, onChoose, onClose }: ChooseUserProps) {
  const { t } = useTranslation("users");
  return (
    <Modal opened onClose={onClose} centered title={title}>
      <SearchSelect
        label={t("User")}
        placeholder={t("Name, email or ID")}
        kind="users"
        find={async (keyword) => {
          const { data } = await fetchUsers({
            ...initialOf(userParams),
            keyword,
            size: 20,
            order: "username",
          });
          return data.map(({ id, username }) => ({ id, name: username }));
        }}
        nameOf={async (id) => (await fetchUser(String(id))).username}
        value={0}
        onChange={(id) => (id > 0 ? onChoose(id) : undefined)}
        selectFirstOptionOnChange
        comboboxProps={{ withinPortal: false }}
        data-autofocus
      />
    </Modal>
  );
}
