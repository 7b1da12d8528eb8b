import { useComputedColorScheme } from "@mantine/core";
import { Turnstile } from "@marsidev/react-turnstile";
import { currentLocale } from "#lib/i18n.ts";

/** Loaded only when the operator enabled the check: it loads a script from another site. */
export function TurnstileWidget({ siteKey, onToken }: { siteKey: string; onToken: (token: string) => void }) {
  const theme = useComputedColorScheme("light");
  return (
    <Turnstile
      siteKey={siteKey}
      onSuccess={onToken}
      onExpire={() => onToken("")}
      onError={() => onToken("")}
      options={{ theme, language: currentLocale().toLowerCase(), size: "flexible", responseField: false }}
    />
  );
}
