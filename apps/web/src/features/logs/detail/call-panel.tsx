/** The call whose id is in the address, beside the list. */
import type { LogRow } from "@gateway/shared/usage/log";
import { ActionIcon, Drawer, Group, ScrollArea } from "@mantine/core";
import { type Icon, IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { CallActions } from "./call-actions.tsx";
import { CallHeading } from "./call-view.tsx";
import { LoadedCall } from "./loaded-call.tsx";

type CallPanelProps = {
  /** "" = closed. */
  id: string;
  /** The row of the list, if it contains the call. */
  row: LogRow | undefined;
  /** Undefined at the ends of the list. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  onClose: () => void;
};

export function CallPanel({ id, row, onPrevious, onNext, onClose }: CallPanelProps) {
  const { t } = useTranslation("logs");
  const phone = useIsPhone();
  // The last call stays while the panel closes.
  const [shown, setShown] = useState({ id, row });
  if (id !== "" && (id !== shown.id || row !== shown.row)) setShown({ id, row });
  return (
    <Drawer
      opened={id !== ""}
      onClose={onClose}
      position="right"
      size={phone ? "100%" : 680}
      scrollAreaComponent={ScrollArea.Autosize}
      // The row of the call that was shown last, which j and k may have changed since the panel opened.
      returnFocus={false}
      onExitTransitionEnd={() => shown.row && focusRow(shown.row.id)}
      title={shown.row ? <CallHeading row={shown.row} /> : t("Call")}
    >
      {shown.id === "" ? null : (
        <LoadedCall
          key={shown.id}
          id={shown.id}
          known={shown.row}
          head={(call) => (
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <CallActions row={call} inPanel />
              <Group gap={2} wrap="nowrap">
                <NeighbourButton label={t("Previous call (k)")} icon={IconChevronUp} onClick={onPrevious} />
                <NeighbourButton label={t("Next call (j)")} icon={IconChevronDown} onClick={onNext} />
              </Group>
            </Group>
          )}
        />
      )}
    </Drawer>
  );
}

/** Moves the focus to the row of a table, if it is there. On a phone the calls are cards. */
function focusRow(id: string): void {
  document.querySelector<HTMLElement>(`tr[data-row="${CSS.escape(id)}"]`)?.focus();
}

type NeighbourProps = { label: string; icon: Icon; onClick: (() => void) | undefined };

function NeighbourButton({ label, icon: Picture, onClick }: NeighbourProps) {
  return (
    <ActionIcon size={30} aria-label={label} title={label} disabled={onClick === undefined} onClick={onClick}>
      <Picture size={17} />
    </ActionIcon>
  );
}
