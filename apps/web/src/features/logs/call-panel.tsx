/** The call whose id is in the address, beside the list. */
import type { LogRow } from "@gateway/shared/usage/log";
import { Drawer, ScrollArea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { CallActions } from "./call-actions.tsx";
import { CallHeading } from "./call-view.tsx";
import { LoadedCall } from "./loaded-call.tsx";

type CallPanelProps = {
  /** "" = closed. */
  id: string;
  /** What the list knows of it already. */
  row: LogRow | undefined;
  onClose: () => void;
};

export function CallPanel({ id, row, onClose }: CallPanelProps) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  // The last call stays while the panel slides out.
  const [shown, setShown] = useState({ id, row });
  if (id !== "" && (id !== shown.id || row !== shown.row)) setShown({ id, row });
  return (
    <Drawer
      opened={id !== ""}
      onClose={onClose}
      position="right"
      size={phone ? "100%" : 680}
      padding="lg"
      scrollAreaComponent={ScrollArea.Autosize}
      title={shown.row ? <CallHeading row={shown.row} /> : t("Call")}
    >
      {shown.id === "" ? null : (
        <LoadedCall
          key={shown.id}
          id={shown.id}
          known={shown.row}
          head={(call) => <CallActions row={call} inPanel />}
        />
      )}
    </Drawer>
  );
}
