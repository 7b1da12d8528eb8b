import { cloneElement, type ComponentType, type ReactElement, useState } from "react";
import { LatePart } from "#ui/late-part.tsx";

type ButtonProps = { onClick?: () => void; "aria-haspopup"?: "menu"; "aria-expanded"?: boolean };

/** A menu that costs the first page nothing: it comes, already open, when its button is first pressed. */
export function LateMenu({
  Menu,
  children,
}: {
  Menu: ComponentType<{ button: ReactElement<ButtonProps> }>;
  children: ReactElement<ButtonProps>;
}) {
  const [wanted, setWanted] = useState(false);
  const closed = cloneElement(children, {
    onClick: () => setWanted(true),
    "aria-haspopup": "menu",
    "aria-expanded": false,
  });
  if (!wanted) return closed;
  return (
    <LatePart fallback={closed}>
      <Menu button={children} />
    </LatePart>
  );
}
