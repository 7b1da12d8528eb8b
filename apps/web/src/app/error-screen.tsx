import { Anchor, Button, Center, Code, Group, Stack, Text, Title } from "@mantine/core";
import { Component, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Mark } from "#components/mark.tsx";

/** True for a chunk that is gone because a new version was installed while the page was open. */
function isOldVersion(error: unknown): boolean {
  return error instanceof TypeError && /import|module/i.test(error.message);
}

/** For what no one expected, and for addresses that do not exist. @param inside the console's frame stands around it */
export function ErrorScreen({ error, inside = false }: { error?: unknown; inside?: boolean }) {
  const { t } = useTranslation();
  return (
    <Center mih={inside ? "60vh" : "100dvh"} p="lg">
      <Stack align="center" ta="center" gap="sm" maw={520}>
        <Mark size={44} />
        <Title order={1} fz={22} mt="md">
          {t("Unexpected Application Error!")}
        </Title>
        <Text c="dimmed">
          {error === undefined || error === null
            ? t("There is nothing at this address.")
            : isOldVersion(error)
              ? t("A new version is available, please refresh with Shift + F5.")
              : t("Something in this page broke. Reloading usually helps.")}
        </Text>
        {error instanceof Error ? <Code>{error.message}</Code> : null}
        <Group mt="md">
          <Button onClick={() => window.location.reload()} variant={error ? "filled" : "default"}>
            {t("Reload")}
          </Button>
          <Anchor component={Link} to={inside ? "/panel/dashboard" : "/"}>
            {inside ? t("Go to the dashboard") : t("Go to the home page")}
          </Anchor>
        </Group>
      </Stack>
    </Center>
  );
}

type BoundaryProps = { address: string; children: ReactNode };
type Boundary = { broken?: { error: unknown } | undefined; address?: string };

/** Shows what broke while a page was drawn, until the reader goes to another address. */
export class ErrorBoundary extends Component<BoundaryProps, Boundary> {
  override state: Boundary = {};

  static getDerivedStateFromError(error: unknown): Boundary {
    return { broken: { error } };
  }

  static getDerivedStateFromProps({ address }: BoundaryProps, state: Boundary): Boundary | null {
    return address === state.address ? null : { address, broken: undefined };
  }

  override render() {
    const { broken } = this.state;
    return broken ? <ErrorScreen error={broken.error} /> : this.props.children;
  }
}
