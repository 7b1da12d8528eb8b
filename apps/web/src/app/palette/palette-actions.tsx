/**
 * Actions of the command palette. Each links to a form or
 * dialog and is offered to users with the right for it.
 */
import type { AdminArea } from "@gateway/shared/accounts/roles";
import { mayEnter, Role } from "@gateway/shared/accounts/roles";
import { useMantineColorScheme } from "@mantine/core";
import type { SpotlightActionData } from "@mantine/spotlight";
import {
  IconBan,
  IconCirclePlus,
  IconCreditCardPay,
  IconDownload,
  IconEraser,
  IconGauge,
  IconKey,
  IconListCheck,
  IconLogout,
  IconMail,
  IconMoon,
  IconPercentage,
  IconSun,
  IconTicket,
  IconUserPlus,
  IconUsersPlus,
  type Icon,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { phrase } from "#lib/i18n.ts";
import { signOut, useSelf } from "#lib/session.ts";

type PaletteCommand = {
  id: string;
  label: string;
  /** Further English search keywords. */
  keywords: string;
  icon: Icon;
  /** Area that an administrator must be allowed to change. */
  area?: AdminArea;
  /** Only for root. */
  root?: true;
  to: string;
};

const commands: PaletteCommand[] = [
  {
    id: "add-channel",
    label: phrase("Add channel"),
    keywords: "new create a provider key",
    icon: IconCirclePlus,
    area: "channels",
    to: "/panel/channel?edit=new",
  },
  {
    id: "test-channels",
    label: phrase("Test all channels"),
    keywords: "check health probe",
    icon: IconGauge,
    area: "channels",
    to: "/panel/channel?ask=test",
  },
  {
    id: "disable-model",
    label: phrase("Disable a model everywhere"),
    keywords: "stop block turn off",
    icon: IconBan,
    area: "channels",
    to: "/panel/channel?disable=model",
  },
  {
    id: "remove-model",
    label: phrase("Remove a model from all channels"),
    keywords: "delete model everywhere",
    icon: IconEraser,
    area: "channels",
    to: "/panel/channel?remove=model",
  },
  {
    id: "model-changes",
    label: phrase("Model changes of providers"),
    keywords: "new removed deprecated upstream list check",
    icon: IconListCheck,
    area: "channels",
    to: "/panel/channel?changes=all",
  },
  {
    id: "new-token",
    label: phrase("New token"),
    keywords: "create api key",
    icon: IconKey,
    to: "/panel/token?edit=new",
  },
  {
    id: "new-user-token",
    label: phrase("New token for a user"),
    keywords: "create api key for a customer",
    icon: IconKey,
    area: "tokens",
    to: "/panel/token?view=all&edit=new",
  },
  {
    id: "limit-customer",
    label: phrase("Limit the spending of a user"),
    keywords: "set budget for a customer month day week limit",
    icon: IconGauge,
    area: "users",
    to: "/panel/user?budget=user",
  },
  {
    id: "new-user",
    label: phrase("New user"),
    keywords: "create account person customer administrator admin role permissions limited",
    icon: IconUserPlus,
    area: "users",
    to: "/panel/user?edit=new",
  },
  {
    id: "new-customer",
    label: phrase("New customer"),
    keywords: "create account key budget invite",
    icon: IconUserPlus,
    area: "users",
    to: "/panel/user?customer=new",
  },
  {
    id: "new-group",
    label: phrase("New group"),
    keywords: "create user group ratio",
    icon: IconUsersPlus,
    area: "groups",
    to: "/panel/user_group?edit=new",
  },
  {
    id: "raise-prices",
    label: phrase("Change the prices of a group"),
    keywords: "raise increase lower prices for a group by 20 % percent ratio discount markup",
    icon: IconPercentage,
    area: "groups",
    to: "/panel/user_group?prices=group",
  },
  {
    id: "new-price",
    label: phrase("New price"),
    keywords: "create model cost",
    icon: IconCirclePlus,
    area: "prices",
    to: "/panel/pricing?edit=new",
  },
  {
    id: "update-prices",
    label: phrase("Update prices"),
    keywords: "import price list",
    icon: IconDownload,
    area: "prices",
    to: "/panel/pricing?update=list",
  },
  {
    id: "new-codes",
    label: phrase("New codes"),
    keywords: "create redemption voucher gift",
    icon: IconTicket,
    area: "redemptions",
    to: "/panel/redemption?edit=new",
  },
  {
    id: "mail",
    label: phrase("Set up email"),
    keywords: "smtp mail server outgoing sender configure test",
    icon: IconMail,
    root: true,
    to: "/panel/setting?q=SMTPAccount",
  },
  {
    id: "new-gateway",
    label: phrase("New payment gateway"),
    keywords: "create stripe alipay",
    icon: IconCreditCardPay,
    area: "payments",
    to: "/panel/payment?tab=gateways&edit=new",
  },
];

/** @param go opens an address of the console */
export function usePaletteActions(go: (to: string, label: string) => void): SpotlightActionData[] {
  const { t } = useTranslation();
  const self = useSelf();
  const { setColorScheme } = useMantineColorScheme();
  if (!self) return [];
  const allowedCommands = commands.filter(
    ({ area, root }) =>
      (area === undefined || mayEnter(self, area, "edit")) && (root === undefined || self.role === Role.root),
  );
  return [
    ...allowedCommands.map(({ id, label, keywords, icon: Picture, to }) => ({
      id,
      label: t(label),
      keywords: [label, keywords],
      leftSection: <Picture size={18} stroke={1.7} />,
      onClick: () => go(to, t(label)),
    })),
    {
      id: "dark",
      label: t("Dark theme"),
      keywords: ["Dark theme", "appearance color scheme night"],
      leftSection: <IconMoon size={18} stroke={1.7} />,
      onClick: () => setColorScheme("dark"),
    },
    {
      id: "light",
      label: t("Light theme"),
      keywords: ["Light theme", "appearance color scheme day"],
      leftSection: <IconSun size={18} stroke={1.7} />,
      onClick: () => setColorScheme("light"),
    },
    {
      id: "sign-out",
      label: t("Sign out"),
      keywords: ["Sign out", "log out leave"],
      leftSection: <IconLogout size={18} stroke={1.7} />,
      onClick: () => void signOut(),
    },
  ];
}
