/** Remote MCP servers, and the bundles in which clients reach them. */
import { Button, SegmentedControl } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { oneOf, textParam } from "#lib/address/params.ts";
import { useMayChange } from "#lib/changes.ts";
import { Page } from "#ui/page/page.tsx";
import { BundleList } from "./bundle-list.tsx";
import { ServerList } from "./server-list.tsx";

const pageParams = { view: oneOf(["bundles", "servers"]), keyword: textParam(500) };

export default function McpPage() {
  const { t } = useTranslation("mcp");
  const mayChange = useMayChange();
  const [{ view, keyword }, setParams] = useListParams(pageParams);
  const edited = useDrawerParam();
  const search = { keyword, onChange: (next: string) => setParams({ keyword: next }) };
  return (
    <Page
      title={t("MCP servers")}
      description={t(
        "Clients use the tools of remote MCP servers through this gateway. A bundle is an address with the tools of several servers.",
      )}
      actions={
        <>
          <SegmentedControl
            aria-label={t("List")}
            value={view}
            onChange={(next) => setParams({ view: next === "servers" ? "servers" : "bundles", keyword: "" })}
            data={[
              { value: "bundles", label: t("Bundles") },
              { value: "servers", label: t("Servers") },
            ]}
          />
          {mayChange ? (
            <Button leftSection={<IconPlus size={16} />} onClick={() => edited.open(NEW)}>
              {view === "servers" ? t("Add server") : t("Add bundle")}
            </Button>
          ) : null}
        </>
      }
    >
      {view === "servers" ? <ServerList search={search} /> : <BundleList search={search} />}
    </Page>
  );
}
