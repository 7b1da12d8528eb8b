/** What calls the API for the user: devices and the access token. */
import { Stack } from "@mantine/core";
import { AccessTokenSection } from "./access-token.tsx";
import { DevicesSection } from "./devices-section.tsx";

export function AccessTab() {
  return (
    <Stack>
      <DevicesSection />
      <AccessTokenSection />
    </Stack>
  );
}
