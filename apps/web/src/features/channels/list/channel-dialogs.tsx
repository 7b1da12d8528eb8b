/** The dialogs and drawers of the list of channels. Each has a parameter of its own in the address. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { fetchChannel } from "#features/channels/api.ts";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useMayChange } from "#lib/changes.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { RowMissing } from "#ui/page/opened-row-states.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";

const ChangesDrawer = lazyPart(() =>
  import("#features/channels/model-changes/changes-drawer.tsx").then((module) => module.ChangesDrawer),
);
const BulkEditor = lazyPart(() =>
  import("#features/channels/bulk/bulk-editor.tsx").then((module) => module.BulkEditor),
);
const DisableModelDialog = lazyPart(() =>
  import("#components/disabled-models/disable-model-dialog.tsx").then((module) => module.DisableModelDialog),
);
const RemoveModel = lazyPart(() => import("./remove-model.tsx").then((module) => module.RemoveModel));
const TestAllDialog = lazyPart(() => import("./test-all.tsx").then((module) => module.TestAllDialog));
const TimelineDrawer = lazyPart(() =>
  import("./timeline-drawer.tsx").then((module) => module.TimelineDrawer),
);
const ExportChannelsDialog = lazyPart(() =>
  import("./transfer-dialogs.tsx").then((module) => module.ExportChannelsDialog),
);
const ImportChannelsDialog = lazyPart(() =>
  import("./transfer-dialogs.tsx").then((module) => module.ImportChannelsDialog),
);
const RotateDialog = lazyPart(() =>
  import("#features/channels/keys/rotate-dialog.tsx").then((module) => module.RotateDialog),
);

export function OneChannelDialogs({ rows }: { rows: ChannelRow[] | undefined }) {
  const timeline = useDrawerParam("timeline");
  const rotation = useDrawerParam("rotate");
  const mayChange = useMayChange();
  return (
    <>
      <OpenedRow opened={timeline} rows={rows} keyOf={(row) => String(row.id)} load={fetchChannel}>
        {(row) => <TimelineDrawer id={row.id} name={row.name} onClose={timeline.close} />}
      </OpenedRow>
      {mayChange ? (
        <OpenedRow opened={rotation} rows={rows} keyOf={(row) => String(row.id)} load={fetchChannel}>
          {(row) => <RotateDialog key={row.id} row={row} onClose={rotation.close} />}
        </OpenedRow>
      ) : null}
    </>
  );
}

type BulkDialogsProps = { selected: string[]; onTest: () => void };

/** The dialogs about all or several channels. */
export function BulkDialogs({ selected, onTest }: BulkDialogsProps) {
  const ask = useDrawerParam("ask");
  const removal = useDrawerParam("remove");
  const disabling = useDrawerParam("disable");
  const changes = useDrawerParam("changes");
  const file = useDrawerParam("file");
  const mayChange = useMayChange();
  return (
    <>
      {ask.key === "test" && mayChange ? <TestAllDialog onTest={onTest} onClose={ask.close} /> : null}
      {removal.key !== "" && mayChange ? <RemoveModel model={removal.key} onClose={removal.close} /> : null}
      {disabling.key !== "" && mayChange ? (
        <DisableModelDialog model={disabling.key} onClose={disabling.close} />
      ) : null}
      {changes.key === "" ? null : <ChangesDrawer onClose={changes.close} />}
      <OpenedBulkEditor selected={selected} />
      {file.key === "import" && mayChange ? <ImportChannelsDialog onClose={file.close} /> : null}
      {file.key.startsWith("export") ? (
        <ExportChannelsDialog
          ids={file.key === "export-selected" && selected.length > 0 ? selected.map(Number) : undefined}
          onClose={file.close}
        />
      ) : null}
    </>
  );
}

/** Keys of the bulk editor in the address. */
export const SELECTED = "selected";
export const TAG = "tag:";

/** The bulk editor for a tag, which a link can name, or for the selected channels, which it cannot. */
function OpenedBulkEditor({ selected }: { selected: string[] }) {
  const { key, close } = useDrawerParam("bulk");
  if (key.startsWith(TAG))
    return <BulkEditor target={{ kind: "tag", tag: key.slice(TAG.length) }} onClose={close} />;
  if (key === SELECTED && selected.length > 0)
    return <BulkEditor target={{ kind: "ids", ids: selected.map(Number) }} onClose={close} />;
  return key === "" ? null : <RowMissing onClose={close} />;
}
