/** The list of keyboard shortcuts. */
import { Kbd, Modal, SimpleGrid, Table, Title } from "@mantine/core";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { mayOpen, screens } from "#app/screens.ts";
import { phrase } from "#lib/i18n.ts";
import { useSelf } from "#lib/session.ts";
import { commandKey } from "./console-header.tsx";

type Shortcut = [keys: string[], what: string];

const general: Shortcut[] = [
  [[commandKey, "K"], phrase("Search and actions")],
  [["?"], phrase("Show the keyboard shortcuts")],
  [[commandKey, "↵"], phrase("Save the form")],
  [["Esc"], phrase("Close the open panel")],
];

const inLists: Shortcut[] = [
  [["j", "k"], phrase("Go to the next or previous row")],
  [["↵"], phrase("Open the focused row")],
  [["x"], phrase("Select the focused row")],
  [["/"], phrase("Search the list")],
  [["f"], phrase("Go to the filters")],
  [["Esc"], phrase("Return to the row")],
];

export function ShortcutList({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const self = useSelf();
  const toScreens = screens.flatMap((screen): Shortcut[] =>
    screen.goKey !== undefined && self && mayOpen(screen, self) ? [[["g", screen.goKey], screen.title]] : [],
  );
  return (
    <Modal opened onClose={onClose} title={t("Keyboard shortcuts")} centered size="xl">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        <div>
          <ShortcutTable title={t("Everywhere")} shortcuts={general} />
          <ShortcutTable title={t("In lists")} shortcuts={inLists} />
        </div>
        <ShortcutTable title={t("Go to")} shortcuts={toScreens} inOrder />
      </SimpleGrid>
    </Modal>
  );
}

/** @param inOrder the keys are pressed one after the other */
function ShortcutTable(props: { title: string; shortcuts: Shortcut[]; inOrder?: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <Title order={3} fz="sm" mt="xs">
        {props.title}
      </Title>
      <Table aria-label={props.title} verticalSpacing={5}>
        <Table.Tbody>
          {props.shortcuts.map(([keys, what]) => (
            <Table.Tr key={what}>
              <Table.Td pl={0}>{t(what)}</Table.Td>
              <Table.Td ta="right" pr={0} style={{ whiteSpace: "nowrap" }}>
                {keys.map((key, place) => (
                  <Fragment key={key}>
                    {props.inOrder && place > 0 ? ` ${t("then")} ` : null}
                    <Kbd ml={4}>{key}</Kbd>
                  </Fragment>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}
