import { Anchor, Container, Group, Text } from "@mantine/core";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useSite, useSystemName } from "#lib/site.ts";
import { repositoryPage } from "#repository.ts";
import { LazyBoundary } from "#ui/lazy-part.tsx";

const RichText = lazy(() => import("#ui/rich-text.tsx").then((module) => ({ default: module.RichText })));

const licenceUrl = "https://opensource.org/license/mit";

/** The operator's own footer, or the default one. */
export function Footer() {
  const { t } = useTranslation();
  const site = useSite();
  const name = useSystemName();
  return (
    <Container size={1200} w="100%" component="footer" py="lg" px={{ base: "md", sm: "lg" }}>
      {site?.footer_html ? (
        <LazyBoundary>
          <RichText text={site.footer_html} />
        </LazyBoundary>
      ) : (
        <Group justify="space-between" gap="xs">
          <Text fz="sm" c="dimmed">
            {site?.version ? `${name} ${site.version}` : name}
          </Text>
          <Group gap="6px 16px">
            <Text fz="sm" c="dimmed">
              {t("Developed by the gateway's contributors")}
            </Text>
            <Anchor fz="sm" c="dimmed" component={Link} to="/help">
              {t("Help")}
            </Anchor>
            {repositoryPage === undefined ? (
              <Anchor fz="sm" c="dimmed" component={Link} to="/about">
                {t("Open source")}
              </Anchor>
            ) : (
              <OutsideLink href={repositoryPage}>{t("Open source")}</OutsideLink>
            )}
            <OutsideLink href={licenceUrl}>{t("MIT license")}</OutsideLink>
          </Group>
        </Group>
      )}
    </Container>
  );
}

function OutsideLink({ href, children }: { href: string; children: string }) {
  return (
    <Anchor fz="sm" c="dimmed" href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </Anchor>
  );
}
