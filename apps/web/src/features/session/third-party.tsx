/** Buttons below the password form, one per configured sign-in method. */
import type { IdentityProviderKey } from "@gateway/shared/accounts/sign-in";
import { Button, Divider, SimpleGrid, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  IdentityProviderIcon,
  identityProviderTitle,
  presetOf,
} from "#components/icons/identity-provider.tsx";
import { addedProviders, storeNextPage, redirectToProvider, offeredProviders } from "#lib/sign-in.ts";
import { useSite } from "#lib/site.ts";
import { LazyBoundary } from "#ui/lazy-part.tsx";

const WeChatSignIn = lazy(async () => ({ default: (await import("./wechat-sign-in.tsx")).WeChatSignIn }));

/** Longest name, in characters, that fits into half of the card. */
const SHORT_NAME = 12;

/** @param next target page after sign-in */
export function ThirdParty({ next }: { next: string }) {
  const { t } = useTranslation("session");
  const site = useSite();
  const [scanning, setScanning] = useState(false);
  const leave = useMutation({
    mutationFn: async (id: Exclude<IdentityProviderKey, "wechat">) => {
      storeNextPage(next);
      if (site) await redirectToProvider(id, site);
      // The button stays busy until the browser has left the page.
      return new Promise<void>(() => {});
    },
  });
  const offers = offeredProviders(site);
  const added = addedProviders(site);
  if (offers.length === 0) return null;
  const inPairs =
    offers.length > 1 && offers.every((id) => identityProviderTitle(t, id, added).length <= SHORT_NAME);
  return (
    <>
      <Divider my="lg" label={t("or sign in with")} labelPosition="center" />
      <SimpleGrid cols={inPairs ? 2 : 1} spacing="sm">
        {offers.map((id, place) => (
          <Button
            key={id}
            variant="default"
            size="md"
            fw={500}
            // The last of an odd number takes the whole row.
            style={{
              gridColumn: offers.length % 2 === 1 && place === offers.length - 1 ? "1 / -1" : undefined,
            }}
            leftSection={<IdentityProviderIcon id={presetOf(added, id)} />}
            loading={leave.isPending && leave.variables === id}
            disabled={leave.isPending && leave.variables !== id}
            // The password form must not show errors of fields that are not used.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => (id === "wechat" ? setScanning(true) : leave.mutate(id))}
          >
            <Text span inherit lh={1.4} truncate title={identityProviderTitle(t, id, added)}>
              {identityProviderTitle(t, id, added)}
            </Text>
          </Button>
        ))}
      </SimpleGrid>
      <LazyBoundary>{scanning ? <WeChatSignIn onClose={() => setScanning(false)} /> : null}</LazyBoundary>
    </>
  );
}
