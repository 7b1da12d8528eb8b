/** Links for administrators to the model's channels, price and log, and how to disable or remove it. */
import { Button, Menu } from "@mantine/core";
import {
  IconBan,
  IconChevronDown,
  IconEraser,
  IconListDetails,
  IconReceipt2,
  IconRoute,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useMayEnter } from "#lib/session.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";

export function ModelManagement({ model, onDisable }: { model: string; onDisable: () => void }) {
  const { t } = useTranslation("model-prices");
  const channels = useMayEnter("channels");
  const edit = useMayEnter("channels", "edit");
  const prices = useMayEnter("prices");
  const name = encodeURIComponent(model);
  const phone = useIsPhone();
  const menu = (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={15} />}>
          {channels || prices ? t("Manage") : t("More")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          to={`/panel/log?model_name=${name}`}
          leftSection={<IconListDetails size={16} />}
        >
          {t("Calls of this model")}
        </Menu.Item>
        {channels ? (
          <Menu.Item
            component={Link}
            to={`/panel/channel?model=${name}`}
            leftSection={<IconRoute size={16} />}
          >
            {t("Channels that serve it")}
          </Menu.Item>
        ) : null}
        {prices ? (
          <Menu.Item
            component={Link}
            to={`/panel/pricing?keyword=${name}`}
            leftSection={<IconReceipt2 size={16} />}
          >
            {t("Edit the price")}
          </Menu.Item>
        ) : null}
        {edit && phone ? (
          <Menu.Item color="red" leftSection={<IconBan size={16} />} onClick={onDisable}>
            {t("Disable everywhere")}
          </Menu.Item>
        ) : null}
        {edit ? (
          <Menu.Item
            component={Link}
            to={`/panel/channel?remove=${name}`}
            color="red"
            leftSection={<IconEraser size={16} />}
          >
            {t("Remove from all channels")}
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
  if (!edit || phone) return menu;
  return (
    <>
      <Button variant="default" leftSection={<IconBan size={16} />} onClick={onDisable}>
        {t("Disable everywhere")}
      </Button>
      {menu}
    </>
  );
}
