/** The list of sign-in providers that root has added, in the system settings. */
import type { IdentityProviderRow } from "@gateway/shared/accounts/identity-provider";
import { Badge, Button, Group, Skeleton, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { IdentityProviderIcon } from "#components/icons/identity-provider.tsx";
import { anchorOf } from "#features/settings/section-index.tsx";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { HelpLink } from "#ui/form/help-link.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { Line, LineList } from "#ui/line-list.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Section } from "#ui/page/page.tsx";
import { EditButtons } from "#ui/table/row-buttons.tsx";
import { identityProvidersQuery, useDeleteProvider } from "./api.ts";
import { providersSection } from "./section.ts";

const ProviderDrawer = lazyPart(() =>
  import("./provider-drawer.tsx").then((module) => module.ProviderDrawer),
);

export function ProviderCard() {
  const { t } = useTranslation("settings");
  const providers = useQuery(identityProvidersQuery);
  const remove = useDeleteProvider();
  const edited = useDrawerParam();
  const destroy = (row: IdentityProviderRow) =>
    confirmDeletion(
      {
        title: t("Delete {{name}}?", { name: row.name }),
        body: t("{{count}} accounts can no longer sign in with it. The accounts and their API keys stay.", {
          count: row.account_count,
        }),
      },
      () => remove.mutateAsync(row.id),
    );
  const add = (
    <Button
      variant="default"
      size="compact-md"
      leftSection={<IconPlus size={16} />}
      onClick={() => edited.open(NEW)}
    >
      {t("Add sign-in provider")}
    </Button>
  );
  return (
    <section id={anchorOf(providersSection)} aria-label={t(providersSection.title)}>
      <Section
        padding={20}
        title={t(providersSection.title)}
        hint={t(
          "OpenID Connect providers of organizations. Their groups can decide the user group, role and budget of an account.",
        )}
        aside={
          <Group gap={4} wrap="nowrap">
            {providers.data?.length ? add : null}
            <HelpLink help={providersSection.help} about={t(providersSection.title)} />
          </Group>
        }
      >
        {!providers.data ? (
          <QueryFallback query={providers}>
            <Skeleton height={56} radius="md" />
          </QueryFallback>
        ) : providers.data.length === 0 ? (
          <Empty
            compact
            title={t("No provider yet")}
            hint={t(
              "Add the identity provider of your organization, so that its members sign in with one account.",
            )}
            action={add}
          />
        ) : (
          <LineList>
            {providers.data.map((row) => (
              <Line
                key={row.id}
                picture={<IdentityProviderIcon id={row.preset} />}
                title={
                  <Group gap={8}>
                    <Text fw={500}>{row.name}</Text>
                    {row.enabled ? null : <Badge color="gray">{t("Disabled")}</Badge>}
                  </Group>
                }
                detail={`${t("{{count}} accounts", { count: row.account_count })} · ${row.issuer}`}
                action={
                  <Group gap={4} wrap="nowrap">
                    <EditButtons onEdit={() => edited.open(row.id)} onDelete={() => void destroy(row)} />
                  </Group>
                }
              />
            ))}
          </LineList>
        )}
      </Section>
      <OpenedRow
        opened={edited}
        rows={providers.data}
        keyOf={(row) => String(row.id)}
        create={<ProviderDrawer provider={undefined} onClose={edited.close} />}
      >
        {(row) => <ProviderDrawer key={row.id} provider={row} onClose={edited.close} />}
      </OpenedRow>
    </section>
  );
}
