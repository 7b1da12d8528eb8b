/** How the user signs in, and where they are signed in. */
import { Stack } from "@mantine/core";
import { EmailSection } from "./email-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";
import { BindingsSection } from "./sign-in/bindings-section.tsx";
import { PasskeysSection } from "./sign-in/passkeys-section.tsx";
import { PasswordSection } from "./sign-in/password-section.tsx";
import { SecondFactorSection } from "./sign-in/second-factor.tsx";
import { TelegramSection } from "./telegram-section.tsx";

export function SecurityTab() {
  return (
    <Stack>
      <PasswordSection />
      <EmailSection />
      <PasskeysSection />
      <SecondFactorSection />
      <BindingsSection />
      <TelegramSection />
      <SessionsSection />
    </Stack>
  );
}
