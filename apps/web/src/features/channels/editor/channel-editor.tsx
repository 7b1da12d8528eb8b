/** Opens the form named by the address: a new channel, a copy, or a stored one. */
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { providersOfKey } from "#components/first-provider/providers-of-key.ts";
import { channelQuery } from "#features/channels/api.ts";
import { NEW } from "#lib/address/drawer-param.ts";
import { clearKey, peekKey } from "#lib/channel-key-draft.ts";
import { groupSymbolsQuery } from "#lib/queries/groups.ts";
import { providersQuery } from "#lib/queries/providers.ts";
import { LoadError } from "#ui/empty.tsx";
import { RowMissing } from "#ui/page/opened-row-states.tsx";
import { isRefusal } from "#ui/page/opened-row.tsx";
import { SideDrawer } from "#ui/page/side-drawer.tsx";
import { ChannelForm, type ChannelFormStart } from "./channel-form.tsx";
import { toChannelDraft, newDraft } from "./draft.ts";

/** `target`: `new`, the id of a channel, or "" for closed. */
type ChannelEditorProps = { target: string; onClose: () => void };

export function ChannelEditor({ target, onClose }: ChannelEditorProps) {
  // The last form stays while its drawer closes. Each opening creates a new form.
  const [shown, setShown] = useState({ target, opening: 0 });
  const [open, setOpen] = useState(target);
  if (open !== target) {
    setOpen(target);
    if (target !== "") setShown({ target, opening: shown.opening + 1 });
  }
  if (shown.target === "") return null;
  if (target !== "" && target !== NEW && !/^[1-9]\d{0,8}$/.test(target))
    return <RowMissing onClose={onClose} />;
  return <LoadedEditor key={shown.opening} target={shown.target} opened={target !== ""} onClose={onClose} />;
}

type LoadedEditorProps = { target: string; opened: boolean; onClose: () => void };

function LoadedEditor({ target, opened, onClose }: LoadedEditorProps) {
  const { t } = useTranslation("channels");
  const providers = useQuery(providersQuery);
  const groups = useQuery(groupSymbolsQuery);
  const fresh = target === NEW;
  const id = fresh ? 0 : Number(target);
  const stored = useQuery({ ...channelQuery(id), enabled: !fresh, meta: { quiet: true } });
  // From the palette. Rendering twice must not lose it, so an effect clears it.
  const [pastedKey] = useState(peekKey);
  useEffect(() => clearKey(), []);
  // Set once: a later response must not change a form while the user types.
  const [start, setStart] = useState<ChannelFormStart | null>(null);

  if (start === null && providers.data && groups.data && (fresh || stored.data)) {
    const row = stored.data;
    if (fresh) {
      const provider = providersOfKey(pastedKey, providers.data)[0] ?? firstProvider(providers.data);
      setStart({
        id: undefined,
        draft: { ...newDraft(provider, usualGroup(groups.data)), key: pastedKey },
        keyHints: [],
      });
    }
    if (row) {
      const provider = providers.data.find((each) => each.type === row.type);
      setStart({ id: row.id, draft: toChannelDraft(row, provider), keyHints: row.key_hints });
    }
  }
  if (start && providers.data && groups.data)
    return (
      <ChannelForm
        start={start}
        providers={providers.data}
        groups={groups.data}
        opened={opened}
        onClose={onClose}
      />
    );
  if (opened && isRefusal(stored.error)) return <RowMissing onClose={onClose} />;
  const error = stored.error ?? providers.error ?? groups.error;
  return (
    <SideDrawer onClose={onClose} opened={opened} width={720} title={t("Edit channel")}>
      {error ? (
        <LoadError error={error} />
      ) : (
        <Stack gap="lg" aria-busy>
          {[0, 1, 2, 3, 4].map((line) => (
            <Skeleton key={line} height={36} />
          ))}
        </Stack>
      )}
    </SideDrawer>
  );
}

/** Returns the first provider of the registry, which is the most used one. */
function firstProvider(providers: ProviderInfo[]): ProviderInfo | undefined {
  return providers[0];
}

function usualGroup(groups: string[]): string[] {
  return groups.includes("default") ? ["default"] : groups.slice(0, 1);
}
