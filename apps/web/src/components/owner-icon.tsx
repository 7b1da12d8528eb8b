import { ForeignIcon } from "./foreign-icon.tsx";
import { VendorIcon } from "./vendor-icon.tsx";

/** The logo of a maker of models. @param icon name in the icon set, or the address of a picture */
export function OwnerIcon({ icon, name, size = 18 }: { icon: string; name: string; size?: number }) {
  if (/^(https?:|data:image|\/)/.test(icon))
    return <ForeignIcon address={icon} size={size} fallback={<VendorIcon name={name} size={size} />} />;
  return <VendorIcon name={icon || name} size={size} />;
}
