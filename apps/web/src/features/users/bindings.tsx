import { Group, Text, Tooltip } from "@mantine/core";
import {
  IconBrandGithub,
  IconBrandTelegram,
  IconBrandWechat,
  IconFeather,
  IconId,
  IconMail,
} from "@tabler/icons-react";

const known = {
  github: { name: "GitHub", Picture: IconBrandGithub },
  wechat: { name: "WeChat", Picture: IconBrandWechat },
  telegram: { name: "Telegram", Picture: IconBrandTelegram },
  lark: { name: "Lark", Picture: IconFeather },
  oidc: { name: "OpenID", Picture: IconId },
} as const;

export function providerName(provider: string): string {
  return provider in known ? known[provider as keyof typeof known].name : provider;
}

/** What an account is linked to, as small pictures with names. */
export function Bindings({ providers, email }: { providers: string[]; email: string | null }) {
  if (providers.length === 0 && email === null)
    return (
      <Text span c="dimmed" fz="inherit">
        –
      </Text>
    );
  return (
    <Group gap={6} wrap="nowrap" c="dimmed">
      {email === null ? null : <Mark Picture={IconMail} label={email} />}
      {providers.map((provider) => (
        <Mark
          key={provider}
          Picture={provider in known ? known[provider as keyof typeof known].Picture : IconId}
          label={providerName(provider)}
        />
      ))}
    </Group>
  );
}

function Mark({ Picture, label }: { Picture: typeof IconId; label: string }) {
  return (
    <Tooltip label={label}>
      <Picture size={17} stroke={1.6} role="img" aria-label={label} />
    </Tooltip>
  );
}
