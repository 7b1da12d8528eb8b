/** Saves the filters, order and columns of a list under a name, applies them again, and copies a link to them. */
import { ActionIcon, Popover, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBookmark } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useQueryString } from "#lib/address/list-params.ts";
import { useSelf } from "#lib/session.ts";
import type { ChosenColumns } from "./linked-columns.ts";
import { isCurrent, storeViews, viewOf, viewsOf } from "./saved-views.ts";
import { ViewsPanel } from "./views-panel.tsx";

type ViewsMenuProps = {
  /** Key of the list in the browser's storage. */
  list: string;
  /** Without columns that can be selected, a view has only filters and order. */
  columns?: ChosenColumns;
  onColumns?: (columns: ChosenColumns) => void;
};

const noColumns: ChosenColumns = {};

export function ViewsMenu({ list, columns = noColumns, onColumns }: ViewsMenuProps) {
  const { t } = useTranslation();
  const userId = useSelf()?.id ?? 0;
  const search = useQueryString();
  const [isOpen, menu] = useDisclosure(false);
  const [views, setViews] = useState(() => viewsOf(list, userId));
  const current = views.find((view) => isCurrent(view, search, columns));
  return (
    <Popover opened={isOpen} onChange={menu.toggle} position="bottom-end" width={320} trapFocus returnFocus>
      <Tooltip label={current?.name ?? t("Views")} disabled={isOpen}>
        <Popover.Target>
          {/* An icon also while a view is shown: a name would push the filters to a second line. */}
          <ActionIcon
            size={34}
            variant={current ? "light" : "subtle"}
            aria-label={current?.name ?? t("Views")}
            onClick={menu.toggle}
          >
            <IconBookmark size={18} stroke={1.7} />
          </ActionIcon>
        </Popover.Target>
      </Tooltip>
      <Popover.Dropdown>
        <ViewsPanel
          views={views}
          current={current}
          search={viewOf(search)}
          columns={columns}
          onChange={(next) => {
            setViews(next);
            storeViews(list, userId, next);
          }}
          onColumns={onColumns}
          onClose={menu.close}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
