import { Group, Text, Tooltip } from "@mantine/core";
import { IconMail } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { IdentityProviderIcon, identityProviderTitle } from "#components/icons/identity-provider.tsx";

/** Linked accounts as small icons with names. */
export function Bindings({ providers, email }: { providers: string[]; email: string | null }) {
  const { t } = useTranslation("users");
  if (providers.length === 0 && email === null)
    return (
      <Text span c="dimmed" fz="inherit">
        –
      </Text>
    );
  return (
    <Group gap={6} wrap="nowrap" c="dimmed">
      {email === null ? null : (
        <Tooltip label={email}>
          <IconMail size={17} stroke={1.6} role="img" tabIndex={0} aria-label={email} />
        </Tooltip>
      )}
      {providers.map((provider) => {
        const name = identityProviderTitle(t, provider);
        return (
          <Tooltip key={provider} label={name}>
            <span style={{ display: "inline-flex" }} tabIndex={0}>
              <IdentityProviderIcon id={provider} size={17} label={name} />
            </span>
          </Tooltip>
        );
      })}
    </Group>
  );
}
