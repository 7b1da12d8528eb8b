/** The icon of a payment method: a built-in one by name, or an image address. */
import type { paymentIcons } from "@gateway/shared/billing/payment";
import {
  IconBrandAlipay,
  IconBrandPaypal,
  IconBrandStripe,
  IconBrandWechat,
  IconCoin,
  IconCreditCard,
  IconWallet,
  type Icon,
} from "@tabler/icons-react";
import { ForeignIcon } from "./foreign-icon.tsx";

type Name = (typeof paymentIcons)[number];

const pictures: Record<Name, { icon: Icon; color?: string }> = {
  card: { icon: IconCreditCard },
  alipay: { icon: IconBrandAlipay, color: "#1677ff" },
  wxpay: { icon: IconBrandWechat, color: "#07a854" },
  stripe: { icon: IconBrandStripe, color: "#635bff" },
  paypal: { icon: IconBrandPaypal, color: "#2f6fd6" },
  wallet: { icon: IconWallet },
  coin: { icon: IconCoin },
};

export function PaymentIcon({ icon, size = 20 }: { icon: string; size?: number }) {
  if (!Object.hasOwn(pictures, icon))
    return <ForeignIcon address={icon} size={size} fallback={<DrawnIcon name="card" size={size} />} />;
  return <DrawnIcon name={icon as Name} size={size} />;
}

function DrawnIcon({ name, size }: { name: Name; size: number }) {
  const { icon: Picture, color } = pictures[name];
  return <Picture size={size} stroke={1.7} color={color} aria-hidden style={{ flex: "none" }} />;
}
