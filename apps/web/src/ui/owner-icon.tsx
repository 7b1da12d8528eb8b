import { VendorIcon } from "./vendor-icon.tsx";

/** The logo of a maker of models. @param icon name in the icon set, or the address of a picture */
export function OwnerIcon({ icon, name, size = 18 }: { icon: string; name: string; size?: number }) {
  if (/^(https?:|data:image|\/)/.test(icon))
    return (
      <img
        src={icon}
        width={size}
        height={size}
        alt=""
        loading="lazy"
        referrerPolicy="no-referrer"
        style={{ flex: "none", objectFit: "contain" }}
      />
    );
  return <VendorIcon name={icon || name} size={size} />;
}
