/** The public page of a shared call: its figures, bill and route, without names. Readable without signing in. */
import type { SharedCall } from "@gateway/shared/usage/share";
import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconLinkOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";
import { CallRoute } from "#components/route/call-route.tsx";
import { BillTable } from "#features/logs/detail/bill-table.tsx";
import { KeptBodies } from "#features/logs/detail/bodies.tsx";
import { CallFigures } from "#features/logs/detail/call-figures.tsx";
import { CallHeading } from "#features/logs/detail/call-view.tsx";
import { nameByNumber } from "#features/logs/detail/shown-attempts.ts";
import { Waterfall } from "#features/logs/detail/waterfall.tsx";
import { isFailedCall, shortReason } from "#features/logs/failure.ts";
import { contentText } from "#features/logs/log-labels.ts";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { formatRelative, formatTime } from "#lib/format/quota.ts";
import { ApiError } from "#lib/http.ts";
import { hasErrorCode } from "#lib/labels/reasons.ts";
import { usePageTitle } from "#lib/site.ts";
import { Empty, LoadError } from "#ui/empty.tsx";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { Section } from "#ui/page/page.tsx";
import { sharedCallQuery } from "./share-api.ts";

export default function SharedCallPage() {
  const { t } = useTranslation("logs");
  const { secret = "" } = useParams();
  usePageTitle(t("Shared call"));
  const shared = useQuery(sharedCallQuery(secret));
  if (shared.data) return <SharedCallDetails shared={shared.data} />;
  const { error } = shared;
  if (error instanceof ApiError && [400, 404, 410].includes(error.status)) return <EndedLink error={error} />;
  if (error) return <LoadError heading error={error} onRetry={() => void shared.refetch()} />;
  return (
    <Stack gap="md" aria-busy>
      <Skeleton height={64} radius="md" />
      <Skeleton height={220} radius="md" />
    </Stack>
  );
}

function EndedLink({ error }: { error: ApiError }) {
  const { t } = useTranslation("logs");
  const reason = error.params["reason"];
  const isEnded = error.status === 410;
  return (
    <Empty
      heading
      icon={IconLinkOff}
      title={
        reason === "share_expired"
          ? t("This link has expired")
          : reason === "share_revoked"
            ? t("This link was revoked")
            : isEnded
              ? t("This call is not available anymore")
              : t("This link was not found")
      }
      hint={
        isEnded
          ? t("Ask the person who sent it for a new link.")
          : t("Check that the link is complete, or ask the person who sent it.")
      }
      action={
        <Button component={Link} to="/" variant="default">
          {t("Go to the home page")}
        </Button>
      }
    />
  );
}

function SharedCallDetails({ shared }: { shared: SharedCall }) {
  const { t } = useTranslation("logs");
  const { call, bodies, expires_at } = shared;
  useErrorTexts(hasErrorCode(call.content_facts));
  const attempts = nameByNumber(t, call.attempts ?? []);
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <h1 style={{ margin: 0 }}>
          <CallHeading row={call} />
        </h1>
        <Text fz="sm" c="dimmed" title={formatTime(expires_at)}>
          {t("Shared call. The link expires {{when}}.", { when: formatRelative(expires_at) })}
        </Text>
      </Group>
      {isFailedCall(call) ? (
        <Alert
          color="red"
          variant="light"
          icon={<IconAlertCircle size={18} />}
          title={shortReason(t, call.error_code) || t("Failed")}
        >
          {call.content ? <Text fz="sm">{contentText(t, call)}</Text> : null}
          <Text fz="sm" c="dimmed">
            {[
              call.error_code,
              call.status > 0 ? `HTTP ${call.status}` : "",
              t("The call failed and was not charged."),
            ]
              .filter(Boolean)
              .join(" · ")}
          </Text>
        </Alert>
      ) : null}
      <CallFigures row={call} />
      {attempts.length === 0 ? null : (
        <Section padding="md" title={t("Route")}>
          <CallRoute row={call} attempts={attempts} />
          <Waterfall row={call} attempts={attempts} anonymous />
        </Section>
      )}
      {call.bill ? (
        <Section padding="md" title={t("Bill")}>
          <BillTable row={call} bill={call.bill} />
        </Section>
      ) : null}
      {bodies ? <KeptBodies bodies={bodies} /> : null}
      <Section padding="md" title={t("Details")}>
        <Facts columns={3}>
          <Fact label={t("Time")}>{formatTime(call.created_at)}</Fact>
          <Fact label={t("Request ID")}>{call.request_id}</Fact>
          <Fact label={t("Endpoint")}>{call.endpoint}</Fact>
          <Fact label={t("Response")}>{call.is_stream ? t("Streamed") : t("Not streamed")}</Fact>
        </Facts>
      </Section>
    </Stack>
  );
}
