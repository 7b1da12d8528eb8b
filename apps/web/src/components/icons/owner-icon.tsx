import { ForeignIcon } from "./foreign-icon.tsx";
import { ProviderIcon } from "./provider-icon.tsx";

/**
 * The logo of a model's owner.
 * @param icon name in the icon set, or the address of an image
 */
export function OwnerIcon({ icon, name, size = 18 }: { icon: string; name: string; size?: number }) {
  if (/^(https?:|data:image|\/)/.test(icon))
    return <ForeignIcon address={icon} size={size} fallback={<ProviderIcon name={name} size={size} />} />;
  return <ProviderIcon name={icon || name} size={size} />;
}
