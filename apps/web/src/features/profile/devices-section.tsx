/** Tokens that command-line devices got by signing in, with a button that revokes each. */
import type { TokenRow } from "@gateway/shared/accounts/token";
import { Anchor, Button, Skeleton, Text } from "@mantine/core";
import { IconTerminal2 } from "@tabler/icons-react";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { asList, asSent, http } from "#lib/http.ts";
import { allTokens } from "#lib/queries/tokens.ts";
import { deletion } from "#lib/query-client.ts";
import { confirm } from "#ui/confirm.tsx";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Line, LineList } from "#ui/line-list.tsx";
import { Section } from "#ui/page/page.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { toast } from "#ui/toast.tsx";

const devicesQuery = queryOptions({
  queryKey: [...allTokens, "devices"],
  queryFn: () => http.get("/token/devices", asList<TokenRow[]>()),
});

export function DevicesSection() {
  const { t } = useTranslation("profile");
  const devices = useQuery(devicesQuery);
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: number) => http.del(`/token/${id}`, asSent<unknown>()),
    meta: deletion,
    onSettled: () => client.invalidateQueries({ queryKey: allTokens }),
  });
  const end = async (token: TokenRow) => {
    const sure = await confirm({
      title: t("Sign out {{device}}?", { device: token.device_name }),
      body: t("Its key is deleted and stops working immediately."),
      action: t("Revoke"),
    });
    if (sure) revoke.mutate(token.id, { onSuccess: () => toast.success(t("Device signed out")) });
  };
  return (
    <Section
      title={t("Command-line devices")}
      hint={t("Tools that signed in at {{path}} with a code. Each has its own key.", { path: "/device" })}
    >
      {devices.data === undefined ? (
        <QueryFallback query={devices}>
          <Skeleton height={56} radius="md" />
        </QueryFallback>
      ) : devices.data.length === 0 ? (
        <Empty compact icon={IconTerminal2} title={t("No devices are signed in")} />
      ) : (
        <LineList>
          {devices.data.map((token) => (
            <Line
              key={token.id}
              picture={<IconTerminal2 size={18} stroke={1.6} />}
              title={
                <Text fw={500} truncate title={token.device_name}>
                  {token.device_name}
                </Text>
              }
              detail={
                <>
                  <Anchor component={Link} to={`/panel/token/${token.id}`} fz="inherit">
                    {token.name}
                  </Anchor>{" "}
                  ·{" "}
                  {token.accessed_time === null ? (
                    t("Not used yet")
                  ) : (
                    <>
                      {t("Last used")} <RelativeTime seconds={token.accessed_time} />
                    </>
                  )}
                </>
              }
              action={
                <Button
                  variant="default"
                  size="compact-sm"
                  loading={revoke.isPending && revoke.variables === token.id}
                  aria-label={t("Sign out {{device}}", { device: token.device_name })}
                  onClick={() => void end(token)}
                >
                  {t("Revoke")}
                </Button>
              }
            />
          ))}
        </LineList>
      )}
    </Section>
  );
}
