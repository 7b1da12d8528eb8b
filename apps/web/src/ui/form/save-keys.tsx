import { Kbd, Text } from "@mantine/core";
import { useIsPhone } from "#ui/use-is-phone.ts";

/** The keys that submit a form, beside its buttons. */
export function SaveKeys() {
  if (useIsPhone()) return null;
  return (
    <Text c="dimmed" fz="xs" mr={4}>
      <Kbd size="xs">{/Mac|iP/.test(navigator.userAgent) ? "⌘" : "Ctrl"}</Kbd> <Kbd size="xs">↵</Kbd>
    </Text>
  );
}
