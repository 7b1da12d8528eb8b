/** The list of keyboard shortcuts. */
import { Kbd, Modal, Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { phrase } from "#lib/i18n.ts";
import { commandKey } from "./console-header.tsx";

const shortcuts: [keys: string[], what: string][] = [
  [[commandKey, "K"], phrase("Search and actions")],
  [["/"], phrase("Search the list")],
  [["?"], phrase("Show the keyboard shortcuts")],
  [["j", "k"], phrase("Go to the next or previous call in the log")],
  [["↵"], phrase("Open the focused row")],
  [[commandKey, "↵"], phrase("Save the form")],
  [["Esc"], phrase("Close the open panel")],
];

export function ShortcutList({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={onClose} title={t("Keyboard shortcuts")} centered>
      <Table>
        <Table.Tbody>
          {shortcuts.map(([keys, what]) => (
            <Table.Tr key={what}>
              <Table.Td>{t(what)}</Table.Td>
              <Table.Td ta="right">
                {keys.map((key) => (
                  <Kbd key={key} ml={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
